#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random sequences of what happens to a daemon and its interfaces, a few events each, faster than it can settle: other
# load, an operator's sysfs write, napi-set or ethtool -C, down and up, rename, reload, kill, restart. At the end of
# each, by TERM, by a kill and --restore or by a policy that is off, every setting is what it was before, but for the
# operator's; nothing stays saved, and the log has only lines that such events explain.
#
# What is expected is kept by setting, as the list of values that are right. Mostly there is one. An operator's change
# that the daemon had no time to see, before it was killed or while originals of that interface were saved, cannot be
# told from its own after a crash: then his value is right, and so is the one before.
# Environment: SEED (printed; what the daemon does at an event is still a matter of time), SEQUENCES (30: half a
# minute), VERBOSE.
# Relies on tests/lib/daemon.sh; valgrind is used once.
# shellcheck disable=SC2054,SC2317 # commas in options; events and ends are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

sequences=${SEQUENCES:-30}
RANDOM=${SEED:=$RANDOM}
echo "# SEED=$SEED"
events=(load load sysfs sysfs napi_set coalesce coalesce down_up rename reload reload kill restart)
ends=(term term restored off off)
declare -A right=()		# setting -> " VALUE VALUE ... "
declare -A happened=()		# event -> how often
good=0 first=0 wrote=0 strict=0 vague=0 step=0 begun_at=1

# Lines that the events explain; all others are wrong.
explained='under control \(|observed only \(|originals are back|: was [a-z0-9]+ before| -> |changed by someone else'
explained+='|configuration read anew|configuration stays as it was|ethtuned\.conf:[0-9]+: |listing interfaces anew'
explained+='|left alone: (policy|neither|the mechanism|somebody set software|someone else|3 carrier losses)'
explained+='|polls are not counted'

declare -A policies=(
	[off]='mode = off'
	[observe]='mode = observe'
	[law]='mode = powersave\nmax-latency = 500us\nmechanism = software'
	[pinned]='mechanism = software\n[limits]\ngro-flush-timeout = 77000\nnapi-defer-hard-irqs = 2\nrx-frames = 5'
	[other]='mechanism = software\n[limits]\ngro-flush-timeout = 151000\nnapi-defer-hard-irqs = 7\nrx-frames = 9'
	[half]='mode = powersave\nmechanism = software\n[limits]\nnapi-defer-hard-irqs = 4'
	[polite]='mode = throughput\n[limits]\ngro-flush-timeout = 99000\nnapi-defer-hard-irqs = 2\nrx-frames = 3'
	[broken]='mode = fastest\n[limits'
)
writing=(law pinned pinned pinned other other half polite)

# --- chance -----------------------------------------------------------------------------------

chance() {	# ONE IN
	[ $((RANDOM % $1)) = 0 ]
}

pause() {	# at most MILLISECONDS
	sleep "$(printf '0.%03d' $((RANDOM % $1)))"
}

