#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The unit as it is installed, run by a real systemd in a container: start, sandbox, tuning under load, reload, kill,
# watchdog, crashes with and without ExecStopPost=, stop, journal fields, and the drop-in for sysfs deferral.
# Prints a line for each check and the exposure that systemd-analyze gives. Takes half a minute.
# Environment: builddir, a build that may be installed (make DESTDIR=... install). Exits 77 with the reason where
# systemd-nspawn cannot run. Relies on container.sh and probe.sh here, on tests/lib/{netns.sh,napictl,vload}.

set -u
here=$(dirname "$(readlink -f "$0")")
builddir=${builddir:-$PWD}
exposure_max=15		# tenths
checks=0 failures=0
tools=/usr/local/lib/ethtuned-nspawn
dropins=/run/systemd/system/ethtuned.service.d
change_id=6f1c2f0e5d7a4d0d9d0c3c8e2b5a7a41
export NETNS_TX_DEV=tn$$ NETNS_RX_DEV=rn$$	# the poll tracepoint knows devices by name only
rx=$NETNS_RX_DEV

# shellcheck source=tests/nspawn/container.sh
. "$here/container.sh"

# check WHAT COMMAND...: the command's output is shown when it fails.
check() {
	local what=$1
	shift
	checks=$((checks + 1))
	if "$@" >"$tmp/check" 2>&1; then
		echo "ok $checks - $what"
		return 0
	fi
	echo "not ok $checks - $what: $*"
	sed 's/^/# /' "$tmp/check"
	failures=$((failures + 1))
	return 1
}

same() {
	[ "$1" = "$2" ] || { diff <(echo "$1") <(echo "$2"); false; }
}

# --- what is looked at ------------------------------------------------------------------------

property() {	# NAME
	c systemctl show --property="$1" --value ethtuned
}

property_is() {
	same "$2" "$(property "$1")"
}

property_has() {
	property "$1" | grep -E -- "$2" || { property "$1"; false; }
}

main_pid() {
	property MainPID
}

status_field() {	# NAME, of the daemon's /proc/PID/status
	c sed -n "s/^$1:[[:space:]]*//p" "/proc/$(main_pid)/status"
}

field_is() {
	same "$2" "$(status_field "$1")"
}

# Settings of every NAPI instance, without their numbers.
values() {
	c "$tools/napictl" "$rx" | sed 's/^[0-9]* //'
}

are_original() {
	same "$originals" "$(values)"
}

are_tuned() {
	[ "$(values)" != "$originals" ] || { values; false; }
}

# A change may be taken back and made again while other work disturbs the load, so this is always waited for.
become_tuned() {
	within 30 are_tuned
}

saved_files() {
	c find /run/ethtuned/ -name '*originals*'
}

journal_mark() {
	cursor=$(c journalctl --quiet --no-pager -n 0 --show-cursor | sed -n 's/^-- cursor: //p')
}

journal() {
	c journalctl --quiet --no-pager -o cat -u ethtuned --after-cursor="$cursor" "$@"
}

said() {	# REGEX: since the mark
	journal | grep -E -- "$1" || { journal; false; }
}

said_once() {
	[ "$(journal | grep -cE -- "$1")" = 1 ] || { journal; false; }
}

# --- what is done -----------------------------------------------------------------------------

dropin() {	# NAME, text on stdin
	c mkdir -p "$dropins" && c tee "$dropins/$1.conf" >/dev/null && c systemctl daemon-reload
}

dropin_remove() {
	c rm -f "$dropins/$1.conf" && c systemctl daemon-reload
}

policy() {	# LINE...
	printf '%s\n' '[policy]' "$@" | c tee /etc/ethtuned/policy.d/50-test.conf >/dev/null
}

reload() {
	journal_mark
	c systemctl reload ethtuned
}

service_stop() {
	c systemctl stop ethtuned
}

service_start() {
	journal_mark
	c systemctl start ethtuned
}

# No end of restarts; and after the unit's own ExecStopPost=, outside its sandbox, what is set when the next start comes.
record_end() {
	printf '#!/bin/sh\n{ echo "$SERVICE_RESULT"; %s/napictl %s | sed "s/^[0-9]* //"; } >/run/ethtuned-end\n' \
		"$tools" "$rx" | c tee "$tools/end" >/dev/null
	c chmod +x "$tools/end"
	printf '%s\n' '[Unit]' StartLimitIntervalSec=0 '[Service]' RestartSec=100ms \
		"ExecStartPost=$tools/probe.sh $rx" "ExecStopPost=+$tools/end" | dropin test
}

