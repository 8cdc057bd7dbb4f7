#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ethtune watch on a real terminal, tmux's, at several sizes: what is on the screen, that it is redrawn in place,
# follows the size, ends with q, and leaves the terminal as it was. Relies on tests/lib/daemon.sh and tmux.
# shellcheck disable=SC2317 # the checks are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

tm() {
	tmux -f /dev/null -S "$tmp/tmux" "$@"
}

capture() {
	tm capture-pane -p -t w
}

shows() {	# REGEX
	capture | grep -qE -- "$1" || { capture; false; }
}

shows_not() {
	! capture | grep -E -- "$1"
}

type_line() {
	tm send-keys -t w "$1" Enter
}

# The longest line and the number of lines that have anything, of what is on the screen.
fits() {	# COLUMNS ROWS
	capture | awk -v columns="$1" -v rows="$2" '
		{ if (length > columns) { print; bad = 1 } }
		NF { n = NR }
		END { if (n > rows) { print n " lines"; bad = 1 } exit bad }'
}

clock() {
	capture | sed -n '1s/.*watch  \([0-9:]*\).*/\1/p'
}

clock_moves() {
	local before
	before=$(clock)
	sleep 1.3
	[ -n "$before" ] && differ "$before" "$(clock)"
}

end_all() {
	tm kill-server 2>/dev/null
	_lab_clean
	netns_down "$lab"
}

lab_need tmux
lab_begin watch
trap end_all EXIT
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
	inside ip link add "x$i" type veth peer name "y$i"
done
daemon_in=(env DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent/bus)
daemon_start --mode powersave --max-latency 500us
within 5 test -S "$tmp/run/control"
export RUNTIME_DIRECTORY=$tmp/run PS1='ready> '

tm new-session -d -s w -x 80 -y 24 "ip netns exec $lab-b bash --norc --noprofile" || fatal "no tmux"
type_line "PS1='ready> '; clear; $ETHTUNE watch --interval 200ms"
check "80x24: a title" within 5 shows '^ethtune watch  [0-9:]+  27 interfaces  q quits'
check "... a head" shows '^NAME +STATE .*RX US'
check "... the interface" shows "^$rx1 +(new|active) "
check "... what has no room is counted" shows '^\.\.\. [0-9]+ more'
check "... nothing wraps, nothing scrolls" fits 80 24
check "... redrawn in place" clock_moves
check "... the head is there once" same 1 "$(capture | grep -c '^NAME')"
tm resize-window -t w -x 130 -y 40
check "130x40: follows the size" within 3 shows 'PKT/POLL'
check "... all of them have room" within 3 shows_not '[0-9] more'
check "... more columns" shows 'IRQ/S.*REASON'
check "... fits" fits 130 40
tm resize-window -t w -x 40 -y 10
check "40x10: only what matters" within 3 shows '^NAME +STATE.*RX US'
check "... fits" within 3 fits 40 10
check "... few rows" within 3 shows '2[0-9] more'
tm resize-window -t w -x 80 -y 24
tm send-keys -t w q
check "q quits" within 3 shows '^ready> *$'
check "... with the former screen back" shows_not '^ethtune watch '
type_line 'stty -a | tr ";" "\n" | grep -o "[-]*icanon\|[-]*echo " | xargs'
check "... and the terminal as it was" within 3 shows '^icanon echo$'
type_line "clear; $ETHTUNE watch --interval 200ms $rx1"
check "one interface: its settings" within 5 shows '^settings: gro-flush-timeout'
check "... and the last decision" within 5 shows '^decision: '
tm send-keys -t w C-c
check "Ctrl-C ends it too" within 3 shows '^ready> *$'
type_line "clear; $ETHTUNE watch --interval 200ms"
check "again" within 5 shows '^ethtune watch'
check "TERM: the daemon ends with 0" daemon_stop
check "... and so does watch, with one line" within 5 shows 'ethtune watch: ethtuned closed the connection'
lab_end
