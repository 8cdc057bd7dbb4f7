# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Sourced by tests/bench/lib.sh: the daemon as a contender. Starts it in the receiver's namespace,
# ends it with TERM and checks that the settings are the original ones again.
# Relies on what tests/bench/lib.sh sets.

# What the daemon's log says once per change.
change_line='gro.flush.timeout|napi.defer'
daemon_pid='' originals=''

# Puts the time in front of each line on stdin.
stamp() {
	local line
	while IFS= read -r line; do
		echo "$EPOCHREALTIME $line"
	done
}

# "timeout_ns defer" in force: per NAPI where the kernel tells, which sysfs does not show.
settings() {
	local row
	row=$(vload --summary --no-perf --phase idle:0.3)
	if [ "$(field gro_flush_timeout_ns <<<"$row")" = null ]; then
		echo "$(netns_sysfs "$prefix" gro_flush_timeout)" \
			"$(netns_sysfs "$prefix" napi_defer_hard_irqs)"
	else
		echo "$(field gro_flush_timeout_ns <<<"$row") $(field napi_defer_hard_irqs <<<"$row")"
	fi
}

daemon_start() {	# mode cap
	daemon_exists || return 1
	mkdir -p "$tmp/run" "$tmp/state"
	: >"$daemon_log"
	originals=$(settings)
	# "ip netns exec" replaces itself, so $! is the daemon.
	RUNTIME_DIRECTORY=$tmp/run STATE_DIRECTORY=$tmp/state ip netns exec "$prefix-b" \
		"$daemon" --mode "$1" --max-latency "$2" > >(stamp >>"$daemon_log") 2>&1 &
	daemon_pid=$!
	sleep 0.3
	if ! kill -0 "$daemon_pid" 2>/dev/null; then
		wait "$daemon_pid"
		echo "$bench_name: $daemon ended at once with $?:" >&2
		cat "$daemon_log" >&2
		daemon_pid=
		return 1
	fi
}

# Nanoseconds of CPU that it has used.
daemon_cpu_ns() {
	cut -d' ' -f1 "/proc/$daemon_pid/schedstat"
}

daemon_kill() {
	[ -n "$daemon_pid" ] && kill -KILL "$daemon_pid" 2>/dev/null
	daemon_pid=
}

# TERM must end it within 5 s with 0 and the originals in force.
daemon_stop() {
	local rc i now
	kill -TERM "$daemon_pid"
	for ((i = 0; i < 50; i++)); do
		kill -0 "$daemon_pid" 2>/dev/null || break
		sleep 0.1
	done
	[ "$i" -lt 50 ] || { echo "$bench_name: no end 5 s after TERM" >&2; kill -KILL "$daemon_pid"; }
	wait "$daemon_pid" 2>/dev/null
	rc=$?
	daemon_pid=
	now=$(settings)
	if [ "$rc" != 0 ] || [ "$now" != "$originals" ]; then
		echo "$bench_name: $daemon ended with $rc, settings $now, originally $originals" >&2
		[ "$rc" = 0 ] || tail -20 "$daemon_log" >&2
		return 1
	fi
}

# Changes that the daemon reported: one line each.
changes_in_log() {
	grep -Ec "$change_line" "$daemon_log"
}

# Changes seen from outside, by the settings in the rows of a vload run on stdin.
changes_in_rows() {
	grep '"row":"interval"' | sed 's/.*"gro_flush_timeout_ns":\(.*\)}/\1/' | uniq | tail -n +2 | wc -l
}
