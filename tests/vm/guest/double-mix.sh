# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash disable=SC2034,SC2154
# Random mixes of manners on the NIC double: what the daemon pins, an operator's change, originals at the end.
# vm_seed, vm_rounds.
. /t/double-lib.sh

mix='usecs_max=100 usecs_clamp=1 usecs_step=4 usecs_up=1 usecs_min_on=20 usecs_raise=1 frames_step=4
	partial=1 partial=2 per_queue=1 per_queue=2 adaptive=1 adaptive=2 delay_mode=1 delay_mode=2 defer_rx=0
	defer_tx=0 lost_on_up=0x3f lost_on_ring=0x3f slow_ms=150 flap_ms=50 extack=1 ring_fixed=1 ring_max=0
	channels_busy=1 has=0x5 has=0xf has=0x1 magic=0x1a frames_mean=1'

double_begin queues=2
echo "# seed $vm_seed"
i=0
while [ $i -lt "${vm_rounds:-10}" ]; do
	i=$((i + 1))
	words=$(echo "$mix" | tr -s ' \t' '\n\n' | awk -v seed="$((vm_seed + i))" '
		BEGIN { srand(seed) } NF { w[n++] = $1 }
		END { for (j = 0; j < 4; j++) printf "%s ", w[int(rand() * n)] }')
	name="mix $i ($words)"
	manners $words
	originals=$(settings)
	with_daemon "rx-usecs=$((24 + 4 * ((vm_seed + i) % 16)))" "rx-usecs $((92 + 4 * (i % 2)))"
done
manners
double_end
