# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash disable=SC2034,SC2154
# Manners of drivers one by one, on the NIC double. For each: knobs go there and back through ethtune; the daemon writes
# what its policy pins, sees an operator's change, leaves it to him, sends nothing again that was refused, and puts all
# else back.
# Rows of the table: name | manners | KNOB=VALUE:WHAT IT COMES TO ("no": refused) ... | knob and value of the daemon |
# knob and value of the operator
# vm_shards, vm_shard: each N-th row only, from the I-th.
. /t/double-lib.sh

table='plain||rx-usecs=73:73 rx-frames=9:9 tx-usecs=211:211 tx-frames=17:17|rx-usecs=73|rx-usecs 41
switches||adaptive-rx=on:on adaptive-tx=on:on|tx-usecs=73|tx-usecs 41
rings and deferral||rx-ring=1024:1024 tx-ring=256:256 gro-flush-timeout=30000:30000 napi-defer-hard-irqs=2:2||
limits|usecs_max=100|rx-usecs=73:73 rx-usecs=101:no|rx-usecs=200|rx-usecs 41
limits in words|usecs_max=100 extack=1|rx-usecs=101:no|rx-usecs=200|rx-usecs 41
clamp|usecs_max=90 usecs_clamp=1 frames_max=64 frames_clamp=1|rx-usecs=300:90 rx-frames=99:64|rx-usecs=300|rx-usecs 41
steps down|usecs_step=16|rx-usecs=73:64 tx-usecs=100:96|rx-usecs=73|rx-usecs 32
steps up|usecs_step=16 usecs_up=1 frames_step=4|rx-usecs=73:80 rx-frames=5:8|rx-usecs=73|rx-usecs 32
silent raise|usecs_min_on=20 usecs_raise=1|rx-usecs=7:20 rx-usecs=0:0|rx-usecs=7|rx-usecs 41
small ones refused|usecs_min_on=20|rx-usecs=7:no rx-usecs=25:25|rx-usecs=7|rx-usecs 41
zero refused|zero_refused=0x5|rx-usecs=0:no rx-usecs=5:5|rx-usecs=73|rx-usecs 41
both zero refused|zero_pair_refused=1|tx-usecs=5:5|tx-usecs=73|tx-usecs 41
rx first, tx refused|partial=1 usecs_max=300|rx-usecs=73:73 tx-usecs=301:no|rx-usecs=73|rx-usecs 41
tx first, rx refused|partial=2 usecs_max=300|tx-usecs=73:73 rx-usecs=301:no|tx-usecs=73|tx-usecs 41
one scale|one_scale=1 has=0xf|rx-usecs=50:80 rx-usecs=81:120 tx-usecs=80:80|rx-usecs=73|rx-usecs 40
only receive times|has=1|rx-usecs=73:73 tx-usecs=7:no|rx-usecs=73|rx-usecs 41
accepted and dropped|ignored=0x3|tx-usecs=73:73|rx-usecs=73|tx-usecs 41
nothing to set|has=0 ring_max=0|rx-usecs=73:no gro-flush-timeout=30000:30000|rx-usecs=73|
queue 0 only|global_queue_0=1 per_queue=1|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
by queue|per_queue=1|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
transmit by queue|per_queue=2|tx-usecs=73:73|tx-usecs=73|tx-usecs 41
adaptive ignores values|adaptive=1|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
adaptive refuses values|adaptive=2|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
stale readback|stale=1|||
lost on up|lost_on_up=0x3f|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
lost on rings|lost_on_ring=0x3f|rx-usecs=73:73 rx-ring=1024:1024|rx-usecs=73|rx-usecs 41
busy while down|down_refused=1|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
slow|slow_ms=400|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
link flaps|flap_ms=300|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
always EIO|set_errno=5|rx-usecs=73:no|rx-usecs=73|
always ENODEV|set_errno=19 extack=1|rx-usecs=73:no|rx-usecs=73|
cannot be read|get_errno=5||rx-usecs=73|
each third fails|fail_every=3||rx-usecs=73|
frames switch|frames_mean=1|rx-frames=1:1|rx-usecs=73|rx-usecs 41
no deferral|defer_rx=0 defer_tx=0|gro-flush-timeout=30000:30000|rx-usecs=73|rx-usecs 41
fixed rings|ring_fixed=1|rx-ring=1024:no rx-usecs=73:73|rx-usecs=73|rx-usecs 41
magic values|magic=0x1a|rx-usecs=73:73|rx-usecs=73|rx-usecs 41
clock|clock_mhz=250 driver=st_gmac has=0xf|rx-usecs=73:73 tx-usecs=500:500 rx-frames=1:1|tx-usecs=9|tx-usecs 41'

there_and_back() { # KNOB VALUE WANT
	_taken=0
	_said=$(dut ethtune apply --set "$1=$2" dbl0 2>&1) || _taken=$?
	_got=$(value "$1")
	dut ethtune restore dbl0 >/dev/null 2>&1
	[ "$3" != no ] || { [ $_taken != 0 ] || [ "$_got" != "$2" ] || { echo "taken: $_said"; return 1; }; return 0; }
	same "$3" "$_got" || { echo "$_said"; return 1; }
	same "$originals" "$(settings)"
}

double_begin queues=2
row=0
echo "$table" | while IFS='|' read -r name words trips pinned operator; do
	row=$((row + 1))
	[ $((row % ${vm_shards:-1})) = "${vm_shard:-0}" ] || continue
	# shellcheck disable=SC2086 # words
	manners $words
	originals=$(settings)
	for trip in $trips; do
		knob=${trip%%=*} rest=${trip#*=}
		judge "$name: $knob ${rest%%:*}" there_and_back "$knob" "${rest%%:*}" "${rest#*:}"
		[ "$originals" = "$(settings)" ] || manners $words
	done
	[ -z "$pinned" ] || with_daemon "$pinned" "$operator"
	echo "$failures $checks" >/tmp/count
done
read -r failures checks </tmp/count
manners
double_end
