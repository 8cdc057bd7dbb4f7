# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Sourced: builds the NIC double for the kernel of a bed, with Debian's headers, once for the same sources.
#   vm_double         adds nicdouble.ko to the words of extra
# Relies on: vm_kernel (packages.sh), arch, and a compiler for this machine's architecture.

vm_double() {
	local version=$vm_kernel_version dirs tree out sum common=${vm_kernel_version%-"$arch"} kbuild
	kbuild=linux-kbuild-$common
	[ -n "$(vm_apt "$arch" apt-cache show "$kbuild" 2>/dev/null)" ] || kbuild=linux-kbuild-${common%%.0-*}
	dirs=$(vm_packages "$arch" "linux-headers-$version" "linux-headers-$common-common" "$kbuild") || return
	sum=$(cat "$vm_dir"/module/* | sha256sum | cut -c1-16)
	out=$vm_cache/double/$version-$sum.ko
	if [ ! -e "$out" ]; then
		mkdir -p "$vm_cache/double" && tree=$(mktemp -d -p "$vm_cache/double") || return
		vm_build_double "$tree" "$version" "$dirs" && mv "$tree/module/nicdouble.ko" "$out" ||
			{ rm -rf "$tree"; return 1; }
		rm -rf "$tree"
	fi
	extra+=("$out" t/nicdouble.ko)
}

# In a directory of its own: several beds may come here at once.
vm_build_double() {	# DIR VERSION PACKAGES
	local d
	cp -r "$vm_dir/module" "$1/module" || return
	# the three packages are one tree with links across
	while read -r d; do
		cp -r "$d"/usr "$1/" || return
	done <<<"$3"
	sed -i "s#^include /usr/src/#include $1/usr/src/#" "$1/usr/src/linux-headers-$2/Makefile" &&
		make -s -C "$1/usr/src/linux-headers-$2" M="$1/module" CONFIG_DEBUG_INFO_BTF_MODULES= modules &&
		strip -g "$1/module/nicdouble.ko"
}
