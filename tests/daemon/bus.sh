#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The control API of a real ethtuned: on a bus daemon of the test's own with the policy that is installed, and on the
# private socket without any bus; every method and every property, signals, who may what as other users, a rude client,
# and every command of ethtune that talks to it. Relies on tests/lib/daemon.sh, dbus-daemon, busctl.
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100		# ended by load_stop
name=org.ethtuned.Ethtuned1
root=/org/ethtuned/Ethtuned1
manager=$name.Manager nic=$name.Interface
other=65534			# the uid of somebody else
bus_pid='' monitor=''

ethtune() {
	RUNTIME_DIRECTORY=$tmp/run inside "$ETHTUNE" "$@"
}

# Fails with this exit code and this one line.
refused() {	# CODE PATTERN COMMAND...
	local want=$1 pattern=$2 rc=0
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	cat "$tmp/out" "$tmp/err"
	[ "$rc" = "$want" ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -qE "$pattern" "$tmp/err"
}

prints() {	# PATTERN COMMAND...
	local pattern=$1 out
	shift
	out=$("$@" 2>&1) || { echo "$out"; return 1; }
	grep -qE -- "$pattern" <<<"$out" || { echo "$out"; return 1; }
}

denied() {
	! prints . "$@" && "$@" 2>&1 | grep -qi 'access.denied\|needs root'
}

as() {	# UID COMMAND...
	local uid=$1
	shift
	setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}

# --- a bus of its own, with the usual rules and ours

bus_config() {
	cat <<-END
	<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
	 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
	<busconfig>
	  <type>system</type>
	  <listen>unix:path=$tmp/bus</listen>
	  <auth>EXTERNAL</auth>
	  <policy context="default">
	    <allow user="*"/>
	    <deny own="*"/>
	    <deny send_type="method_call"/>
	    <allow send_type="signal"/>
	    <allow send_requested_reply="true" send_type="method_return"/>
	    <allow send_requested_reply="true" send_type="error"/>
	    <allow receive_type="method_call"/>
	    <allow receive_type="method_return"/>
	    <allow receive_type="error"/>
	    <allow receive_type="signal"/>
	    <allow send_destination="org.freedesktop.DBus"/>
	  </policy>
	  <policy user="root">
	    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Monitoring"/>
	  </policy>
	  <include>${srcdir:-.}/conf/dbus/$name.conf</include>
	</busconfig>
	END
}

bus_start() {
	bus_config >"$tmp/bus.conf"
	dbus-daemon --config-file="$tmp/bus.conf" --nofork --nopidfile >"$tmp/bus.log" 2>&1 &
	bus_pid=$!
	within 5 test -S "$tmp/bus" || fatal "the bus does not begin: $(cat "$tmp/bus.log")"
}

bus_stop() {
	[ -z "$bus_pid" ] || { kill "$bus_pid" && wait "$bus_pid"; } 2>/dev/null
	bus_pid=
	rm -f "$tmp/bus"
}

ctl() {
	busctl --address="unix:path=$tmp/bus" "$@"
}

call() {	# METHOD [SIGNATURE ARGUMENT...]
	ctl call "$name" "$root" "$manager" "$@"
}

property() {
	ctl get-property "$name" "$path" "$nic" "$1"
}

# --- parts

begin() {
	daemon_in=(env "DBUS_SYSTEM_BUS_ADDRESS=unix:path=$tmp/bus")
	daemon_start --mode powersave --max-latency 500us
}

test_bus() {
	bus_start
	begin
	# polkit answers others than root about somebody else only where the action says that it is theirs
	check "polkit answers the user of the unit" \
		grep -q '"org.freedesktop.policykit.owner">unix-user:ethtuned<' "${srcdir:-.}/conf/polkit/$name.policy"
	check "on the bus, by the policy that is installed" log_wait "on the system bus as $name" 5
	path=$(call GetInterface s "$rx1" | sed 's/^o "\(.*\)"$/\1/')
	check "an object for the interface" prints "$path" ctl tree "$name"
	for method in Explain GetInterface Pause Reload Restore Resume SetMode; do
		check "introspection: $method" prints "^\.$method +method" ctl introspect "$name" "$root" "$manager"
	done
	for word in Name State Control Mode Policy Knobs Originals Foreign Rates Reason Decision Bottleneck \
		Diagnosis; do
		check "property $word" property "$word"
	done
	check "the name" prints "\"$rx1\"" property Name
	check "ownership is not for everybody" refused 1 . as $other busctl --address="unix:path=$tmp/bus" \
		call org.freedesktop.DBus / org.freedesktop.DBus RequestName su $name.Mine 0
}

test_signals() {
	ctl monitor "$name" >"$tmp/monitor" 2>&1 &
	monitor=$!
	sleep 0.5
	load_start 1 "$busy"
	check "tells what it changed" within 15 grep -q 'Member=Changed' "$tmp/monitor"
	check "... and the properties" within 5 grep -q 'Member=PropertiesChanged' "$tmp/monitor"
	check "... with the setting" within 5 grep -q 'gro_flush_timeout_ns' "$tmp/monitor"
	load_stop
	inside ip link add late$$ type veth peer name later$$
	check "tells of new interfaces" within 5 grep -q 'Member=InterfacesAdded' "$tmp/monitor"
	inside ip link del late$$
	check "... and of those that left" within 5 grep -q 'Member=InterfacesRemoved' "$tmp/monitor"
	kill "$monitor" && wait "$monitor" 2>/dev/null
}

test_methods() {
	check "pause" call Pause st "$rx1" 60000000
	check "... holds" prints '"paused"' property Control
	check "... with an end" differ "t 0" "$(property ControlUntilUsec)"
	check "resume" call Resume s "$rx1"
	check "... holds" prints '"auto"' property Control
	check "mode" call SetMode ss "$rx1" latency
	check "... holds" prints '"latency"' property Mode
	check "the policy's mode" call SetMode ss "$rx1" ''
	check "... holds" prints '"powersave"' property Mode
	check "explain" prints 'hardware timers' call Explain su "$rx1" 3
	check "restore" call Restore s "$rx1"
	check "... holds" prints '"restored"' property Control
	check "resume, on its own object" ctl call "$name" "$path" "$nic" Resume
	check "reload" call Reload
	log_mark
	printf '[policy\n' >"$tmp/ethtuned.conf"
	check "reload of nonsense is refused" refused 1 'has errors' call Reload
	: >"$tmp/ethtuned.conf"
	check "an unknown interface" refused 1 'no such interface' call Pause st nobody 0
	check "a mode that is none" refused 1 'not a mode' call SetMode ss "$rx1" fastest
}

ambient=(--inh-caps +net_admin --ambient-caps +net_admin)

test_access() {
	log_mark
	chmod 755 "$tmp" "$tmp/run"
	check "others may read" prints '"ra' as $other busctl --address="unix:path=$tmp/bus" \
		get-property "$name" "$path" "$nic" Name
	check "... and ask why" as $other busctl --address="unix:path=$tmp/bus" call "$name" "$root" "$manager" \
		Explain su "$rx1" 1
	check "... but not change" denied as $other busctl --address="unix:path=$tmp/bus" call "$name" "$root" \
		"$manager" Pause st "$rx1" 0
	check "... which is a line in the log" log_wait "refused Pause to uid $other" 2
	check "... and changes nothing" prints '"auto"' property Control
	check "CAP_NET_ADMIN may" as $other "${ambient[@]}" busctl --address="unix:path=$tmp/bus" call "$name" "$root" \
		"$manager" SetMode ss "$rx1" balanced
	check "the socket: others may read" prints "$rx1" as $other env RUNTIME_DIRECTORY="$tmp/run" "$ETHTUNE" status
	check "... but not change" refused 1 'needs root or CAP_NET_ADMIN' \
		as $other env RUNTIME_DIRECTORY="$tmp/run" "$ETHTUNE" pause "$rx1"
	check "CAP_NET_ADMIN may" as $other "${ambient[@]}" \
		env RUNTIME_DIRECTORY="$tmp/run" "$ETHTUNE" mode "$rx1" policy
	if as $other unshare --user --map-root-user true 2>/dev/null; then
		check "root of a user namespace of its own may not" refused 1 'needs root' as $other unshare --user \
			--map-root-user env RUNTIME_DIRECTORY="$tmp/run" "$ETHTUNE" pause "$rx1"
		check "... nor on the bus" denied as $other unshare --user --keep-caps \
			busctl --address="unix:path=$tmp/bus" call "$name" "$root" "$manager" Pause st "$rx1" 0
	fi
	check "nothing was paused" prints '"auto"' property Control
}

# The bus goes, comes back; the daemon does not mind and is there again.
test_gone() {
	log_mark
	bus_stop
	check "the bus leaves: the socket still works" prints "$rx1" ethtune status
	bus_start
	check "the bus is back: so is the name" log_wait "on the system bus as $name" 15
	check "TERM: ends with 0" daemon_stop
	bus_stop
}

test_socket() {
	daemon_in=(env "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent/bus")
	daemon_start --mode powersave --max-latency 500us
	within 5 test -S "$tmp/run/control"
	check "no bus at all: not a word" log_never 'system bus'
	check "busctl on the socket" prints '^\.Pause' busctl --address="unix:path=$tmp/run/control" introspect \
		"$name" "$root" "$manager"
	load_start 1 "$busy"
	check "tunes $rx1" within 15 prints '"reason": "[a-z]' ethtune status --json "$rx1"
	check "status" prints "^$rx1 +active +powersave" ethtune status
	check "status of one" prints "settings +gro-flush-timeout" ethtune status "$rx1"
	check "status in JSON: numbers" prints '"gro_flush_timeout_ns": [0-9]+' ethtune status --json "$rx1"
	check "... null for what is not there" prints '"rx_usecs": null' ethtune status --json "$rx1"
	check "explain: numbers" prints 'packets/s' ethtune explain "$rx1"
	check "... and why not" prints 'hardware timers: the driver offers none' ethtune explain "$rx1"
	check "explain in JSON" prints '"packets_per_second": [0-9]' ethtune explain --json --last 2 "$rx1"
	check "watch into a pipe: a table an interval" same 2 \
		"$(ethtune watch --count 2 --interval 200ms | grep -c '^NAME')"
	check "... without escapes" same 0 "$(ethtune watch --count 1 | grep -c $'\033')"
	originals='sysfs 0 0'
	check "restore" prints 'original settings are back' ethtune restore "$rx1"
	check "... at once" prints "^$originals" values "$rx1"
	sleep 3
	check "... and stays" prints "^$originals" values "$rx1"
	check "status says so" prints "^$rx1 +restored" ethtune status
	check "resume" ethtune resume "$rx1"
	check "... tunes again" within 15 is_not_at "$rx1" "$originals"
	check "pause for a time" ethtune pause "$rx1" --for 2s
	check "status says so" prints "^$rx1 +paused" ethtune status
	check "... over by itself" log_wait "$rx1: resumed: the pause is over" 5
	check "mode" ethtune mode "$rx1" latency
	check "the policy's" ethtune mode "$rx1" policy
	check "reload" ethtune reload
	check "no such interface" refused 1 'no such interface' ethtune pause nobody
	check "no such mode" refused 2 'not a mode' ethtune mode "$rx1" fastest
	check "no time" refused 2 'not a time' ethtune pause "$rx1" --for ever
	load_stop
}

# Calls as fast as a client can make them, well over a thousand a second: the ticks go on in time.
test_rude() {
	local flood=${builddir:-.}/tests/lib/busflood before after rate until
	sleep 3 # quiet: from now on each tick says the same
	before=$(ticks)
	rate=$("$flood" "$tmp/run/control" 5)
	after=$(ticks)
	comment "$rate calls/s, $((after - before)) ticks in 5 s"
	check "more than a thousand calls a second" test "$rate" -gt 1000
	check "ticks went on in time" test "$((after - before))" -ge 40
	check "others are served" prints "^$rx1" ethtune status
	# each of these asks for a tick soon
	before=$(ticks)
	for ((until = SECONDS + 5; SECONDS < until;)); do
		ethtune mode "$rx1" policy
	done
	after=$(ticks)
	comment "$((after - before)) ticks in 5 s of requests without a pause"
	check "what is granted, over and over, does not put off ticks" test "$((after - before))" -ge 20
}

test_end() {
	check "TERM: ends with 0" daemon_stop
	check "the socket is gone" test ! -e "$tmp/run/control"
	for command in "status" "watch" "explain $rx1" "pause $rx1" "resume $rx1" "mode $rx1 latency" reload; do
		# shellcheck disable=SC2086 # words on purpose
		check "no daemon: $command is one line and 1" refused 1 'ethtuned is not running' ethtune $command
	done
	check "restore works without" prints 'nothing to restore' ethtune restore
}

ticks() {
	ethtune explain --json "$rx1" | sed -n 's/^ *"times": \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}

lab_need dbus-daemon busctl setpriv unshare
lab_begin bus
trap 'bus_stop; [ -z "$monitor" ] || kill "$monitor" 2>/dev/null; _lab_clean; netns_down "$lab"' EXIT
for part in ${PARTS:-bus signals methods access rude gone socket end}; do
	echo "# $part"
	"test_$part"
done
lab_end
