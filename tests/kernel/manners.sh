#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the daemon behaves when the world does not: no rights, a second daemon, signals, an operator who writes the
# same knobs, interfaces that are renamed, go down, vanish or leave while traffic runs. Each time: one clear line,
# and the others are tuned as before. Relies on tests/lib/daemon.sh.
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100		# ended by load_stop
tuned=20			# seconds in which the settings must have followed the load
mode=(--mode powersave --max-latency 500us)	# worth a change also where the machine has other work

# --- rights -----------------------------------------------------------------------------------

nobody_without_directory() {
	daemon_in=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	mkdir -p "$tmp/run"
	log_mark
	daemon_spawn "${mode[@]}"
	check "nobody without a runtime directory: ends with 1" status_is 1 daemon_wait
	check "... and one line that says why" log_once "$tmp/run.*ermission denied"
	check "... and no other" log_once .
	daemon_in=()
}

# The first attempt to write is told once, the tap's reason stands as ever, and the daemon goes on.
refused() {	# WHO
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "$1: says so" log_wait "$rx1: left alone: .*not permitted" "$tuned"
	sleep 1.2
	check "... in one line" log_once "$rx1: .*(not permitted|cannot)"
	check "... and goes on" daemon_runs
	check "... without having written" is_at "$rx1" "$originals1"
	load_stop
	load_start 2 "$busy"
	check "... the same for another interface" log_wait "$rx2: left alone: .*not permitted" "$tuned"
	load_stop
	check "... and ends with 0" daemon_stop
	check "... and leaves nothing" [ -z "$(saved_files)" ]
}

status_is() {	# STATUS COMMAND...
	local want=$1 rc=0
	shift
	"$@" || rc=$?
	[ "$rc" = "$want" ] || { echo "status $rc"; false; }
}

test_rights() {
	nobody_without_directory
	chmod 755 "$tmp"
	chown 65534 "$tmp/run"
	daemon_in=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	refused "nobody"
	rm -rf "$tmp/run"
	daemon_in=(setpriv --bounding-set=-net_admin --inh-caps=-net_admin)
	refused "root without CAP_NET_ADMIN"
	daemon_in=()
}

# --- signals, a second daemon -----------------------------------------------------------------

second_daemon() {
	RUNTIME_DIRECTORY=$tmp/run inside "$daemon" "${mode[@]}" >"$tmp/second" 2>&1
}

holds_signals() {
	[ "$(awk '/^SigBlk:/ { print $2 }' "/proc/$daemon_pid/status")" != 0000000000000000 ]
}

# What a killed one left is put back also by one that is told to stop before it has begun.
stopped_at_once() {
	daemon_spawn "${mode[@]}"
	within 5 holds_signals || return
	daemon_stop
}

test_signals() {
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals1"
	check "a second daemon ends with 1" status_is 1 second_daemon
	check "... and says why, in one line" grep -q 'another ethtuned is running' "$tmp/second"
	check "... only" [ "$(wc -l <"$tmp/second")" = 1 ]
	check "... and put nothing back" is_not_at "$rx1" "$originals1"
	log_mark
	kill -HUP "$daemon_pid"
	check "HUP: lists interfaces anew" log_wait 'anew' 2
	log_mark
	kill -USR1 "$daemon_pid"
	check "USR1: the full state" log_wait "$tap: untunable; rx-frames 0" 2
	check "... of each interface" log_wait "$rx1: active; gro-flush-timeout [1-9]" 2
	check "the daemon has survived them" daemon_runs
	daemon_kill
	check "killed, begun again and stopped at once: ends with 0" stopped_at_once
	check "... with the originals" is_at "$rx1" "$originals1"
	daemon_start "${mode[@]}"
	check "tunes $rx1 again" within "$tuned" is_not_at "$rx1" "$originals1"
	kill -INT "$daemon_pid"
	check "INT: ends with 0" daemon_wait
	check "... with the originals" is_at "$rx1" "$originals1"
	load_stop
}

# --- somebody else ----------------------------------------------------------------------------

test_operator() {
	local theirs
	daemon_start "${mode[@]}"
	load_start 2 "$busy"
	check "tunes $rx2" within "$tuned" is_not_at "$rx2" "$originals2"
	sleep 2		# a decision may have been on its way
	log_mark
	inside sh -c "echo 33000 >/sys/class/net/$rx2/gro_flush_timeout"
	theirs=$'sysfs 33000 3\nnapi 3 33000'
	check "notices a write to sysfs, at once" log_wait "$rx2: gro-flush-timeout changed by someone else" 0.5
	check "... and says that it was one" log_once "$rx2: .*[(]by a write to sysfs[)]"
	sleep 2.5
	check "... once" log_once "$rx2: .*someone else changed|$rx2: .*changed by someone else"
	check "... and takes its own half back" is_at "$rx2" "$theirs"
	check "... and keeps off" log_never "$rx2: gro-flush-timeout [0-9]+ ->"
	inside ethtool -C "$tap" rx-frames 17 2>/dev/null
	check "notices ethtool -C" log_wait "$tap: rx-frames changed by someone else [(]with ethtool[)]" 0.5
	sleep 1.2
	check "... once" log_once "$tap: .*someone else"
	load_stop
	load_start 1 "$busy"
	check "still tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals1"
	sleep 2
	if inside "$napictl" "$rx1" set 0 3 34000; then
		check "notices napi-set, which nobody is told of" \
			log_wait "$rx1: gro-flush-timeout.* changed by someone else [(]nobody told" 2
		inside "$napictl" "$rx1" set 0 3 0	# his wish for the end
	fi
	check "TERM: ends with 0" daemon_stop
	check "... what others wrote stays" is_at "$rx2" "$theirs"
	check "... on the tap too" is_at "$tap" "${originals_tap/rx-frames: 0/rx-frames: 17}"
	check "... the rest is back" is_at "$rx1" "$originals1"
	load_stop
	inside sh -c "echo 0 >/sys/class/net/$rx2/gro_flush_timeout"
}

