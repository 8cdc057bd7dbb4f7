# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced: boots a bed and judges what its guest said.
#   vm_reset          the variables that a bed sets, with their defaults
#   vm_x86 MODEL...   a q35 machine with the NIC to be tested and a virtio-net peer of its own on one hub; for beds
#   vm_start BED      makes the root and boots; everything goes to $vm_out/BED.log; returns 0 (passed), 1, or 77
# A guest's own lines: "@@ok NAME", "@@fail NAME: WHY", "@@skip NAME: WHY", "@@row TABLE KEY=VALUE ...", "@@boot" when
# init runs, "@@done" at its end. A machine that does not get to @@done has failed; one that did not get to @@boot is
# tried once more, for the emulator's sake. A test never is.

vm_reset() {
	arch=amd64		# Debian's name
	kernel=linux-image-6.12-amd64	# meta package
	qemu=()			# the program and all arguments but kernel, root and serial line
	console=ttyS0
	append=''		# more words for the kernel's command line
	modules=''		# to be loaded, in this order
	programs='ethtool ip'	# from the sysroot, besides our own
	extra=()		# FROM TO ... more files
	packages=''		# what the guest's programs come from, where it is not this machine
	shift=0			# an instruction takes 2^shift ns
	dev=eth0 peer=eth1	# in the guest
	tests=''		# guest/NAME.sh
	vars=()			# KEY=VALUE: vm_KEY in the guest, what its tests ask for
	limit_s=300		# of this machine's time
	double=''		# not empty: with the NIC double, module/, as t/nicdouble.ko
	needs=''		# programs that must be here
	bed_skip=''		# set by a bed that cannot run: the reason
}

vm_x86() {
	local model
	qemu=(qemu-system-x86_64 -nodefaults -no-user-config -M q35 -m 512 -smp 1 -cpu 'max,-rdrand,-rdseed')
	for model in "$@"; do
		qemu+=(-netdev hubport,id=n0,hubid=0 -device "$model,netdev=n0,mac=52:54:00:12:34:56")
	done
	qemu+=(-netdev hubport,id=n1,hubid=0 -device virtio-net-pci,netdev=n1,mac=52:54:00:12:34:57)
	needs=qemu-system-x86_64
}

vm_boot() {	# BED LOG
	timeout "$limit_s" "${qemu[@]}" -display none -monitor none -serial stdio -no-reboot -accel tcg \
		-icount "shift=$shift,sleep=off" -rtc 'base=2025-01-01,clock=vm' -seed 1 -kernel "$vm_kernel_image" \
		-initrd "$vm_out/$1.cpio" -append "console=$console quiet panic=-1 nokaslr $append" </dev/null \
		> >(tr -d '\r' >"$2") 2>&1 &
	vm_wait $! "$2"
}

# Not every machine can switch itself off.
vm_wait() {	# PID LOG
	while kill -0 "$1" 2>/dev/null; do
		! grep -q '^@@done' "$2" || { sleep 1; kill "$1" 2>/dev/null; }
		sleep 0.5
	done
	wait "$1"
}

# What the guest is told, as assignments; of a mode its weights, too.
vm_words() {
	local v
	for v in "mods=$modules" "tests=$tests" "dev=$dev" "peer=$peer" "seed=${SEED:-$RANDOM}" "${vars[@]}"; do
		printf "vm_%s='%s'\n" "${v%%=*}" "${v#*=}"
		[ "${v%%=*}" != mode ] ||
			printf "vm_weights='%s'\n" "$(mode_weights "${v#*=}" "$vm_dir/../../src/core/modes.def")"
	done
}

vm_verdict() {	# LOG STATUS
	local failed
	failed=$(grep -c '^@@fail ' "$1")
	if ! grep -q '^@@done' "$1"; then
		if [ "$2" = 124 ]; then
			echo "not done after $limit_s s"
		else
			echo "the machine ended early"
		fi
		return 1
	fi
	[ "$failed" = 0 ] || { echo "$failed failed"; return 1; }
	if ! grep -q '^@@ok ' "$1"; then
		echo "nothing was tested"
		grep -q '^@@skip ' "$1" && return 77
		return 1
	fi
	echo "$(grep -c '^@@ok ' "$1") checks"
}

# Sources the bed and makes its root; several machines share packages, so one after the other.
vm_prepare() {	# BED
	local sysroot=/ p
	exec 9>"$vm_cache/lock" && flock 9 || return
	# shellcheck source=/dev/null
	. "$vm_dir/beds/$1.bed"
	for p in $needs; do
		command -v "$p" >/dev/null || bed_skip="no $p here"
	done
	[ -z "$bed_skip" ] || { echo "$bed_skip" >"$vm_out/$1.why"; return 77; }
	if [ "$arch" != "$(dpkg --print-architecture)" ]; then
		sysroot=$vm_cache/sysroot-$arch
		# shellcheck disable=SC2086
		vm_sysroot "$arch" "$sysroot" $packages || { echo "no packages for $arch" >"$vm_out/$1.why"; return 1; }
	fi
	vm_words >"$vm_out/$1.words"
	extra+=("$vm_out/$1.words" t/words)
	{ vm_kernel "$arch" "$kernel" && { [ -z "$double" ] || vm_double; } &&
		vm_initramfs "$vm_out/$1.cpio" "$arch" "${sysroot%/}" \
		"$programs $(vm_our_programs "$arch")" "$modules" "$vm_dir/guest"; } >"$vm_out/$1.log" 2>&1 ||
		{ echo "no root: $(tail -n 1 "$vm_out/$1.log")" >"$vm_out/$1.why"; return 1; }
	exec 9>&-
}

vm_start() {
	local bed=$1 log=$vm_out/$1.log why status try
	vm_reset
	vm_prepare "$bed" || return
	for try in 1 2; do
		vm_boot "$bed" "$log"
		status=$?
		! grep -q '^@@boot' "$log" || break
		cp "$log" "$vm_out/$bed.try$try.log"
	done
	why=$(vm_verdict "$log" $status)
	status=$?
	echo "$why" >"$vm_out/$bed.why"
	return $status
}
