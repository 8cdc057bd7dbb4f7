#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The metrics of a real daemon that tunes a veth under load: what HTTP clients get, that the numbers are those of the
# kernel, where it listens, before and after a reload, the text file, a socket passed as by systemd, and rude clients.
# Relies on tests/lib/daemon.sh and on curl.
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

url=http://127.0.0.1:9817
busy=udp:50000-rr:100		# ended by load_stop
mode=(--mode powersave --max-latency 500us)

get() {	# PATH [OPTION...]
	local path=$1
	shift
	inside curl -sS --max-time 3 "$@" "$url$path"
}

# The value of one series, named as in the text form.
value() {	# SERIES
	get /metrics | awk -v s="$1" '$1 == s { print $2; found = 1 } END { exit !found }'
}

value_is() {	# NUMBER SERIES
	same "$1" "$(value "$2")"
}

more_than() {	# NUMBER SERIES
	local v
	v=$(value "$2") || { echo "no $2"; return 1; }
	awk -v v="$v" -v than="$1" 'BEGIN { exit !(v > than) }' || { echo "$2 is $v"; false; }
}

status_is() {	# CODE PATH [OPTION...]
	local code=$1
	shift
	same "$code" "$(get "$@" -o /dev/null -w '%{http_code}')"
}

type_is() {	# TYPE PATH [OPTION...]
	local type=$1
	shift
	same "$type" "$(get "$@" -o /dev/null -w '%{content_type}')"
}

sysfs() {	# FILE
	inside cat "/sys/class/net/$rx1/$1"
}

refused() {
	! inside curl -sS --max-time 2 -o /dev/null "$@"
}

configuration() {	# TEXT
	printf '%b' "$1" >"$tmp/ethtuned.conf"
}

reload() {
	log_mark
	kill -HUP "$daemon_pid"
	check "reload" log_wait 'configuration read anew' 3
}

test_answers() {
	configuration ''
	daemon_start "${mode[@]}"
	check "/metrics on loopback without any configuration" within 3 get /metrics -f
	check "... as text" type_is 'text/plain; version=0.0.4; charset=utf-8' /metrics
	check "... as OpenMetrics" type_is 'application/openmetrics-text; version=1.0.0; charset=utf-8' /metrics \
		-H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5'
	check "... which ends with EOF" same '# EOF' \
		"$(get /metrics -H 'Accept: application/openmetrics-text' | tail -n 1)"
	check "HEAD" status_is 200 /metrics -I
	check "/ links it" eval "get / | grep -q 'href=\"/metrics\"'"
	check "... and has a row for $rx1" eval "get / | grep -q '<td>$rx1</td>'"
	check "nothing else is there" status_is 404 /metrics/../etc/passwd --path-as-is
	check "nothing can be sent" status_is 405 /metrics -d x
	check "not to other addresses" refused http://192.0.2.2:9817/metrics
	check "TERM: ends with 0" daemon_stop
	check "... and nobody listens" refused "$url/metrics"
}

# Of the daemon and of the kernel, at about the same time.
packets_agree() {
	local kernel ours
	kernel=$(sysfs statistics/rx_packets)
	ours=$(value "ethtuned_packets_total{device=\"$rx1\",direction=\"receive\"}")
	echo "kernel $kernel since $packets0, ours $ours"
	awk -v k="$((kernel - packets0))" -v o="$ours" 'BEGIN { exit !(o > 0.8 * k && o <= 1.2 * k) }'
}

# The longest of the instances, whose own values sysfs does not show.
timeout_agrees() {
	local kernel ours
	kernel=$(inside "$napictl" "$rx1" | awk '$3 > n { n = $3 } END { print n + 0 }')
	ours=$(value "ethtuned_gro_flush_timeout_seconds{device=\"$rx1\"}")
	echo "kernel $kernel ns, ours $ours s"
	awk -v k="$kernel" -v o="$ours" 'BEGIN { d = o * 1e9 - k; exit !(k > 0 && d * d < 1) }'
}

