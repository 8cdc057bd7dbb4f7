#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# "ethtuned --dry-run" and mode observe write nothing, neither to devices nor to disk, and say what they would do.
# "ethtune apply": a value that the device takes differently is read back and said to be so; one that it cannot
# take is refused. Relies on tests/lib/daemon.sh.
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100
mode=(--mode powersave --max-latency 500us)

# Nothing moved at any of many looks, not only at the end.
stays() {	# DEV VALUES SECONDS
	local i
	for ((i = 0; i < $3 * 10; i++)); do
		is_at "$1" "$2" || return
		sleep 0.1
	done
}

watch_only() {	# OPTION...
	daemon_start "$@"
	check "$*: says so" log_wait "$rx1: observed only" 2
	check "... once" log_once "$rx1: observed only"
	load_start 1 "$busy"
	check "... says what it would do" log_wait "$rx1: would set gro-flush-timeout 0 -> [1-9]" 8
	check "... and does not" stays "$rx1" "$originals" 4
	check "... nor pretends to have" log_never "$rx1: (gro-flush|napi-defer)"
	check "... nor repeats it every tick" [ "$(log_lines 'would set' | wc -l)" -le 3 ]
	check "... saves nothing" [ -z "$(find "$tmp/run" -type f ! -name lock)" ]
	load_stop
	check "TERM: ends with 0" daemon_stop
	check "... had nothing to put back" log_never "originals are back"
	check "... and all is as it was" is_at "$rx1" "$originals"
}

test_dry() {
	watch_only --dry-run "${mode[@]}"
	check "no file at all" [ -z "$(find "$tmp/run" -type f)" ]
	# Beside a running one: it takes no lock.
	daemon_start "${mode[@]}"
	RUNTIME_DIRECTORY=$tmp/run inside timeout 1 "$daemon" --dry-run >"$tmp/second" 2>&1
	check "runs beside another" [ $? = 124 ]
	check "... silently" [ "$(grep -c 'another ethtuned' "$tmp/second")" = 0 ]
	daemon_stop
}

test_observe() {
	watch_only --mode observe
}

cli() {
	RUNTIME_DIRECTORY=$tmp/run inside "$ETHTUNE" "$@"
}

# A line of the command's output, whatever its status.
output_has() {	# REGEX COMMAND...
	local want=$1 out
	shift
	out=$("$@" 2>&1)
	grep -Eq -- "$want" <<<"$out" || { echo "$out"; false; }
}

status_is() {	# STATUS COMMAND...
	local want=$1 rc=0
	shift
	"$@" || rc=$?
	[ "$rc" = "$want" ] || { echo "status $rc"; false; }
}

test_clamp() {
	local before
	before=$(values "$tap")
	check "apply --dry-run says what it would do" output_has "would set rx-frames 0 -> 500" \
		cli apply "$tap" --dry-run --set "rx-frames=500"
	check "... and does not" is_at "$tap" "$before"
	check "apply: what the device made of it" output_has "rx-frames 0 -> 64 \(clamped: 500" \
		cli apply "$tap" --set "rx-frames=500"
	check "... is there" is_at "$tap" "${before/rx-frames: 0/rx-frames: 64}"
	check "... is shown" output_has '"rx_frames":[[:space:]]*64' cli show "$tap" --json
	check "what it has not is null" output_has '"rx_usecs":[[:space:]]*null' cli show "$tap" --json
	check "restore undoes it" output_has "$tap: restored rx-frames 64 -> 0" cli restore "$tap"
	check "... really" is_at "$tap" "$before"
	check "... and forgets it" [ -z "$(saved_files)" ]
	check "a knob that it has not: refused" status_is 1 cli apply "$tap" --set "rx-usecs=50"
	check "... as not supported" output_has "rx-usecs is not supported" cli apply "$tap" --set "rx-usecs=50"
	check "a device without coalescing: refused" output_has "rx-frames is not supported" \
		cli apply "$rx1" --set "rx-frames=50"
	check "... null" output_has '"rx_frames":[[:space:]]*null' cli show "$rx1" --json
	check "... and unchanged" is_at "$rx1" "$originals"
}

lab_begin dryrun
lab_tap
inside sh -c "echo 3 >/sys/class/net/$rx1/napi_defer_hard_irqs"
originals=$(values "$rx1")
parts='dry observe'
if [ -x "${ETHTUNE:=./ethtune}" ]; then
	parts+=' clamp'
else
	echo "# no $ETHTUNE: its part is left out"
fi
for part in ${PARTS:-$parts}; do
	echo "# $part"
	"test_$part"
done
lab_end
