# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# Sourced in the guest by all tests: results, the pair of NICs, the daemon.
# busybox's shell prefers its own applets: real programs are called by their path where both exist.

ip() { /usr/bin/ip "$@"; }
ok() { echo "@@ok $*"; }
fail() { echo "@@fail $1: $2"; }
skip() { echo "@@skip $1: $2"; }
row() { echo "@@row $*"; }

# check NAME COMMAND...: says what the command said when it fails.
check() {
	_name=$1
	shift
	if _out=$("$@" 2>&1); then
		ok "$_name"
	else
		fail "$_name" "$(echo "$_out" | tr '\n' ' ')"
	fi
}

# The device to be tested in this namespace, called "dut" as well, its peer in namespace "gen".
guest_pair() {
	[ -e /run/netns/gen ] && return
	ip netns add gen && ip netns attach dut 1 && ip link set "$vm_peer" netns gen || return
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 2>/dev/null
	ip netns exec gen /bin/busybox sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6' 2>/dev/null
	ip link set lo up && ip addr add 192.0.2.2/24 dev "$vm_dev" && ip link set "$vm_dev" up &&
		ip -n gen link set lo up && ip -n gen addr add 192.0.2.1/24 dev "$vm_peer" &&
		ip -n gen link set "$vm_peer" up || return
	ip neigh replace 192.0.2.1 lladdr "$(ip netns exec gen cat "/sys/class/net/$vm_peer/address")" \
		nud permanent dev "$vm_dev" &&
		ip -n gen neigh replace 192.0.2.2 lladdr "$(cat "/sys/class/net/$vm_dev/address")" \
			nud permanent dev "$vm_peer"
	_i=0
	while [ "$(cat "/sys/class/net/$vm_dev/carrier" 2>/dev/null)" != 1 ] && [ $_i -lt 50 ]; do
		sleep 0.2
		_i=$((_i + 1))
	done
	sleep 0.5
}

# daemon_start ARGUMENT...: its log is /tmp/ethtuned.log
daemon_start() {
	mkdir -p /run/ethtuned /var/lib/ethtuned
	RUNTIME_DIRECTORY=/run/ethtuned STATE_DIRECTORY=/var/lib/ethtuned ethtuned "$@" >/tmp/ethtuned.log 2>&1 &
	daemon_pid=$!
	sleep 1
	kill -0 $daemon_pid || { cat /tmp/ethtuned.log; return 1; }
}

# 0 when it ended well.
daemon_stop() {
	kill -TERM "$daemon_pid"
	wait "$daemon_pid"
}

# All that ethtuned may write to the device, "KNOB VALUE" a line.
settings() {
	ethtool -c "$vm_dev" 2>/dev/null | awk -F': *' '
		/^Adaptive/ { split($0, w, /[: ]+/); print "adaptive-rx", w[3]; print "adaptive-tx", w[5] }
		/^(rx|tx)-(usecs|frames):/ { print $1, $2 }'
	ethtool -g "$vm_dev" 2>/dev/null | awk '/^Current/ { now = 1 } now && /^RX:/ { print "rx-ring", $2 }
		now && /^TX:/ { print "tx-ring", $2 }'
	for _f in gro_flush_timeout napi_defer_hard_irqs; do
		echo "$(echo $_f | tr _ -) $(cat "/sys/class/net/$vm_dev/$_f" 2>/dev/null)"
	done
}
