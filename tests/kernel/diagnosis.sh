#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What `ethtune recommend` says of a veth under loads whose bottleneck is known: idle, an interrupt a packet, many
# packets a poll, and a load that waits for its answers. In own network namespaces.
set -u
NETNS_TX_DEV=diag-va NETNS_RX_DEV=diag-vb
. "${srcdir:-.}/tests/lib/netns.sh"
netns_skip_unless_root
ETHTUNE=$(command -v "${ETHTUNE:-ethtune}") || { echo "no ethtune here" >&2; exit 99; }
VLOAD=${VLOAD:-${builddir:-.}/tests/lib/vload}
NS=diag$$
DEV=$NETNS_RX_DEV
TMP=$(mktemp -d)
load='' failures=0

cleanup() {
	[ -z "$load" ] || kill "$load" 2>/dev/null
	rm -rf "$TMP"
}
netns_trap "$NS" cleanup
netns_up "$NS" || exit 99

# judge WHAT LOAD TIMEOUT-US CLASS CHANGE: recommend under this load, with this deferral, as JSON in $TMP/out.
judge() {
	netns_sysfs "$NS" gro_flush_timeout $(($3 * 1000))
	netns_sysfs "$NS" napi_defer_hard_irqs $(($3 ? 2 : 0))
	"$VLOAD" --tx-ns "$NS-a" --rx-ns "$NS-b" --dev "$DEV" --peer "$NETNS_TX_DEV" --phase "$2:6" --no-perf \
		--summary >"$TMP/load" 2>&1 &
	load=$!
	sleep 1
	ip netns exec "$NS-b" "$ETHTUNE" recommend --duration 3s --mode throughput --json "$DEV" \
		>"$TMP/out" 2>"$TMP/err"
	kill "$load" 2>/dev/null
	wait "$load" 2>/dev/null
	load=''
	class=$(sed -n 's/^ *"bottleneck": "\(.*\)",$/\1/p' "$TMP/out")
	change=$(sed -n 's/^ *"change_advised": \(.*\),$/\1/p' "$TMP/out" | head -n 1)
	echo "$1: $(sed -n 's/^ *"summary": "\(.*\)",$/\1/p' "$TMP/out")"
	[ "$class" = "$4" ] && [ "$change" = "$5" ] && return
	# half of 400k packets/s is what a CPU of its own does; with less of one packets do not fill it
	pps=$(sed -n 's/^ *"packets_per_second": \([0-9]*\).*/\1/p' "$TMP/out" | head -n 1)
	if [ "$4" = packet-bound ] && [ "$class" = none ] && [ "${pps:-0}" -lt 200000 ]; then
		echo "$1: not judged, the machine is busy with something else"
		return
	fi
	failures=$((failures + 1))
	echo "FAIL: $1: $class, change $change; not $4, $5"
	sed 's/^/  /' "$TMP/out" "$TMP/err"
}

judge 'nothing' idle 0 idle false
judge 'a packet a poll' udp:50000-rr 0 interrupt-bound true
judge 'many packets a poll' udpflood:400000-rr 100 packet-bound false
judge 'questions and answers' rrcl 100 latency-bound true
if ! grep -q '"gro": [01],' "$TMP/out"; then
	failures=$((failures + 1))
	echo "FAIL: no evidence of GRO"
fi
[ "$failures" = 0 ] || exit 1
