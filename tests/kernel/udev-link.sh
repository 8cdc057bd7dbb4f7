#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What "ethtune recommend" prints for others to read: its ethtool commands, run as they stand, make the settings that
# "ethtune show" then prints; its .link file passes udev's own parser. Relies on tests/lib/daemon.sh, udevadm for
# the second part, and on "ip netns exec" giving each command mounts of its own.
# shellcheck disable=SC2317 # functions are called by check

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

link_dir=/etc/systemd/network
ask=(--mode powersave --max-latency 500us --duration 2s)

recommend() {	# DEV FORMAT
	inside "$ETHTUNE" recommend "$1" "${ask[@]}" --format "$2" 2>"$tmp/err"
}

# The advice must be there, and must not have been followed yet.
ask_for() {	# DEV FORMAT FILE
	local rc=0
	recommend "$1" "$2" >"$3" || rc=$?
	check "recommend --format $2: a change is advised" [ "$rc" = 10 ] || cat "$3" "$tmp/err" >&2
	check "... says nothing else" [ ! -s "$tmp/err" ]
	check "... changes nothing" is_at "$1" "$originals"
}

# "show --json" of a knob, "null" included.
shown() {	# DEV KEY
	inside "$ETHTUNE" show "$1" --json | tr -d ' \n' | sed -n 's/.*"knobs":{\([^}]*\)}.*/\1/p' | tr , '\n' |
		sed -n "s/^\"$2\"://p"
}

# The value that a script of the advice writes to a sysfs file.
advised() {	# SCRIPT FILE
	sed -n "s/^echo \([0-9]*\) > .*\/$2\$/\1/p" "$1"
}

run_as_it_stands() {	# DEV
	local script=$tmp/advice.sh timeout defer
	ask_for "$1" ethtool "$script"
	comment "$(cat "$script")"
	timeout=$(advised "$script" gro_flush_timeout) defer=$(advised "$script" napi_defer_hard_irqs)
	check "it is about deferral" [ "${timeout:-0}" -gt 0 ]
	check "sh runs it" inside sh -eu "$script"
	check "show: gro-flush-timeout as advised" same "$timeout" "$(shown "$1" gro_flush_timeout_ns)"
	check "show: napi-defer-hard-irqs as advised" same "${defer:-3}" "$(shown "$1" napi_defer_hard_irqs)"
	check "the device has them" is_at "$1" "sysfs $timeout ${defer:-3}"$'\n'"napi ${defer:-3} $timeout"
	inside sh -c "cd '/sys/class/net/$1' && echo 0 >gro_flush_timeout && echo 3 >napi_defer_hard_irqs"
}

# udev's verdict on a file: that it chose it, and nothing that it ignored in it.
udev_takes() {	# DEV FILE
	local out
	out=$(inside sh -c "mount -t tmpfs none $link_dir && cp '$2' $link_dir/50-$1.link &&
		SYSTEMD_LOG_LEVEL=debug udevadm test-builtin net_setup_link /sys/class/net/$1" 2>&1)
	if ! grep -q "$1: Config file $link_dir/50-$1.link is applied" <<<"$out" ||
		grep "50-$1.link:[0-9]*:" <<<"$out"; then
		echo "$out"
		return 1
	fi
}

udev_refuses() {
	! udev_takes "$@" >/dev/null
}

# Each key that the format knows, since no device here gets advice about all of them.
all_keys() {
	printf '[Match]\nOriginalName=%s\n[Link]\n' "$rx1"
	sed -n 's/^\t{ KNOB_[A-Z_]*, "\([A-Za-z]*\)", "[a-z-]*" },$/\1/p' "$here/../../src/cli/format-files.c" |
		sed 's/^Use.*/&=yes/; s/.*Sec$/&=50us/; /=/!s/$/=64/'
}

test_link() {
	if ! command -v udevadm >/dev/null || ! [ -d $link_dir ]; then
		echo "# no udevadm, or no $link_dir: .link files are left out"
		return
	fi
	ask_for "$rx1" link "$tmp/advice.link"
	comment "$(cat "$tmp/advice.link")"
	check "udev takes the .link file" udev_takes "$rx1" "$tmp/advice.link"
	all_keys >"$tmp/all.link"
	check "eight keys are known" [ "$(grep -c '=[0-9y]' "$tmp/all.link")" = 8 ]
	check "udev takes each of them" udev_takes "$rx1" "$tmp/all.link"
	{ cat "$tmp/advice.link" && echo "RxCoalesceTime=50us"; } >"$tmp/wrong.link"
	check "it would have minded a wrong one" udev_refuses "$rx1" "$tmp/wrong.link"
}

[ -x "${ETHTUNE:=./ethtune}" ] || skip "no $ETHTUNE"
lab_begin link
inside sh -c "echo 3 >/sys/class/net/$rx1/napi_defer_hard_irqs"
originals=$(values "$rx1")
load_start 1 udp:50000-rr:120
run_as_it_stands "$rx1"
# The kernel allows nearly everything in a name.
odd="a;b\$HOME"
inside ip link set "$rx1" name "$odd" || fatal "cannot rename"
run_as_it_stands "$odd"
inside ip link set "$odd" name "$rx1"
test_link
lab_end
