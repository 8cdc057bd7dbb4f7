# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced: Debian packages of any architecture, unpacked into the cache; nothing is installed. apt-get has lists, a
# cache and an empty status of its own for each architecture, and this machine's own archive as source.
#   vm_packages ARCH NAME[/SUITE]...   unpacks each alone, prints a directory a line
#   vm_sysroot ARCH DIR NAME...        unpacks them and all they depend on into DIR, once for the same names
#   vm_kernel ARCH META                a kernel by its meta package, e.g. linux-image-6.12-amd64: sets
#                                      vm_kernel_{version,image,root}, the last one being where lib/modules is
# Relies on: vm_cache, a directory; vm_die.

vm_apt_dir() {
	echo "$vm_cache/apt/$1"
}

declare -A vm_triplet=([amd64]=x86_64-linux-gnu [armhf]=arm-linux-gnueabihf [arm64]=aarch64-linux-gnu)

# Where this machine has a suite from; 1: nowhere.
vm_archive() {	# SUITE
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Identifier: Packages' |
		sed -n "s/^$1 main //p" | head -n 1 | grep .
}

vm_sources() {	# ARCH
	local key=/usr/share/keyrings/debian-archive-keyring.gpg uri
	uri=$(vm_archive bookworm) || return
	printf "deb [signed-by=$key] %s %s main\n" "$uri" bookworm "$uri" bookworm-backports
	# 32-bit ARM's list there does not always fit its checksum, and nothing of it is needed.
	if [ "$1" != armhf ] && uri=$(vm_archive bookworm-security); then
		echo "deb [signed-by=$key] $uri bookworm-security main"
	fi
}

vm_apt() {	# ARCH PROGRAM ARGUMENT...
	local arch=$1 program=$2 d
	d=$(vm_apt_dir "$arch")
	shift 2
	"$program" -qq -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
		-o Dir::Etc::sourcelist="$d/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State="$d/state" -o Dir::State::status="$d/status" -o Dir::Cache="$d/cache" \
		-o APT::Sandbox::User=root -o Debug::NoLocking=1 -o APT::Install-Recommends=false "$@"
}

# Not again within ten hours.
vm_update() {	# ARCH
	local d
	d=$(vm_apt_dir "$1")
	[ -z "$(find "$d/updated" -mmin -600 2>/dev/null)" ] || return 0
	mkdir -p "$d/state/lists/partial" "$d/cache/archives/partial" || return
	: >"$d/status"
	vm_sources "$1" >"$d/sources.list" || vm_die "no Debian 12 archive in this machine's own sources"
	vm_apt "$1" apt-get update >"$d/update.log" 2>&1 || { tail -n 5 "$d/update.log" >&2; return 1; }
	touch "$d/updated"
}

vm_packages() {
	local arch=$1 p name version dir d
	shift
	d=$(vm_apt_dir "$arch")
	vm_update "$arch" || return
	for p in "$@"; do
		name=${p%/*}
		version=$(vm_apt "$arch" apt-cache show --no-all-versions "$p" | sed -n 's/^Version: //p' | head -n 1)
		[ -n "$version" ] || { echo "no package $p for $arch" >&2; return 1; }
		dir=$vm_cache/packages/$name@${version//[:\/]/_}@$arch
		if [ ! -e "$dir" ]; then
			rm -rf "$dir.new" && mkdir -p "$dir.new" || return
			(cd "$dir.new" && vm_apt "$arch" apt-get download "$p" >"$d/download.log" 2>&1) ||
				{ tail -n 5 "$d/download.log" >&2; return 1; }
			dpkg-deb -x "$dir.new"/*.deb "$dir.new" && rm "$dir.new"/*.deb && mv "$dir.new" "$dir" || return
		fi
		echo "$dir"
	done
}

vm_sysroot() {
	local arch=$1 dir=$2 d list p
	shift 2
	list="$arch $*"
	[ "$(cat "$dir/packages" 2>/dev/null)" != "$list" ] || return 0
	d=$(vm_apt_dir "$arch")
	vm_update "$arch" || return
	rm -rf "$dir" "$d/cache/archives" && mkdir -p "$dir" "$d/cache/archives/partial" || return
	vm_apt "$arch" apt-get install -y --download-only "$@" >"$d/install.log" 2>&1 ||
		{ tail -n 5 "$d/install.log" >&2; return 1; }
	for p in "$d/cache/archives"/*.deb; do
		dpkg-deb -x "$p" "$dir" || return
	done
	rm -f "$d/cache/archives"/*.deb
	vm_relative_links "$dir"
	echo "$list" >"$dir/packages"
}

# An absolute link would lead out of it.
vm_relative_links() {	# DIR
	local l to
	find "$1" -type l -lname '/*' | while read -r l; do
		to=$(readlink "$l")
		ln -snf "$(realpath -m --relative-to="$(dirname "$l")" "$1$to")" "$l"
	done
}

vm_kernel() {
	local arch=$1 package
	vm_update "$arch" || return
	package=$(vm_apt "$arch" apt-cache depends --important "$2" |
		sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
	[ -n "$package" ] || { echo "no package $2 for $arch" >&2; return 1; }
	vm_kernel_root=$(vm_packages "$arch" "$package") || return
	vm_kernel_version=${package#linux-image-}
	vm_kernel_version=${vm_kernel_version%-unsigned}
	vm_kernel_image=$(echo "$vm_kernel_root"/boot/vmlinu[xz]-*)
	[ -e "$vm_kernel_root/lib/modules/$vm_kernel_version/modules.dep" ] ||
		depmod -b "$vm_kernel_root" "$vm_kernel_version"
}