# --- trouble ----------------------------------------------------------------------------------

# A file of the test's in place of the count of TX timeouts, in the mounts of the daemon only.
with_timeouts() {
	local file=/sys/class/net/$rx1/queues/tx-0/tx_timeout
	inside test -r "$file" || return 0
	echo 0 >"$tmp/timeouts"
	# shellcheck disable=SC2016 # expanded inside
	daemon_in=(unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$tmp/timeouts" "$file")
}

in_quarantine() {	# WHAT REASON
	check "$1: originals are back, and hands off" log_wait "$rx1: left alone: $2.*are back, trying again in 60 s" 4
	check "... they are" within 1 is_at "$rx1" "$originals1"
	sleep 3
	check "... and stay, under load" is_at "$rx1" "$originals1"
	check "... said once" log_once "$rx1: left alone"
	check "TERM: ends with 0" daemon_stop
	check "... with the originals" is_at "$rx1" "$originals1"
	load_stop
}

test_flaps() {
	local i
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals1"
	for ((i = 0; i < 3; i++)); do
		check "carrier loss $i is none too many" log_never "$rx1: left alone"
		ip -n "$lab-a" link set "$tx1" down
		sleep 1.2
		ip -n "$lab-a" link set "$tx1" up
		sleep 1.2
	done
	in_quarantine "the carrier flaps" "3 carrier losses"
}

test_tx_timeout() {
	with_timeouts
	if [ ${#daemon_in[@]} = 0 ]; then
		comment "this kernel does not count TX timeouts"
		return
	fi
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals1"
	log_mark
	echo 1 >"$tmp/timeouts"
	in_quarantine "a TX timeout" "a transmit queue timed out"
	daemon_in=()
}

# --- interfaces that come, go and change ------------------------------------------------------

test_rename() {
	local old=$rx1
	log_mark
	inside ip link set "$rx1" name "new$$" || fatal "cannot rename"
	rx1=new$$
	check "renamed: one line" log_wait "$rx1: was $old before" 2
	kill -USR1 "$daemon_pid"
	check "... polls are still counted" log_wait "$rx1: active; .*packets per poll" 2
	load_stop
	check "... goes back when idle" within 10 is_at "$rx1" "$originals1"
	load_start 1 "$busy"
	check "... and follows the load again" within "$tuned" is_not_at "$rx1" "$originals1"
	check "... under its new name" log_never "$old: gro"
	check "... with one line about it" log_once "$rx1: was"
}

test_down_up() {
	sleep 4		# an end of the load during the law's own test of its change would undo that, for good reason
	log_mark
	inside ip link set "$rx1" down
	sleep 0.5
	check "down: the daemon goes on" daemon_runs
	inside ip link set "$rx1" up
	check "up: settings are put anew" within "$tuned" is_not_at "$rx1" "$originals1"
	check "... without complaint" log_never "left alone|cannot|could not|someone else"
	inside sh -c "ip link set $rx1 down; ip link set $rx1 up"
	check "the same at once" within "$tuned" is_not_at "$rx1" "$originals1"
	sleep 1.2
	check "... is nobody else's doing" log_never "left alone|cannot|could not|someone else"
}

test_delete() {
	local i
	log_mark
	inside ip link del "$rx1"
	check "deleted: one line" log_wait "$rx1: is gone" 2
	load_stop
	load_start 2 "$busy"
	check "the other one is tuned" within "$tuned" is_not_at "$rx2" "$originals2"
	check "only one line" log_once "$rx1: .*(gone|cannot|could not|No such)"
	log_mark
	for ((i = 0; i < 10; i++)); do
		inside ip link add "x$$" type veth peer name "y$$" || fatal "cannot add a pair"
		inside ip link set "x$$" up
		sleep "0.0$((RANDOM % 90 + 10))"
		inside ip link del "x$$"
	done
	sleep 0.3
	check "gone within a tick, ten times" log_never "cannot|could not|No such|failed"
	check "... and still on" daemon_runs
}

test_move() {
	log_mark
	inside ip link set "$rx2" netns "$lab-a"
	check "moved away: one line" log_wait "$rx2: is gone" 2
	sleep 1.2
	check "... only" log_once "$rx2: "
	check "... and nothing stays saved" [ -z "$(saved_files)" ]
	ip -n "$lab-a" link set "$rx2" up
	check "... it has its originals there" same "$originals2" "$(where=$lab-a values "$rx2")"
	load_stop
	log_mark
	NETNS_RX_DEV=$rx1 netns_pair "$lab" || fatal "no new pair"
	check "a new one is taken over" log_wait "$rx1: under control" 2
	load_start 1 "$busy"
	check "... and tuned" within "$tuned" is_not_at "$rx1" "$plain"
	check "TERM: ends with 0" daemon_stop
	check "... with the originals" is_at "$rx1" "$plain"
	check "... and one line about it" log_once "$rx1: originals are back"
	check "... and nothing stays saved" [ -z "$(saved_files)" ]
}

test_links() {
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals1"
	test_rename
	test_down_up
	test_delete
	test_move
}

lab_need setpriv
lab_begin manners
lab_pair
lab_tap
plain=$(values "$rx1")
for dev in "$rx1" "$rx2"; do
	inside sh -c "echo 3 >/sys/class/net/$dev/napi_defer_hard_irqs"
done
originals1=$(values "$rx1") originals2=$(values "$rx2") originals_tap=$(values "$tap")
for part in ${PARTS:-rights signals operator flaps tx_timeout links}; do
	echo "# $part"
	"test_$part"
done
lab_end
