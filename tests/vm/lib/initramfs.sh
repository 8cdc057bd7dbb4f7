# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced: a guest's root as a cpio archive in memory.
#   vm_initramfs OUT ARCH SYSROOT PROGRAMS MODULES DIR   PROGRAMS and MODULES are lists of words; DIR's files go to /t
# Programs are given as files, or as names to be looked for in SYSROOT; they come with the libraries that they need,
# from SYSROOT. Modules come with what they depend on, uncompressed: busybox cannot do it. After them the words
# extra=(FROM TO ...) may name files to be copied as they are.
# Our own configuration comes where a build without --prefix looks for it.
# Relies on: vm_dir, packages.sh (vm_triplet, vm_kernel_root, vm_kernel_version), busybox-static of the architecture.

vm_find_library() {	# NAME ARCH SYSROOT
	local d t=${vm_triplet[$2]}
	for d in "lib/$t" "usr/lib/$t" "usr/lib/$t/systemd" lib lib64 usr/lib; do
		[ -e "$3/$d/$1" ] && { echo "$3/$d/$1"; return; }
	done
	echo "no library $1 for $2" >&2
	return 1
}

# The program's libraries and theirs, as files.
vm_closure() {	# ARCH SYSROOT FILE...
	local arch=$1 sysroot=$2 todo=() name f
	declare -A seen=()
	shift 2
	todo=("$@")
	while [ ${#todo[@]} -gt 0 ]; do
		f=${todo[0]}
		todo=("${todo[@]:1}")
		for name in $(LC_ALL=C readelf -d "$f" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
			[ -z "${seen[$name]:-}" ] || continue
			seen[$name]=1
			f=$(vm_find_library "$name" "$arch" "$sysroot") || return
			echo "$f"
			todo+=("$f")
		done
	done
}

vm_copy_programs() {	# ROOT ARCH SYSROOT FILE|NAME...
	local root=$1 arch=$2 sysroot=$3 p f files=() loader
	shift 3
	for p in "$@"; do
		f=$p
		if [[ $p != /* ]]; then
			for f in "$sysroot"/{usr/,}{s,}bin/"$p"; do
				[ -e "$f" ] && break
			done
		fi
		[ -e "$f" ] || { echo "no program $p for the guest" >&2; return 1; }
		cp -L "$f" "$root/usr/bin/" && files+=("$f") || return
	done
	for f in "${files[@]}"; do
		loader=$(LC_ALL=C readelf -l "$f" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
		if [ -n "$loader" ] && [ ! -e "$root$loader" ]; then
			mkdir -p "$root${loader%/*}" && cp -L "$sysroot$loader" "$root$loader" || return
		fi
	done
	mkdir -p "$root/lib/${vm_triplet[$arch]}"
	p=$(vm_closure "$arch" "$sysroot" "${files[@]}") || return
	# shellcheck disable=SC2086 # a word a file
	[ -z "$p" ] || cp -L $p "$root/lib/${vm_triplet[$arch]}/"
}

vm_copy_modules() {	# ROOT MODULE...
	local root=$1 m f to
	shift
	for m in "$@"; do
		modprobe -S "$vm_kernel_version" -d "$vm_kernel_root" --show-depends "$m" ||
			{ echo "no module $m in $vm_kernel_version" >&2; return 1; }
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r f; do
		to=$root/lib/modules/$vm_kernel_version/${f#*"/lib/modules/$vm_kernel_version/"}
		mkdir -p "${to%/*}"
		case $f in
		*.xz) xz -dc "$f" >"${to%.xz}" ;;
		*.zst) zstd -qdc "$f" >"${to%.zst}" ;;
		*) cp "$f" "$to" ;;
		esac || return
	done
	mkdir -p "$root/lib/modules/$vm_kernel_version"
	cp "$vm_kernel_root/lib/modules/$vm_kernel_version"/modules.{order,builtin,builtin.modinfo} \
		"$root/lib/modules/$vm_kernel_version/"
	depmod -b "$root" "$vm_kernel_version"
}

vm_initramfs() {
	local out=$1 arch=$2 sysroot=$3 root busybox i
	busybox=$(vm_packages "$arch" busybox-static) || return
	root=$out.root
	rm -rf "$root"
	mkdir -p "$root"/{bin,usr/bin,usr/sbin,etc,proc,sys,dev,run,tmp,root,var/lib,t,lib} || return
	ln -s ../run "$root/var/run"
	ln -s usr/bin "$root/sbin"
	cp "$busybox/bin/busybox" "$root/bin/busybox" && ln -s busybox "$root/bin/sh" || return
	# shellcheck disable=SC2086
	vm_copy_programs "$root" "$arch" "$sysroot" $4 && vm_copy_modules "$root" $5 || return
	cp -r "$6"/. "$root/t/" && mv "$root/t/init" "$root/init" || return
	mkdir -p "$root/usr/local/lib/ethtuned"
	cp -r "$vm_dir/../../conf"/{ethtuned.conf,policy.d,quirks.d} "$root/usr/local/lib/ethtuned/" || return
	for ((i = 0; i + 1 < ${#extra[@]}; i += 2)); do
		mkdir -p "$root/${extra[i + 1]%/*}" && cp -r "${extra[i]}" "$root/${extra[i + 1]}" || return
	done
	chmod -R u+rwX,go+rX "$root"
	(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --quiet) >"$out" && rm -rf "$root"
}
