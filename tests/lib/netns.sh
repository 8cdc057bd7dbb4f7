# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Sourced by tests: a pair of network namespaces joined by a veth on which NAPI deferral is real.
#   netns_up PREFIX [queues]   PREFIX-a (192.0.2.1, sender) <-> PREFIX-b (192.0.2.2, receiver)
#   netns_pair PREFIX [queues] one more such pair in both: set the variables below to new values first
#   netns_down PREFIX          removes both; harmless when there is nothing
#   netns_skip_unless_root     ends the script with 77 where namespaces cannot be made
#   netns_trap PREFIX [cmd]    netns_down (and cmd first) at exit and on INT, TERM, HUP
#   netns_sysfs PREFIX FILE [VALUE]   reads or writes a file of the receiving device
# NETNS_TX_DEV and NETNS_RX_DEV name the ends (va0, vb0), NETNS_NET their network (192.0.2). The
# napi:napi_poll tracepoint tells devices by name only, so a test that counts polls beside others
# needs a name of its own.
# Relies on iproute2, ethtool and nothing outside the namespaces.

: "${NETNS_TX_DEV:=va0}" "${NETNS_RX_DEV:=vb0}" "${NETNS_NET:=192.0.2}"

netns_skip_unless_root() {
	if [ "$(id -u)" != 0 ]; then
		echo "skipped: needs root for network namespaces" >&2
		exit 77
	fi
	for _tool in ip ethtool; do
		if ! command -v "$_tool" >/dev/null; then
			echo "skipped: no $_tool" >&2
			exit 77
		fi
	done
	if ! ip netns add "probe-$$" 2>/dev/null; then
		echo "skipped: cannot add a network namespace" >&2
		exit 77
	fi
	if ! ip -n "probe-$$" link add va0 type veth peer name vb0 2>/dev/null; then
		ip netns del "probe-$$"
		echo "skipped: no veth in this kernel" >&2
		exit 77
	fi
	ip netns del "probe-$$"
}

netns_down() {
	for _ns in "$1-a" "$1-b"; do
		[ -e "/run/netns/$_ns" ] || continue
		# A process left inside would keep the namespace and its devices alive.
		for _pid in $(ip netns pids "$_ns" 2>/dev/null); do
			[ "$_pid" = $$ ] || kill "$_pid" 2>/dev/null
		done
		ip -n "$_ns" link del "$NETNS_TX_DEV" 2>/dev/null
		ip -n "$_ns" link del "$NETNS_RX_DEV" 2>/dev/null
		ip netns del "$_ns" 2>/dev/null
	done
	return 0
}

_netns_ends() {
	_a="$1-a" _b="$1-b" _queues=$2
	ip link add "$NETNS_TX_DEV" netns "$_a" numtxqueues "$_queues" numrxqueues "$_queues" \
		type veth peer name "$NETNS_RX_DEV" netns "$_b" \
		numtxqueues "$_queues" numrxqueues "$_queues" || return 1
	ip -n "$_a" link set lo up && ip -n "$_b" link set lo up || return 1
	ip -n "$_a" addr add "$NETNS_NET.1/24" dev "$NETNS_TX_DEV" &&
		ip -n "$_b" addr add "$NETNS_NET.2/24" dev "$NETNS_RX_DEV" || return 1
	# No router solicitations, no duplicate address detection: idle must be idle.
	for _end in "$_a $NETNS_TX_DEV" "$_b $NETNS_RX_DEV"; do
		# shellcheck disable=SC2086 # two words on purpose
		set -- $_end
		ip netns exec "$1" sysctl -qw "net.ipv6.conf.$2.disable_ipv6=1" 2>/dev/null
		ip -n "$1" link set "$2" up || return 1
	done
}

# veth has a NAPI only with GRO on at the receiving end, and uses it only while the sending end
# has no segmentation offload at all.
_netns_offloads() {
	ip netns exec "$1-b" ethtool -K "$NETNS_RX_DEV" gro on >/dev/null || return 1
	ip netns exec "$1-a" ethtool -K "$NETNS_TX_DEV" tso off tx-tcp-ecn-segmentation off \
		tx-tcp6-segmentation off tx-tcp-mangleid-segmentation off >/dev/null
}

_netns_neighbours() {
	_mac_a=$(ip netns exec "$1-a" cat "/sys/class/net/$NETNS_TX_DEV/address") &&
		_mac_b=$(ip netns exec "$1-b" cat "/sys/class/net/$NETNS_RX_DEV/address") || return 1
	ip -n "$1-a" neigh replace "$NETNS_NET.2" lladdr "$_mac_b" nud permanent dev "$NETNS_TX_DEV" &&
		ip -n "$1-b" neigh replace "$NETNS_NET.1" lladdr "$_mac_a" nud permanent \
			dev "$NETNS_RX_DEV"
}

netns_pair() {
	_netns_ends "$1" "${2:-1}" && _netns_offloads "$1" && _netns_neighbours "$1"
}

netns_up() {
	netns_down "$1"
	if ! { ip netns add "$1-a" && ip netns add "$1-b" && netns_pair "$1" "${2:-1}"; }; then
		echo "netns_up $1: failed" >&2
		netns_down "$1"
		return 1
	fi
}

netns_trap() {
	# shellcheck disable=SC2064 # the values of now are meant
	trap "${2:-:}; netns_down '$1'" EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

netns_sysfs() {
	if [ $# -ge 3 ]; then
		ip netns exec "$1-b" sh -c "echo '$3' >/sys/class/net/$NETNS_RX_DEV/$2"
	else
		ip netns exec "$1-b" cat "/sys/class/net/$NETNS_RX_DEV/$2"
	fi
}
