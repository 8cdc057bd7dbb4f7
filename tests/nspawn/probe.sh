#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run by the service manager inside the service's sandbox (ExecStartPost=): tries what must fail there, and writes what
# came of it to $RUNTIME_DIRECTORY/probe, a line "WHAT yes" or "WHAT no" each. $1 is an interface.
set -u

try() {	# WHAT COMMAND...
	local what=$1
	shift
	if "$@" >/dev/null 2>&1; then echo "$what yes"; else echo "$what no"; fi
}

write_same() {
	local value
	value=$(cat "$1") && echo "$value" >"$1"
}

# Refused is what a closed port says, to whom may ask it at all.
inet_socket() {
	{ LC_ALL=C exec 3<>/dev/tcp/127.0.0.1/1; } 2>&1 | grep -q refused
}

{
	try runtime-directory touch "$RUNTIME_DIRECTORY/x"
	try state-directory touch "$STATE_DIRECTORY/x"
	try configuration-directory touch /etc/ethtuned/x
	try deferral-file write_same "/sys/class/net/$1/gro_flush_timeout"
	try inet-socket inet_socket
	try namespace unshare --net true
	try realtime chrt --rr 1 true
	try other-processes test -e /proc/1
	try interrupts test -r /proc/interrupts
} >"$RUNTIME_DIRECTORY/probe"
rm -f "$RUNTIME_DIRECTORY/x" "$STATE_DIRECTORY/x"
