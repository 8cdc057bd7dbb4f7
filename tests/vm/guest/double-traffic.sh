# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash disable=SC2034,SC2154
# The double itself: its interrupts obey ethtool -C, and traffic during down and up, ring and channel changes does no
# harm.
. /t/double-lib.sh

rate() { # LOAD: interrupts a second
	_a=$(awk '/dbl0-rx/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts)
	vload --tx-ns gen --rx-ns dut --dev dbl0 --peer gen0 --no-perf --summary --phase "$1:2" >/tmp/load 2>&1 ||
		cat /tmp/load >&2
	awk -v a="$_a" '/dbl0-rx/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print int((n - a) / 2) }' \
		/proc/interrupts
}

between() { # LOW HIGH VALUE
	[ "$3" -ge "$1" ] && [ "$3" -le "$2" ] || { echo "$3 is not within $1..$2"; return 1; }
}

double_begin queues=2
manners
dut ethtool -C dbl0 rx-usecs 0
judge "no wait: an interrupt a packet" between 4500 5100 "$(rate udp:5000-rr)"
dut ethtool -C dbl0 rx-usecs 1000
judge "1000 us: at most a thousand" between 500 1050 "$(rate udp:5000-rr)"
dut ethtool -C dbl0 rx-frames 2
judge "... but two frames end the wait" between 1800 2700 "$(rate udp:5000-rr)"
dut ethtool -C dbl0 rx-frames 0
manners delay_mode=1
dut ethtool -C dbl0 rx-usecs 1000
judge "a gap between interrupts" between 500 1050 "$(rate udp:5000-rr)"
manners
vload --tx-ns gen --rx-ns dut --dev dbl0 --peer gen0 --no-perf --summary --phase udp:5000:8 >/tmp/load 2>&1 &
for i in 1 2 3 4 5 6; do
	dut ethtool -G dbl0 rx $((64 * i)) tx $((128 * i))
	dut ethtool -L dbl0 combined $((1 + i % 4))
	dut ip link set dbl0 down
	dut ip link set dbl0 up
	usleep 300000
done >/tmp/why 2>&1
wait
dut ethtool -L dbl0 combined 2
judge "traffic goes on after all that" between 1000 12000 "$(rate udp:5000)"
double_end