# Sets $picked: no subshell, which would repeat the same random numbers.
pick() {
	shift $((RANDOM % $#))
	picked=$1
}

# A value that nobody else writes, each time another one.
fresh() {
	step=$((step + 1))
	picked=$((200000 + step * 13))
}

# --- what is right ----------------------------------------------------------------------------

originals_of() {	# DEV: the file of its saved originals, if there is one
	local ifindex
	ifindex=$(inside cat "/sys/class/net/$1/ifindex")
	find "$tmp/run" -name "originals-*-$ifindex"
}

is_right() {	# SETTING VALUE
	[[ ${right[$1]} = *" $2 "* || ${right[$1]} = *" any "* ]]
}

# changed SURE VALUE SETTING...: an operator's.
changed() {
	local sure=$1 value=$2 s
	shift 2
	for s; do
		[ "$sure" = yes ] && right[$s]=" $value " || right[$s]+="$value "
	done
}

# operator DEV KNOB COMMAND...: runs it and sets $sure: will it be known as his?
operator() {
	local dev=$1 knob=$2 before wait patient=no
	! chance 8 || patient=yes
	shift 2
	before=$(originals_of "$dev")
	log_mark
	"$@" || return
	sure=no
	if [ -z "$before" ] && [ -z "$(originals_of "$dev")" ]; then
		sure=yes	# what is saved later has it
	elif [ -n "$daemon_pid" ] && [ "$dev/$patient" != "$rx1/no" ]; then
		# ethtool tells at once; for the rest the daemon looks once a second
		[ "$dev" = "$tap" ] && wait=0.3 || wait=1.3
		log_wait "$dev: .*$knob.*changed by someone else" "$wait" >/dev/null && sure=yes
	fi
	[ "$sure" = yes ] && strict=$((strict + 1)) || vague=$((vague + 1))
}

# --- events -----------------------------------------------------------------------------------

event_load() {
	load_stop
	pick udp:50000-rr:30 udp:20000-rr:30 udp:500-rr:30 idle:30
	load_start 1 "$picked"
}

event_sysfs() {
	local value sure=no
	if chance 2; then
		fresh
		value=$picked
		operator "$rx1" gro-flush-timeout inside sh -c "echo $value >/sys/class/net/$rx1/gro_flush_timeout" &&
			changed "$sure" "$value" timeout timeout0 timeout1
	else
		value=$((10 + RANDOM % 90))
		operator "$rx1" napi-defer inside sh -c "echo $value >/sys/class/net/$rx1/napi_defer_hard_irqs" &&
			changed "$sure" "$value" defer defer0 defer1
	fi
}

event_napi_set() {
	local nth=$((RANDOM % 2)) sure=no defer=$((10 + RANDOM % 90)) timeout
	fresh
	timeout=$picked
	operator "$rx1" gro-flush-timeout inside "$napictl" "$rx1" set "$nth" "$defer" "$timeout" || return
	changed "$sure" "$defer" "defer$nth"
	changed "$sure" "$timeout" "timeout$nth"
	[ -z "$(originals_of "$rx1")" ] && return
	# The daemon yields a setting as a whole: what another instance has by then may stay.
	right[defer$((1 - nth))]+='any '
	right[timeout$((1 - nth))]+='any '
}

event_coalesce() {
	local value=$((10 + RANDOM % 54)) sure=no	# tun takes no more than 64
	operator "$tap" rx-frames inside ethtool -C "$tap" rx-frames "$value" && changed "$sure" "$value" frames
}

# New instances are born with the device's values.
event_down_up() {
	local i
	inside ip link set "$rx1" down
	! chance 2 || pause 80
	inside ip link set "$rx1" up
	for i in 0 1; do
		right[timeout$i]=${right[timeout]}
		right[defer$i]=${right[defer]}
	done
}

event_rename() {
	local name
	step=$((step + 1))
	name=c$step$$
	if chance 3; then
		inside ip link set "$tap" name "$name" && tap=$name
	else
		inside ip link set "$rx1" name "$name" && rx1=$name
	fi
}

configure() {	# POLICY
	printf '[daemon]\ninterval = 100ms\n[policy]\n%b\n' "${policies[$1]}" >"$tmp/ethtuned.conf"
}

event_reload() {
	if chance 3; then
		pick off observe broken polite
	else
		pick "${writing[@]}"
	fi
	configure "$picked"
	[ -z "$daemon_pid" ] || reload
}

begin() {
	[ -z "$daemon_pid" ] || return 0
	log_mark
	begun_at=$log_from
	daemon_spawn
	chance 4 || ready
}

# It has said something, and signals do what they should.
ready() {
	log_from=$begun_at log_wait . "$patience" >/dev/null
}

reload() {
	ready || return
	log_mark
	kill -HUP "$daemon_pid"
}

event_kill() {
	daemon_kill
	chance 4 || begin
}

event_restart() {
	[ -n "$daemon_pid" ] || return 0
	stop && begin
}

# Before its main() even a daemon dies by the signal, and puts nothing back: then ExecStopPost= does, as under systemd.
stop() {
	local rc=0
	daemon_stop || rc=$?
	[ $rc = 0 ] || [ $rc = 143 ] || { echo "# TERM: status $rc"; false; } || return
	[ $rc = 0 ] || RUNTIME_DIRECTORY=$tmp/run inside "$daemon" --restore >>"$log" 2>&1
}

# --- ends -------------------------------------------------------------------------------------

end_term() {
	begin
	stop
}

end_restored() {
	daemon_kill
	RUNTIME_DIRECTORY=$tmp/run inside "$daemon" --restore >>"$log" 2>&1
}

end_off() {
	begin
	configure off
	reload || return
	log_wait 'configuration read anew' 2 >/dev/null
}

now_is() {	# sets $settings: "SETTING VALUE" lines
	settings=$(values "$rx1" | awk '
		$1 == "sysfs" { print "timeout", $2; print "defer", $3 }
		$1 == "napi" { print "defer" n + 0, $2; print "timeout" n + 0, $3; n++ }
		END { if (n != 2) print "instances", n }
		' && values "$tap" | sed -n 's/^rx-frames: /frames /p')
}

all_right() {
	local setting value bad=0
	now_is
	while read -r setting value; do
		[ -n "${right[$setting]:-}" ] && is_right "$setting" "$value" && continue
		echo "# $setting is $value, right:${right[$setting]:- none}"
		bad=1
	done <<<"$settings"
	[ -z "$(saved_files)" ] || { echo "# left: $(saved_files)"; bad=1; }
	! grep -vE "$explained" "$log" | sed 's/^/# unexplained: /' | grep . || bad=1
	return $bad
}

# --- sequences --------------------------------------------------------------------------------

# Nothing of it is the kernel's default but in the first row; nobody runs or has anything saved.
starts=('0 0 0 0 0 0 0' '11000 1 21000 3 31000 4 3' '20000 1 20000 1 20000 1 0' '0 3 0 3 0 3 9' '45000 2 0 0 45000 2 0')

set_originals() {
	local v
	read -ra v <<<"${starts[$((RANDOM % ${#starts[@]}))]}"
	inside sh -c "cd /sys/class/net/$rx1 && echo ${v[0]} >gro_flush_timeout && echo ${v[1]} >napi_defer_hard_irqs"
	inside "$napictl" "$rx1" set 0 "${v[3]}" "${v[2]}"
	inside "$napictl" "$rx1" set 1 "${v[5]}" "${v[4]}"
	inside ethtool -C "$tap" rx-frames "${v[6]}" 2>/dev/null	# complains when it is that already
	right=([timeout]=" ${v[0]} " [defer]=" ${v[1]} " [timeout0]=" ${v[2]} " [defer0]=" ${v[3]} "
		[timeout1]=" ${v[4]} " [defer1]=" ${v[5]} " [frames]=" ${v[6]} ")
}

one_sequence() {	# EVENTS
	local i e
	set_originals
	: >"$log"
	log_from=1 begun_at=1
	pick "${writing[@]}"
	configure "$picked"
	story="$picked on$(now_is && echo "$settings" | awk '{ printf " %s %s", $1, $2 }')"
	if [ -n "$daemon_pid" ]; then
		kill -HUP "$daemon_pid"	# its policy is off: it has said so
	else
		begin || return
	fi
	! chance 2 || pause 300
	for ((i = 0; i < $1; i++)); do
		pick "${events[@]}"
		e=$picked
		story+=", $e"
		happened[$e]=$((${happened[$e]:-0} + 1))
		"event_$e" || { echo "# $e failed"; return 1; }
		[ -z "$daemon_pid" ] || daemon_runs || { echo "# the daemon has gone after $e"; return 1; }
		pause 80
	done
	pick "${ends[@]}"
	story+="; $picked"
	"end_$picked" || { echo "# $picked failed"; return 1; }
	! grep -q -e '->' "$log" || wrote=$((wrote + 1))
	all_right
}

# sequence NUMBER: what went wrong, if it did.
sequence() {
	if one_sequence $((3 + RANDOM % 2)); then
		good=$((good + 1))
		[ -z "${VERBOSE:-}" ] || echo "# sequence $1: $story"
		return
	fi
	[ "$first" != 0 ] || first=$1
	echo "# sequence $1: $story"
	sed 's/^/#   /' "$log"
	# the next one is not to inherit it
	daemon_kill
	rm -rf "$tmp/run"
}

no_process() {
	same '' "$(ip netns pids "$lab-b")"
}

# The same under valgrind: what is lost, or read before it was written, in one sequence.
with_valgrind() {
	local right_now=$good
	daemon_in=(valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,possible
		--log-file="$tmp/valgrind.%p")
	patience=60	# it is twenty times slower
	ends=(term)
	events=(load sysfs coalesce down_up rename reload reload restart)
	sequence valgrind
	daemon_in=()
	[ "$good" = $((right_now + 1)) ] && ! cat "$tmp"/valgrind.* | grep .
}

lab_begin chaos 2
lab_tap
inside "$napictl" "$rx1" set 0 0 0 || skip "this kernel does not set single NAPI instances"
inside ethtool -C "$tap" rx-frames 1 2>/dev/null || skip "this kernel's tap has no rx-frames"
began=$SECONDS
for ((i = 1; i <= sequences; i++)); do
	sequence "$i"
done
load_stop
[ -z "$daemon_pid" ] || stop
echo "# $((SECONDS - began)) s; events:$(for e in "${!happened[@]}"; do printf ' %s %s' "$e" "${happened[$e]}"; done)"
echo "# operator: $strict changes that must stay, $vague that nobody can tell; in $wrote sequences the daemon wrote"
check "all sequences end as they should (first failure: $first)" [ "$good" = "$sequences" ]
check "in enough of them it wrote" [ "$wrote" -ge $((sequences / 3)) ]
check "... and an operator did" [ "$strict" -ge $((sequences / 4)) ]
check "no process is left" within 2 no_process
check "no file is left" same "$tmp/run/lock" "$(find "$tmp/run" -type f)"
if ! command -v valgrind >/dev/null; then
	comment "no valgrind: leaks are not looked for"
elif grep -q __asan_init "$daemon"; then
	comment "built with sanitizers: valgrind is not used"
else
	check "a sequence under valgrind: nothing is lost" with_valgrind
fi
lab_end