install_tools() {
	local f
	make -s -C "$builddir" DESTDIR="$root" install >"$tmp/install.log" 2>&1 ||
		{ cat "$tmp/install.log" >&2; fatal "$builddir cannot be installed"; }
	mkdir -p "$root$tools" "$root/etc/ethtuned/policy.d"
	for f in "$builddir/tests/lib/napictl" "$builddir/tests/lib/vload" "$here/../lib/netns.sh" "$here/probe.sh"; do
		cp "$f" "$root$tools" || fatal "no $f"
	done
	unit=$(find "$tmp/upper" -name ethtuned.service)
	[ -n "$unit" ] || fatal "the unit was not installed"
}

# nspawn shows these read-only: what is tested is the unit's doing.
sysfs_writable() {
	c mount -o remount,rw /sys/devices && c mount -o remount,bind,rw /sys/kernel
}

# The service's namespace is the container's own; the sender has another.
network_up() {
	# shellcheck disable=SC2016 # expanded inside
	c env NETNS_TX_DEV="$NETNS_TX_DEV" NETNS_RX_DEV="$NETNS_RX_DEV" sh -c '. "$1/netns.sh"
		ip netns add load-a && ip netns attach load-b 1 && netns_pair load' sh "$tools" ||
		fatal "no veth in the container"
}

load_start() {
	c nice -n -10 "$tools/vload" --tx-ns load-a --rx-ns load-b --dev lo --peer lo --no-perf --summary \
		--phase udp:30000-rr:300 >"$tmp/load" 2>&1 &
}

# What a real system mounts by itself; bound to where the container's own mounts do not cover it.
tracefs_up() {
	[ -d "$root/mnt" ] && c sh -c '[ -d /mnt/events ] && mount --bind /mnt /sys/kernel/tracing'
}

# --- the checks -------------------------------------------------------------------------------

test_exposure() {
	local text
	text=$(systemd-analyze security --offline=yes --no-pager "$unit" | tail -n 1)
	echo "# ${text#*→ }"
	check "exposure is 1.5 or less" systemd-analyze security --offline=yes --no-pager \
		--threshold=$exposure_max "$unit"
}

test_start() {
	check "starts and reports READY" service_start
	check "is active" property_is ActiveState active
	check "says what it does as STATUS" within 5 property_has StatusText '^[0-9]+ of 1 interfaces under control'
	check "nothing wrong in the journal" no_complaints
}

no_complaints() {
	local out
	out=$(journal -p warning)
	[ -z "$out" ] || { echo "$out"; false; }
}

# As root, so that it is the sandbox that refuses and not the lack of rights.
read_only() {	# FILE
	! c nsenter -t "$(main_pid)" -m -- sh -c "LC_ALL=C; export LC_ALL; : >>$1" 2>"$tmp/ro" || return
	cat "$tmp/ro"
	grep -q 'Read-only file system' "$tmp/ro"
}

probed() {	# WHAT yes|no
	c grep -xF "$1 $2" /run/ethtuned/probe || { c cat /run/ethtuned/probe; false; }
}

test_sandbox() {
	local file
	check "runs as a user of its own" same ethtuned "$(c stat -c %U "/proc/$(main_pid)")"
	check "has CAP_NET_ADMIN and CAP_PERFMON, no more" field_is CapEff 0000004000001000
	check "can get no other" field_is CapBnd 0000004000001000
	check "NoNewPrivs" field_is NoNewPrivs 1
	check "a system call filter is in force" field_is Seccomp 2
	for file in /usr/x /etc/x /var/lib/x /proc/sys/net/core/somaxconn /sys/kernel/profiling \
		"/sys/class/net/$rx/gro_flush_timeout"; do
		check "read-only: ${file/$rx/DEV}" read_only "$file"
	done
	check "may write its runtime directory" probed runtime-directory yes
	check "may write its state directory" probed state-directory yes
	check "may not write its configuration" probed configuration-directory no
	check "may not write deferral files" probed deferral-file no
	check "has no Internet sockets" probed inet-socket no
	check "makes no namespaces" probed namespace no
	check "gets no realtime priority" probed realtime no
	check "does not see other processes" probed other-processes no
	check "can read /proc/interrupts" probed interrupts yes
}

test_tuning() {
	load_start
	check "a veth under load is tuned" become_tuned
	check "... and the journal says so" within 5 said "^$rx: gro-flush-timeout 0 -> [1-9]"
	check "originals are on disk" test -n "$(saved_files)"
	if c test -r /sys/kernel/tracing/events/napi/napi_poll/id; then
		check "polls are counted" within 5 counts_polls
	else
		check "polls cannot be counted here, which is said once" said_once 'polls are not counted'
	fi
}