test_numbers() {
	local packets0
	configuration "[policy]\nmode = powersave\nmax-latency = 500us\ncpu-target = 40%\n"
	daemon_start
	check "answers" within 3 get /metrics
	packets0=$(sysfs statistics/rx_packets)
	load_start 1 "$busy"
	check "timeouts are the kernel's" within 30 timeout_agrees
	check "packets are the kernel's" within 5 packets_agree
	check "changes are counted, with the reason" within 5 eval \
		"get /metrics | grep -q 'changes_total{.*knob=\"gro-flush-timeout\",reason=\"law\"}'"
	check "the cap is the policy's" value_is 0.0005 "ethtuned_latency_cap_seconds{device=\"$rx1\"}"
	check "latency is added" within 5 more_than 0 \
		"ethtuned_added_latency_seconds{device=\"$rx1\",direction=\"receive\"}"
	check "the CPU target too" value_is 0.4 "ethtuned_cpu_target_ratio{device=\"$rx1\"}"
	check "rounds are timed" within 5 more_than 20 ethtuned_tick_duration_seconds_count
	check "is active" value_is 1 "ethtuned_controller_state{device=\"$rx1\",state=\"active\"}"
	check "no override" value_is 0 "ethtuned_override_active{device=\"$rx1\"}"
	inside sh -c "echo 77000 >/sys/class/net/$rx1/gro_flush_timeout"
	check "somebody's setting is an override" within 5 value_is 1 "ethtuned_override_active{device=\"$rx1\"}"
	check "... and shown" within 3 value_is 7.7e-05 "ethtuned_gro_flush_timeout_seconds{device=\"$rx1\"}"
	check "no interrupts of a veth, not even 0" eval "! get /metrics | grep '^ethtuned_interrupts_total'"
	load_stop
	check "TERM: ends with 0" daemon_stop
}

test_places() {
	local socket=$tmp/metrics.sock file=$tmp/textfile/ethtuned.prom
	mkdir -p "$tmp/textfile"
	configuration ''
	daemon_start "${mode[@]}"
	check "loopback" within 3 get /metrics
	configuration "[metrics]\nlisten = unix:$socket\ntextfile = $file\n"
	reload
	check "a unix socket" within 3 eval "inside curl -sSf --max-time 2 --unix-socket $socket http://x/metrics"
	check "... instead of the port" refused "$url/metrics"
	check "... open to all" same 666 "$(stat -c %a "$socket")"
	check "a text file" within 3 grep -q '^ethtuned_build_info' "$file"
	check "... readable by all" same 644 "$(stat -c %a "$file")"
	check "... and no rest of the writing" same ethtuned.prom "$(ls "$tmp/textfile")"
	configuration "[metrics]\nlisten =\n"
	reload
	check "nowhere" within 3 eval "! [ -e $socket ]"
	check "... and the file is gone" within 3 eval "! [ -e $file ]"
	check "... not the port either" refused "$url/metrics"
	configuration "[metrics]\nlisten = 192.0.2.77:9817\ntextfile = $tmp/no/such\n"
	reload
	check "an address of somebody else is said" log_wait 'metrics are not served: 192.0.2.77:9817: Cannot assign' 3
	check "a folder that is missing too" log_wait 'metrics are not written: .*No such file' 3
	inside ip addr add 192.0.2.77/24 dev "$rx1"
	url=http://192.0.2.77:9817
	check "... and tried again later" within 15 get /metrics
	url=http://127.0.0.1:9817
	configuration "[metrics]\nlisten = unix:$socket\ntextfile = $file\n"
	reload
	check "both again" within 3 test -S "$socket" -a -f "$file"
	check "TERM: ends with 0" daemon_stop
	check "... and leaves neither" eval "! [ -e $socket ] && ! [ -e $file ]"
	configuration "[metrics]\nlisten = 1.2.3.4:5\n"
	daemon_start
	check "it runs all the same without a place" log_wait 'metrics are not served: 1.2.3.4:5' 5
	check "TERM: ends with 0" daemon_stop
}

