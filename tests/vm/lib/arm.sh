# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced: ARM boards, for beds.
#   vm_arm ARCH              what all of them have in common
#   vm_qemu10 ARCH PROGRAM   QEMU 10 from Debian's backports, unpacked beside the installed one: sets qemu10=(...)
#   vm_dtb NAME              compiles beds/NAME.dts: sets vm_dtb_file
# A bed whose emulator cannot be had sets bed_skip.

arm_libraries='libnl-genl-3-200 libsystemd0 libjson-c5 libinih1 libpfm4 libmicrohttpd12'

vm_arm() {
	arch=$1
	kernel=linux-image-armmp
	[ "$1" = armhf ] || kernel=linux-image-arm64
	packages="ethtool iproute2 $arm_libraries"
	[ -e "$builddir/cross-$1/ethtuned" ] || bed_skip="no build for $1 (make check-cross)"
}

# Modules of the installed QEMU would not fit it.
vm_qemu10() {
	local dirs p data=''
	qemu10=()
	dirs=$(vm_packages "$(dpkg --print-architecture)" "$2/bookworm-backports" \
		qemu-system-common/bookworm-backports qemu-system-data/bookworm-backports 2>&1) ||
		{ bed_skip="no QEMU 10: ${dirs##*$'\n'}"; return; }
	for p in $dirs; do
		case $p in
		*/"$2"@*) qemu10=("$p/usr/bin/$1") ;;
		*/qemu-system-common@*) export QEMU_MODULE_DIR=$p/usr/lib/x86_64-linux-gnu/qemu ;;
		*/qemu-system-data@*) data=$p/usr/share ;;
		esac
	done
	qemu10+=(-L "$data/qemu" -L "$data/seabios")
	p=$("${qemu10[0]}" --version 2>&1) || bed_skip="QEMU 10 does not run here: ${p##*$'\n'}"
}

vm_dtb() {
	command -v dtc >/dev/null || { bed_skip="no dtc"; return; }
	vm_dtb_file=$vm_out/$1.dtb
	dtc -q -I dts -O dtb -o "$vm_dtb_file" "$vm_dir/beds/$1.dts" || bed_skip="$1.dts does not compile"
}
