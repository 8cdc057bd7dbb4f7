# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2086
# Sourced in the guest: a hundred random changes of knobs by ethtune apply, with restores, runs of the daemon and link
# down and up in between. What a change does not name stays; nothing is refused; in the end all is as it was found.
# The bed says in vars: knobs, a list of KNOB=VALUE that the driver takes as they are; resets=yes where the driver
# forgets settings when it is opened or its rings change; steps (100). seed comes from SEED.

: "${vm_steps:=100}" "${vm_resets:=no}"
state=$vm_seed
echo "# SEED=$vm_seed"

random() {	# N: sets $drawn to 0..N-1
	state=$(((state * 1103515245 + 12345) & 0x7fffffff))
	drawn=$(((state >> 8) % $1))
}

pick() {	# WORD...
	random $#
	shift $drawn
	picked=$1
}

# All knobs but those of the list.
others() {	# LIST
	settings | awk -v skip=" $1 " 'index(skip, " " $1 " ") == 0'
}

apply() {
	pick $vm_knobs
	knob=${picked%%=*}
	skip=$knob
	[ "$vm_resets" = no ] || case $knob in
	*-ring) skip="rx-usecs rx-frames tx-usecs tx-frames $knob" ;;
	esac
	others "$skip" >/tmp/others
	if ! ethtune apply --set "$picked" "$vm_dev" >/tmp/apply 2>&1; then
		problems="$problems; $picked: $(tail -n 1 /tmp/apply)"
	fi
	others "$skip" >/tmp/others.after
	cmp -s /tmp/others /tmp/others.after ||
		problems="$problems; $picked moved $(diff /tmp/others /tmp/others.after | tr '\n' ' ')"
}

back() {
	ethtune restore "$vm_dev" >/tmp/restore 2>&1 || problems="$problems; restore: $(tail -n 1 /tmp/restore)"
	[ "$(settings)" = "$before" ] || problems="$problems; not restored: $(settings | tr '\n' ' ')"
}

daemon_run() {
	daemon_start --mode throughput || problems="$problems; daemon: $(tail -n 1 /tmp/ethtuned.log)"
	daemon_stop || problems="$problems; daemon ended with $?: $(tail -n 1 /tmp/ethtuned.log)"
	! grep -i 'invalid argument' /tmp/ethtuned.log >/tmp/einval || problems="$problems; $(head -n 1 /tmp/einval)"
}

guest_pair || fail pair "the two devices could not be joined"
before=$(settings)
problems=''
dmesg -c >/dev/null
step=0
while [ $step -lt "$vm_steps" ]; do
	step=$((step + 1))
	random 20
	case $drawn in
	0 | 1) back ;;
	2)
		back
		daemon_run
		;;
	3)
		back
		ip link set "$vm_dev" down && ip link set "$vm_dev" up
		;;
	*) apply ;;
	esac
done
back
check "$vm_steps random changes leave no trace, seed $vm_seed" [ -z "$problems" ]
[ -z "$problems" ] || echo "$problems" | tr ';' '\n' | head -n 12 | sed 's/^/# /'
dmesg | grep -iE 'warn|bug|invalid|error' | head -n 5 | sed 's/^/# kernel: /'
