#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# HUP takes the whole configuration or keeps the old one, and touches only interfaces whose policy changed; the speed of
# a link, its own notification, chooses the policy anew; --restore keeps off while a daemon runs. A hundred
# interfaces that come and go leave nothing behind. Relies on tests/lib/daemon.sh.
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100		# ended by load_stop
tuned=10			# seconds in which the settings must have followed the load
mode=(--mode powersave --max-latency 500us)

configuration() {	# TEXT
	printf '%b' "$1" >"$tmp/ethtuned.conf"
}

reload() {
	log_mark
	kill -HUP "$daemon_pid"
}

descriptors() {
	find "/proc/$daemon_pid/fd" -type l | wc -l
}

restore_is_refused() {
	local rc=0
	RUNTIME_DIRECTORY=$tmp/run inside "$daemon" --restore >"$tmp/second" 2>&1 || rc=$?
	[ "$rc" = 1 ] && grep -q 'another ethtuned is running' "$tmp/second"
}

# What is wrong with the configuration, by both programs; the daemon's errors have a priority instead of the word.
both_say_the_same() {
	local daemon_says check_says
	daemon_says=$(log_lines "ethtuned\.conf:[0-9]+: " | sed 's/^ethtuned: //' | sort)
	check_says=$("${ETHTUNE:-./ethtune}" check "$tmp/ethtuned.conf" 2>&1 | sed 's/: error: /: /' | sort)
	[ "$(wc -l <<<"$daemon_says")" = "$1" ] && same "$daemon_says" "$check_says"
}

test_mistakes() {
	daemon_start "${mode[@]}"
	configuration "[policy\n[policy]\nmax-latency = -1\nspeed = 3\n[limits]\nrx-usecs = 9..1\nrx-frames = 8\n"
	configuration "$(cat "$tmp/ethtuned.conf")\n[match]\nname = $rx2\n[policy]\nmode = off\n"
	reload
	check "mistakes: file and line of each" log_wait 'ethtuned.conf:6: ' 2
	check "... the same as ethtune check says" both_say_the_same 4
	check "TERM: ends with 0" daemon_stop
	configuration "[match]\nname = $rx1\n[policy]\nmax-latency = -1\n[match]\nname = $rx2\n[policy]\nmode = off\n"
	daemon_start "${mode[@]}"
	check "a bad value at the start: said" log_wait 'ethtuned.conf:4: max-latency' 2
	check "... and the other policies hold" log_wait "$rx2: left alone: policy" 2
	check "TERM: ends with 0" daemon_stop
	configuration ''
}

test_reload() {
	local second="[match]\nname = $rx2\n[policy]\nmode = off\n" before
	local first="[match]\nname = $rx1\n[policy]\nmode = powersave\nmax-latency = 500us\n"
	configuration "$first"
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals1"
	sleep 2		# a decision may have been on its way
	before=$(values "$rx1")
	configuration "$first$second"
	reload
	check "another policy for $rx2: taken over" log_wait 'configuration read anew' 2
	check "... and said" log_wait "$rx2: left alone: policy" 2
	check "... without a line about $rx1" log_never "$rx1:"
	check "... whose settings stay" is_at "$rx1" "$before"
	configuration "${first}[policy\n"
	reload
	check "a broken file: the old one stays" log_wait 'stays as it was' 2
	check "... and the settings" is_at "$rx1" "$before"
	check "--restore keeps off while a daemon runs" restore_is_refused
	check "... and has put nothing back" is_at "$rx1" "$before"
	configuration "[daemon]\nlog-level = warning\n$first$second"
	reload
	sleep 0.5
	check "log-level warning: not a word" log_never .
	configuration "$first"
	reload
	check "... and back" log_wait "$rx2: under control" 5
	load_stop
	check "TERM: ends with 0" daemon_stop
	check "... with the originals" is_at "$rx1" "$originals1"
}

# A tap has a carrier, and with it a speed, while somebody holds it open.
hold_tap() {
	# shellcheck disable=SC2016 # perl expands
	inside perl -e 'open(my $f, "+<", "/dev/net/tun") or die; my $r = pack("a16sx22", $ARGV[0], 0x1002);
		ioctl($f, 0x400454ca, $r) or die; sleep 60' "$tap" &
	holder=$!
}

test_speed() {
	local holder
	hold_tap
	configuration "[match]\nlink-speed = >=2500M\n[policy]\nmode = off\n"
	inside ethtool -s "$tap" speed 1000 2>/dev/null || fatal "cannot set the speed"
	daemon_start "${mode[@]}"
	check "slow: no policy takes the tap" log_wait "$tap: left alone: neither" 2
	log_mark
	inside ethtool -s "$tap" speed 10000
	check "fast: another policy, within an interval" log_wait "$tap: left alone: policy" 1
	log_mark
	inside ethtool -s "$tap" speed 1000
	check "... and back" log_wait "$tap: left alone: neither" 1
	check "TERM: ends with 0" daemon_stop
	kill "$holder"
	configuration ''
}

test_storm() {
	local before i
	daemon_start "${mode[@]}"
	check "begins" log_wait "$rx1: under control" 5
	before=$(descriptors)
	for ((i = 0; i < 100; i++)); do
		inside ip link add "x$$" type veth peer name "y$$" || fatal "cannot add a pair"
		inside sh -c "ip link set x$$ up; ip link set y$$ up; ethtool -K y$$ gro on"
		inside ip link del "x$$"
	done
	check "a hundred pairs came and went: no descriptor is left" within 3 same "$before" "$(descriptors)"
	check "... no file" [ -z "$(saved_files)" ]
	check "... and nothing went wrong" log_never 'cannot|could not|No such|failed'
	log_mark
	kill -USR1 "$daemon_pid"
	check "... $rx1 is still known" log_wait "$rx1: active" 3
	check "... they are not" log_never "[xy]$$:"
	check "TERM: ends with 0" daemon_stop
}

lab_need perl
lab_begin reload
lab_pair
lab_tap
originals1=$(values "$rx1")
for part in ${PARTS:-mistakes reload speed storm}; do
	echo "# $part"
	"test_$part"
done
lab_end