counts_polls() {
	c ls -l "/proc/$(main_pid)/fd" | grep -q perf_event || { journal; false; }
}

test_journal() {
	local entry key
	entry=$(journal -o json -n 1 "MESSAGE_ID=$change_id")
	for key in "NETDEV\":\"$rx\"" 'KNOB":"gro-flush-timeout"\|KNOB":"napi-defer-hard-irqs"' 'OLD":"' 'NEW":"' \
		'REASON":"[a-z]' "MESSAGE\":\"$rx: " 'PRIORITY":"6"' '_SYSTEMD_UNIT":"ethtuned.service"'; do
		check "the entry of a change has ${key%%\"*}" grep -q "\"$key" <<<"$entry"
	done
}

test_reload() {
	local pid
	pid=$(main_pid)
	policy 'mode = latency' 'max-latency 25us'
	reload
	check "a bad configuration is refused with file and line" within 5 said '50-test.conf:3: .*max-latency 25us'
	check "... and the old one kept" within 5 said 'the configuration stays as it was'
	check "... with the settings as they are" become_tuned
	policy 'mode = off'
	reload
	check "a good one is taken" within 5 said "^$rx: left alone: policy 50-test"
	check "... with the originals back" within 5 are_original
	check "... by the same process" same "$pid" "$(main_pid)"
	policy 'mode = throughput' 'max-latency = 250us'
	reload
	check "... and back under control with the next" become_tuned
}

runs_anew() {	# OLD-PID
	local pid
	pid=$(main_pid)
	[ "$pid" != 0 ] && [ "$pid" != "$1" ] && property_is ActiveState active
}

after_end() {	# TEXT: what the last ExecStopPost= found, see record_end
	same "$1" "$(c cat /run/ethtuned-end)"
}

# SIGNAL RESULT
dies() {
	local pid
	check "$2: tunes before" become_tuned
	pid=$(main_pid)
	journal_mark
	c kill "-$1" "$pid"
	check "... it runs again, as another process" within 60 runs_anew "$pid"
	check "... originals were back before that" after_end "$2"$'\n'"$originals"
	check "... put back by ExecStopPost=" said "^$rx: originals are back"
}

test_deaths() {
	dies KILL signal
	printf '%s\n' '[Service]' WatchdogSec=4s | dropin watchdog
	check "restarts with another watchdog" c systemctl restart ethtuned
	dies STOP watchdog
	dropin_remove watchdog
}

# The last line of defence: nothing ran after the kill.
test_crash_without_stop_post() {
	printf '%s\n' '[Service]' ExecStopPost= Restart=no | dropin crash
	check "tunes after that" become_tuned
	c kill -KILL "$(main_pid)"
	check "killed without ExecStopPost=" within 20 property_is ActiveState failed
	check "... leaves settings changed" are_tuned
	check "... and originals saved" test -n "$(saved_files)"
	policy 'mode = observe'
	c systemctl reset-failed ethtuned
	service_start
	check "the next start puts them back" within 5 are_original
	check "... and forgets them" test -z "$(saved_files)"
	dropin_remove crash
}

test_stop() {
	policy 'mode = throughput' 'max-latency = 250us'
	reload
	check "tunes again" become_tuned
	check "stops" service_stop
	check "... without a failure, with the originals back" after_end success$'\n'"$originals"
	check "... and none left on disk" test -z "$(saved_files)"
}

test_sysfs_dropin() {
	dropin sysfs-deferral <"$here/../../systemd/sysfs-deferral.conf"
	check "starts with sysfs-deferral.conf" service_start
	check "... which adds CAP_DAC_OVERRIDE" field_is CapEff 0000004000001002
	check "... and lets it write deferral files" probed deferral-file yes
	check "... but no configuration" probed configuration-directory no
	check "... nor /proc/sys" read_only /proc/sys/net/core/somaxconn
	check "... nor /sys/kernel" read_only /sys/kernel/profiling
	check "stops" service_stop
	check "... with the originals back" are_original
}

container_begin
install_tools
container_boot systemd.unit=basic.target
sysfs_writable || fatal "/sys stays read-only"
tracefs_up || echo "# no tracefs in the container"
network_up
originals=$(values)
policy 'mode = throughput' 'max-latency = 250us'
record_end

test_exposure
test_start
test_sandbox
test_tuning
test_journal
test_reload
test_deaths
test_crash_without_stop_post
test_stop
test_sysfs_dropin

echo "1..$checks"
if [ "$failures" != 0 ]; then
	echo "# $failures of $checks failed; the journal:"
	c journalctl --quiet --no-pager -u ethtuned -o short-monotonic | sed 's/^/# /'
	exit 1
fi
