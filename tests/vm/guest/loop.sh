# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2086,SC2046
# Sourced in the guest: the closed loop against the driver's default and a sweep of fixed settings, under a load that
# nearly fills the CPU and a light one. The bed says in vars:
#   heavy, light   packets/s, answers/s
#   sweep          settings: rx-usecs:N, tx-frames:N ... (ethtool -C; '+' joins several), gft:N (deferral)
#   mode, cap      of ethtuned and of the utility
#   mechanism      auto (the default), hardware or software
#   ring           entries, set before anything else
#   irq            what names the device's interrupts in /proc/interrupts (the device)
#   want           coalesce: a third of the default's polls at most; keep: not worse than the default
# Utility of a cell, as in tests/bench/changing:
# arrived / most that arrived - w_cpu * CPU - w_lat * (p50 - least p50) / cap

: "${vm_irq:=$vm_dev}" "${vm_seconds:=2}" "${vm_settle:=10}" "${vm_want:=coalesce}" "${vm_mechanism:=auto}"
cells=/tmp/cells

field() {	# NAME, of a line of JSON
	sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"
}

interrupts() {
	awk -v d="$vm_irq" 'index($0, d) { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}

traffic() {	# RATE SECONDS
	vload --json --summary --tx-ns gen --rx-ns dut --dev "$vm_dev" --peer "$vm_peer" --phase "$1:$2"
}

cell() {	# LOAD CONTENDER
	_n=$(interrupts) _t=$(cut -d' ' -f1 /proc/uptime)
	_json=$(traffic "$1" "$vm_seconds")
	_rate=$(echo "$(interrupts) $_n $(cut -d' ' -f1 /proc/uptime) $_t" | awk '{ print ($1 - $2) / ($3 - $4) }')
	for _f in polls_per_second received_pps cpu0_busy_ratio rtt_p50_us rtt_p99_us rr_per_second; do
		_rate="$_rate $(echo "$_json" | field $_f)"
	done
	echo "$1 $2 $_rate" >>$cells
}

fixed_set() {	# SETTING
	case $1 in
	default) ;;
	gft:*)
		echo 2 >"/sys/class/net/$vm_dev/napi_defer_hard_irqs"
		echo "${1#gft:}000" >"/sys/class/net/$vm_dev/gro_flush_timeout"
		;;
	*) ethtool -C "$vm_dev" $(echo "$1" | tr ':+' '  ') ;;
	esac
}

fixed_unset() {
	echo 0 >"/sys/class/net/$vm_dev/gro_flush_timeout"
	echo 0 >"/sys/class/net/$vm_dev/napi_defer_hard_irqs"
	[ -z "$default_rx" ] || ethtool -C "$vm_dev" $default_rx 2>/dev/null
}

loads="udp:$vm_heavy rr:$vm_light"

guest_pair || fail pair "the two devices could not be joined"
if [ -n "$vm_ring" ]; then
	ethtool -G "$vm_dev" rx "$vm_ring" && sleep 2
fi
before=$(settings)
default_rx=$(echo "$before" | awk '/-(usecs|frames) / && $2 != "n/a" { printf "%s %s ", $1, $2 }')
: >$cells
for s in default $vm_sweep; do
	if ! fixed_set "$s"; then
		skip "$s" "refused"
		continue
	fi
	for l in $loads; do
		cell "$l" "$s"
	done
	fixed_unset
done
check "the sweep leaves the settings as they were" [ "$before" = "$(settings)" ]

printf '%s\n' '[match]' "name = $vm_dev" '[policy]' "mode = $vm_mode" "max-latency = ${vm_cap}us" \
	"mechanism = $vm_mechanism" >/tmp/vm.conf
for l in $loads; do
	daemon_start --config /tmp/vm.conf || fail daemon "did not start"
	traffic "$l" "$vm_settle" >/dev/null
	cell "$l" ethtuned
	ethtune status "$vm_dev" 2>&1 | sed 's/^/# status: /'
	ethtune explain "$vm_dev" 2>&1 | tail -n 12 | sed 's/^/# explain: /'
	settings | tr '\n' ' ' | sed 's/^/# set: /; s/$/\n/'
	daemon_stop # not in check's subshell, whose child it is not
	check "ethtuned ends well under $l" [ $? = 0 ]
	check "and puts back what was there" [ "$before" = "$(settings)" ]
	sed 's/^/# log: /' /tmp/ethtuned.log
done

# Prints rows, then the judgement: "ok NAME" or "fail NAME: WHY".
awk -v cap="$vm_cap" -v weights="$vm_weights" -v want="$vm_want" -v light="rr:$vm_light" -v heavy="udp:$vm_heavy" \
	-f /t/loop.awk $cells
