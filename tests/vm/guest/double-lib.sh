# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash disable=SC2154
# Sourced by the tests of the NIC double, after lib.sh, some of whose functions it replaces. dbl0 (and dbl1) are in the
# namespace dut, gen0 (and gen1) in gen.
#   double_begin [PARAMETER...]  loads the module and sets both sides up; double_end takes all down
#   manners WORD...              defaults, then these; the log of requests is empty afterwards
#   value KNOB [DEV]             what the device has now
#   settings                     everything that can be read of all devices, for comparisons
#   sent                         requests since then: queue rx-usecs rx-frames tx-usecs tx-frames arx atx result
#   daemon_start LINES, daemon_stop   ethtuned with this configuration; $log is what it says
#   with_daemon KNOB=VALUE [KNOB VALUE]   all of a daemon's life that pins the one while an operator sets the other
#   judge NAME COMMAND...        runs and judges; in this shell, so that it may set variables
# What ethtuned is known to do wrong is in $known, a name a line: skipped, with why, until it is right; then it fails.

known='clock: all else is back: a step that another request of ethtool -C takes counts as set by someone else
icssg: the daemon never writes 1..19, also when told to: what a policy pins is written as it stands
am65: the daemon never writes 1..19, also when told to: the same'

dir=/sys/kernel/debug/nicdouble log=/tmp/log daemon='' failures=0 checks=0 devices=dbl0

judge() {
	_name=$1 _rc=0
	shift
	checks=$((checks + 1))
	"$@" >/tmp/why 2>&1 || _rc=$?
	_known=$(echo "$known" | grep "^$_name: ")
	if [ -n "$_known" ] && [ $_rc != 0 ]; then
		skip "$_name" "known: ${_known#"$_name: "}: $(tr '\n' ' ' </tmp/why)"
	elif [ -n "$_known" ]; then
		fail "$_name" "it is right now: take it off the list of what is known"
	elif [ $_rc = 0 ]; then
		ok "$_name"
	else
		failures=$((failures + 1))
		fail "$_name" "$(tr '\n' ' ' </tmp/why)"
		[ -z "$daemon" ] || tail -n 12 "$log" | sed 's/^/# /'
	fi
}

dut() {
	ip netns exec dut "$@"
}

same() { # WANT HAVE
	[ "$1" = "$2" ] || { echo "want '$1', have '$2'"; return 1; }
}

double_begin() {
	insmod /t/nicdouble.ko "$@" || exit 1
	devices=$(cd /sys/class/net && echo dbl*)
	ip netns add gen && ip netns add dut || exit 1
	for d in $devices; do
		n=${d#dbl}
		ip link set "gen$n" netns gen
		ip link set "$d" netns dut
		ip -n gen addr add "192.0.2.$((1 + 64 * n))/26" dev "gen$n"
		ip -n dut addr add "192.0.2.$((2 + 64 * n))/26" dev "$d"
		ip -n gen link set "gen$n" up
		ip -n dut link set "$d" up
	done
}

double_end() {
	for d in $devices; do
		dut ip link set "$d" down
	done
	ip netns del gen
	ip netns del dut
	sleep 1
	judge "the module goes" rmmod nicdouble
	judge "the kernel has nothing to say" no_oops
	echo "# $failures of $checks failed"
}

no_oops() {
	! dmesg | grep -E 'BUG|WARNING|Oops|Call Trace|stall'
}

manners() {
	for d in $devices; do
		echo "reset $*" >"$dir/${d#dbl}/manners" || exit 1
		dut ip link set "$d" down
		dut ip link set "$d" up
		dut ethtool -G "$d" rx 512 tx 512 >/dev/null 2>&1
		dut sh -c "echo 0 >/sys/class/net/$d/gro_flush_timeout; echo 0 >/sys/class/net/$d/napi_defer_hard_irqs"
		echo >"$dir/${d#dbl}/log"
	done
}

sent() {
	cat "$dir/${1:-0}/log"
}

value() { # KNOB [DEV]
	_d=${2:-dbl0}
	case $1 in
	adaptive-rx) dut ethtool -c "$_d" 2>/dev/null | sed -n 's/^Adaptive RX: \([a-z]*\).*/\1/p' ;;
	adaptive-tx) dut ethtool -c "$_d" 2>/dev/null | sed -n 's/^Adaptive RX.*TX: \([a-z]*\).*/\1/p' ;;
	rx-ring) dut ethtool -g "$_d" 2>/dev/null | sed -n '/^Current/,$s/^RX:[^0-9]*//p' ;;
	tx-ring) dut ethtool -g "$_d" 2>/dev/null | sed -n '/^Current/,$s/^TX:[^0-9]*//p' ;;
	gro-flush-timeout) dut cat "/sys/class/net/$_d/gro_flush_timeout" ;;
	napi-defer-hard-irqs) dut cat "/sys/class/net/$_d/napi_defer_hard_irqs" ;;
	*) dut ethtool -c "$_d" 2>/dev/null | sed -n "s/^$1:[^0-9]*//p" ;;
	esac
}

