# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash disable=SC2034,SC2154
# Drivers that no emulator has, on the NIC double with their names and manners, so that conf/quirks.d knows them: one
# test for each rule.
. /t/double-lib.sh

pinned='[policy]\nmechanism = hardware\n[limits]\n'
software='[policy]\nmechanism = software\n[limits]\ngro-flush-timeout = 90000\nnapi-defer-hard-irqs = 2\n'
law='[policy]\nmode = powersave\nmax-latency = 500us\n'

never_between() { # FIRST LAST: as a time in any request
	sent | awk -v a="$1" -v b="$2" '($2 >= a && $2 <= b) || ($4 >= a && $4 <= b) { print; n++ } END { exit !!n }'
}

untouched() {
	same "$originals" "$(settings)"
}

load() { # SECONDS
	vload --tx-ns gen --rx-ns dut --dev dbl0 --peer gen0 --no-perf --summary --phase "udp:8000:$1" >/tmp/load 2>&1
}

all_but() { # COMMAND...: not so
	! "$@" >/dev/null 2>&1
}

queue_is() { # QUEUE KNOB VALUE
	same "$3" "$(queue_value "$1" "$2")"
}

# A policy may ask for what the driver does not take.
small() { # DRIVER
	daemon_start "${pinned}rx-usecs = 7\ntx-usecs = 19\n"
	sleep 4
	judge "$1: the daemon never writes 1..19, also when told to" never_between 1 19
	daemon_stop
	judge "$1: originals are back after that" untouched
	echo >"$dir/0/log"
}

icssg() {
	manners driver=icssg-prueth has=0x5 usecs_max=4294967 usecs_min_on=20 usecs_raise=1 global_queue_0=1 \
		per_queue=2 lost_on_up=0x4 delay_mode=2 channels_busy=1 ring_max=0 irq_tx=icssg1-eth-tx%q \
		irq_rx=icssg1-eth
	dut ethtool -C dbl0 rx-usecs 0 tx-usecs 0
	dut ethtool -Q dbl0 queue_mask 2 --coalesce tx-usecs 0
	echo >"$dir/0/log"
	originals=$(settings)
	small icssg
	judge "icssg: the daemon begins" daemon_start "${pinned}tx-usecs = 100\nrx-usecs = 60\n"
	judge "icssg: transmit of the first queue" eventually 5 queue_is 0 tx-usecs 100
	judge "icssg: ... and of the second, which a request for the device does not reach" \
		eventually 5 queue_is 1 tx-usecs 100
	judge "icssg: receive has no queues" value_is rx-usecs 60
	dut ip link set dbl0 down
	dut ip link set dbl0 up
	judge "icssg: what down and up loses is written again" eventually 8 queue_is 0 tx-usecs 100
	judge "icssg: ... in all queues" eventually 5 queue_is 1 tx-usecs 100
	judge "icssg: never 1..19" never_between 1 19
	judge "icssg: the daemon ends" daemon_stop
	judge "icssg: originals are back from the daemon" untouched
}

am65() {
	manners driver=am65-cpsw-nuss has=0x5 usecs_max=4294967 usecs_min_on=20 partial=2 global_queue_0=1 per_queue=1 \
		delay_mode=2 ring_fixed=1 channels_busy=1 irq_tx=8000000.ethernet-tx%q irq_rx=8000000.ethernet-rx%q
	originals=$(settings)
	dut ethtune apply --set "tx-usecs=90 rx-usecs=19" dbl0 >/dev/null 2>&1
	dut ethtune restore dbl0 >/dev/null 2>&1
	judge "am65: what was refused after half was done is put back whole" untouched
	echo >"$dir/0/log"
	small am65
	judge "am65: the daemon begins" daemon_start "${pinned}tx-usecs = 100\nrx-usecs = 60\n"
	for q in 0 1; do
		judge "am65: receive of queue $q" eventually 5 queue_is $q rx-usecs 60
		judge "am65: transmit of queue $q" eventually 5 queue_is $q tx-usecs 100
	done
	judge "am65: ports share the queues: one of them decides" decided_by_one
	judge "am65: nothing refused is sent again" no_repeats
	judge "am65: the daemon ends" daemon_stop
	judge "am65: originals are back from the daemon" untouched
}

decided_by_one() {
	says 'dbl[01]: .*(same hardware|decides)' 5 || return
	sleep 2
	[ "$(sent 0 | wc -l)" = 0 ] || [ "$(sent 1 | wc -l)" = 0 ] || { sent 0; echo /; sent 1; return 1; }
}

mtk() {
	manners driver=mtk_soc_eth has=0 ring_max=0 defer_rx=0 defer_tx=0 irq_rx=15100000.ethernet \
		irq_tx=15100000.ethernet
	originals=$(settings)
	judge "mtk: rx-usecs is refused" all_but dut ethtune apply --set rx-usecs=50 dbl0
	judge "mtk: ... without a change" untouched
	daemon_start "$law"
	load 6
	judge "mtk: nothing can be set, and nothing is" untouched
	judge "mtk: the daemon says that" says 'neither its driver nor its NAPI offers a delay' 3
	judge "mtk: the daemon ends" daemon_stop
}

interrupts() { # of the third and fourth of that name: receive
	awk '/lan743x$/ && n++ > 2 { for (i = 2; $i ~ /^[0-9]+$/; i++) s += $i } END { print s + 0 }' /proc/interrupts
}

fewer_interrupts() {
	_before=$(interrupts)
	load 2
	_rate=$((($(interrupts) - _before) / 2))
	[ $_rate -lt 2000 ] || { echo "$_rate interrupts a second for 8000 packets"; return 1; }
}

lan743x() {
	manners driver=lan743x has=0 ring_max=0 defer_tx=0 irq_rx=lan743x irq_tx=lan743x irq_other=lan743x \
		stat_rx=RX+Queue+%q+Frames stat_drop=RX+Dropped+Frames
	originals=$(settings)
	judge "lan743x: rx-usecs is refused" all_but dut ethtune apply --set rx-usecs=50 dbl0
	judge "lan743x: the daemon begins" daemon_start "$software"
	judge "lan743x: deferral by software is written" eventually 8 value_is gro-flush-timeout 90000
	load 2
	judge "lan743x: ... and keeps receive interrupts off" fewer_interrupts
	judge "lan743x: the daemon ends" daemon_stop
	judge "lan743x: originals are back" untouched
}

double_begin queues=2
icssg
mtk
lan743x
double_end
double_begin queues=2 nics=2 tied=1
am65
double_end