test_passed_socket() {
	command -v systemd-socket-activate >/dev/null || { comment "no systemd-socket-activate, left out"; return; }
	configuration "[metrics]\nlisten = 127.0.0.1:9999\n"
	daemon_in=(systemd-socket-activate -l 127.0.0.1:9818 --fdname=metrics -E "RUNTIME_DIRECTORY=$tmp/run"
		-E "STATE_DIRECTORY=$tmp")
	log_mark
	daemon_spawn "${mode[@]}"
	daemon_in=()
	url=http://127.0.0.1:9818
	check "a scrape starts it, and is answered" within 5 get /metrics
	check "... and the next" get /metrics
	check "its own place is not used" refused http://127.0.0.1:9999/metrics
	check "... which is said" log_wait 'not where .listen. says' 3
	url=http://127.0.0.1:9817
	check "TERM: ends with 0" daemon_stop
}

# COUNT connections that say nothing more, and one that sends a byte now and then.
idle_clients() {
	# shellcheck disable=SC2016 # perl expands
	inside perl -MIO::Socket::INET -e 'my @c;
		for (1 .. $ARGV[0]) {
			my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:9817") or die "$!";
			print $s "GET /met" if $_ & 1;
			push @c, $s;
		}
		$| = 1; print "ready\n";
		for (1 .. 40) { $c[0]->syswrite("x"); select(undef, undef, undef, 0.25); }' "$1" >"$tmp/idle" &
	idle_pid=$!
	within 5 grep -q ready "$tmp/idle"
}

# Refused or cut off, and not waited for.
big_header() {
	# shellcheck disable=SC2016 # perl expands
	inside timeout 4 perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:9817") or die "$!";
		$SIG{PIPE} = "IGNORE"; print $s "GET / HTTP/1.1\r\nX: "; my $n = 0;
		while ($n < 1000000) { my $w = $s->syswrite("y" x 10000); last unless $w; $n += $w }
		my $r = $s->sysread(my $answer, 100); print "$n bytes, answer: ", $answer // $!, "\n";
		exit(defined $answer && $answer =~ /^HTTP.1.1 2/)'
}

goes_on() {	# SECONDS: it ticks, and answers meanwhile
	local from to
	from=$(value ethtuned_tick_duration_seconds_count) || return
	sleep "$1"
	to=$(value ethtuned_tick_duration_seconds_count) || return
	echo "$((to - from)) rounds in $1 s"
	[ $((to - from)) -ge $(($1 * 5)) ]
}

test_rude() {
	local idle_pid before=0
	configuration ''
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "answers" within 3 get /metrics
	before=$(value ethtuned_ticks_missed_total)
	check "100 idle connections" idle_clients 100
	check "... rounds and answers go on" goes_on 3
	check "a header of 1 MB is not listened to" big_header
	check "... and rounds and answers go on" goes_on 2
	check "the daemon has tuned meanwhile" within 10 more_than 0 \
		"ethtuned_gro_flush_timeout_seconds{device=\"$rx1\"}"
	for _ in 1 2 3 4; do
		inside curl -s --max-time 4 --rate 100000/s -o /dev/null "$url/metrics?[1-2000]" &
	done
	check "thousands of scrapes: rounds go on" goes_on 3
	wait $! 2>/dev/null
	comment "$(value ethtuned_ticks_missed_total) rounds missed, $before of them before"
	kill "$idle_pid" 2>/dev/null
	wait "$idle_pid" 2>/dev/null
	load_stop
	check "TERM: ends with 0" daemon_stop
}

lab_need curl perl
lab_begin metrics
for part in ${PARTS:-answers numbers places passed_socket rude}; do
	echo "# $part"
	"test_$part"
done
lab_end