queue_value() { # QUEUE KNOB
	dut ethtool -Q dbl0 queue_mask "$(printf '0x%x' $((1 << $1)))" --show-coalesce | sed -n "s/^$2:[^0-9]*//p"
}

settings() {
	for d in $devices; do
		{
			dut ethtool -c "$d" 2>/dev/null | grep -E '^Adaptive|^.x-(usecs|frames):.*[0-9]'
			dut ethtool -g "$d" 2>/dev/null | sed -n '/^Current/,$s/^\([RT]X:\)/ring \1/p'
			dut cat "/sys/class/net/$d/gro_flush_timeout" "/sys/class/net/$d/napi_defer_hard_irqs"
		} | sed "s/^/$d /"
		dut ethtool -Q "$d" queue_mask 0x3 --show-coalesce 2>/dev/null | grep -E 'Queue|usecs:|frames:' |
			sed "s/^/$d /"
	done
	return 0
}

daemon_start() {
	printf '%b' "$1" >/tmp/ethtuned.conf
	mkdir -p /run/ethtuned
	: >"$log"
	# by its path: $! of lib.sh's function would be a shell, not the daemon
	RUNTIME_DIRECTORY=/run/ethtuned STATE_DIRECTORY=/tmp /usr/bin/ip netns exec dut ethtuned \
		--config /tmp/ethtuned.conf >"$log" 2>&1 &
	daemon=$!
	says 'under control|observed only|left alone|untunable' 5
}

says() { # REGEX SECONDS
	_n=$(($2 * 5))
	while ! grep -qE "$1" "$log"; do
		[ $_n != 0 ] || { echo "not said: $1"; return 1; }
		_n=$((_n - 1))
		usleep 200000
	done
}

daemon_stop() {
	_status=0
	kill -TERM "$daemon" && wait "$daemon" || _status=$?
	daemon=
	return $_status
}

# EINVAL, ERANGE and EOPNOTSUPP are answers to the value, which must not be sent again as it is. All else is passing
# trouble, and given up after three failed writes in a row (ethtuned(8)).
no_repeats() {
	_again=$(sent | awk '$8 < 0 { n[$0]++ }
		END { for (r in n) if (n[r] > (r ~ / -(22|34|95)$/ ? 1 : 3)) print n[r] " times:", r }')
	[ -z "$_again" ] || { echo "sent again: $_again"; return 1; }
}

eventually() { # SECONDS COMMAND...
	_left=$(($1 * 5))
	shift
	until _said=$("$@"); do
		[ $_left != 0 ] || { echo "$_said"; return 1; }
		_left=$((_left - 1))
		usleep 200000
	done
}

value_is() { # KNOB VALUE [DEV]
	same "$2" "$(value "$1" "$3")"
}

# What cannot be put back at the end is tried again by ExecStopPost=.
ended() {
	daemon_stop || RUNTIME_DIRECTORY=/run/ethtuned ip netns exec dut ethtuned --restore
}

honoured() { # KNOB VALUE
	dut ethtool -C dbl0 "$1" "$2" || return
	says "$1 changed by someone else" 3 || return
	sleep 3
	same "$2" "$(value "$1")"
}

with_daemon() { # KNOB=VALUE OPERATOR'S
	echo >"$dir/0/log"
	judge "$name: the daemon begins" daemon_start "[policy]\nmechanism = hardware\n[limits]\n${1%%=*} = ${1#*=}\n"
	sleep 3
	if [ -n "$2" ]; then
		# shellcheck disable=SC2086 # knob and value
		judge "$name: an operator is seen and honoured" honoured $2
		originals=$(echo "$originals" | grep -v " ${2% *}")
	fi
	judge "$name: nothing refused is sent again" no_repeats
	judge "$name: the daemon ends, or what systemd runs after it does" ended
	_now=$(settings)
	[ -z "$2" ] || _now=$(echo "$_now" | grep -v " ${2% *}")
	judge "$name: all else is back" same "$originals" "$_now"
}
