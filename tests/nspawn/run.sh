#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The unit as it is installed, run by a real systemd in a container: start, sandbox, control, tuning, reload, kill,
# watchdog, crashes with and without ExecStopPost=, stop, journal fields, and the drop-in for sysfs deferral.
# Prints a line for each check and the exposure that systemd-analyze gives. Takes half a minute.
# Environment: builddir, a build that may be installed (make DESTDIR=... install). Exits 77 with the reason where
# systemd-nspawn cannot run.
# Relies on container.sh, service.sh and probe.sh here, and on tests/lib/{check.sh,netns.sh,napictl,vload}.

set -u
here=$(dirname "$(readlink -f "$0")")
builddir=${builddir:-$PWD}
exposure_max=15		# tenths
tools=/usr/local/lib/ethtuned-nspawn
change_id=6f1c2f0e5d7a4d0d9d0c3c8e2b5a7a41
export NETNS_TX_DEV=tn$$ NETNS_RX_DEV=rn$$	# the poll tracepoint knows devices by name only
rx=$NETNS_RX_DEV

# shellcheck source=tests/lib/check.sh
. "$here/../lib/check.sh"
# shellcheck source=tests/nspawn/container.sh
. "$here/container.sh"
# shellcheck source=tests/nspawn/service.sh
. "$here/service.sh"

# No end of restarts; and after the unit's own ExecStopPost=, outside its sandbox, a look at what is set by then.
record_end() {
	# shellcheck disable=SC2016 # expanded when it runs
	printf '#!/bin/sh\n{ echo "$SERVICE_RESULT"; %s/napictl %s | sed "s/^[0-9]* //"; } >/run/ethtuned-end\n' \
		"$tools" "$rx" | c tee "$tools/end" >/dev/null
	c chmod +x "$tools/end"
	printf '%s\n' '[Unit]' StartLimitIntervalSec=0 '[Service]' RestartSec=100ms \
		"ExecStartPost=$tools/probe.sh $rx" "ExecStopPost=+$tools/end" | dropin test
}

install_tools() {
	local f
	"${MAKE:-make}" -s -C "$builddir" DESTDIR="$root" install >"$tmp/install.log" 2>&1 ||
		{ cat "$tmp/install.log" >&2; fatal "$builddir cannot be installed"; }
	mkdir -p "$root$tools" "$root/etc/ethtuned/policy.d"
	for f in "$builddir/tests/lib/napictl" "$builddir/tests/lib/vload" "$here/../lib/netns.sh" "$here/probe.sh"; do
		cp "$f" "$root$tools" || fatal "no $f"
	done
	# where the bus looks for it with the prefix of a package
	mkdir -p "$root/usr/share/dbus-1/system.d"
	find "$tmp/upper" -path '*/local/*' -name org.ethtuned.Ethtuned1.conf \
		-exec cp {} "$root/usr/share/dbus-1/system.d" \;
	unit=$(find "$tmp/upper" -name ethtuned.service)
	ethtune=$(find "$tmp/upper" -name ethtune -path '*/bin/*')
	ethtune=${ethtune#"$tmp/upper"}
	if [ -z "$unit" ] || [ -z "$ethtune" ]; then
		fatal "unit or programs were not installed"
	fi
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
	c "$ethtune" restore >/dev/null # makes /run/ethtuned, as root
	check "starts and reports READY" service_start
	check "takes over what root left in /run/ethtuned" same ethtuned "$(c stat -c %U /run/ethtuned/lock)"
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
	check "sees other processes, for the rights of callers" probed other-processes yes
	check "can read /proc/interrupts" probed interrupts yes
}

# Through systemd's socket: the service may open none.
metrics() {
	# shellcheck disable=SC2016 # expanded inside
	c bash -c 'exec 3<>/dev/tcp/127.0.0.1/9817 && printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && timeout 5 cat <&3'
}

test_metrics() {
	check "metrics come through systemd's socket" within 5 eval 'metrics | grep "^ethtuned_build_info"'
}

socket_is() {
	same "$1" "$(c systemctl show --property=ActiveState --value ethtuned-metrics.socket)"
}

# The user that the policy of the bus names comes with the installation.
bus_up() {
	c sh -c 'command -v dbus-daemon && systemd-sysusers && systemctl start dbus.service' >"$tmp/bus" 2>&1 && return
	sed 's/^/# no system bus: /' "$tmp/bus"
	return 1
}

other() {
	c setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

on_bus() {
	c busctl --no-pager status org.ethtuned.Ethtuned1
}

refused_other() {
	local out
	out=$(other "$ethtune" pause "$rx" 2>&1) && return 1
	grep -q 'needs root' <<<"$out" || { echo "$out"; false; }
}

test_control() {
	journal_mark
	check "the control socket answers root" grep -q "^$rx " <(c "$ethtune" status)
	check "... and takes orders" c "$ethtune" mode "$rx" latency
	check "... which the journal has" within 5 said "$rx: on request of uid 0: mode set to latency"
	check "... and takes them back" c "$ethtune" mode "$rx" policy
	[ "$with_bus" = yes ] || return
	check "is on the system bus, as the user of the service" within 5 on_bus
	check "... where others may look" grep -q "^$rx " <(other "$ethtune" status)
	check "... but not change" refused_other
	check "... which the journal has" within 5 said 'refused Pause to uid 65534'
	check "... but for those with CAP_NET_ADMIN" other --inh-caps +net_admin --ambient-caps +net_admin \
		"$ethtune" mode "$rx" policy
}

test_tuning() {
	load_start
	check "a veth under load is tuned" become_tuned
	check "... and the journal says so" within 5 said "^$rx: gro-flush-timeout 0 -> [1-9]"
	check "originals are on disk" test -n "$(saved_files)"
	! has_tracefs || check "polls are counted" within 5 counts_polls
}

has_tracefs() {
	c test -r /sys/kernel/tracing/events/napi/napi_poll/id
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

dies_for_good() {
	check "tunes" become_tuned
	c kill -KILL "$(main_pid)"
	check "killed, and nothing runs after that" within 20 property_is ActiveState failed
	check "... leaves settings changed" are_tuned
	check "... and originals saved" test -n "$(saved_files)"
}

# The last line of defence, for which the runtime directory must outlive the service.
test_crash_without_stop_post() {
	printf '%s\n' '[Service]' ExecStopPost= Restart=no | dropin crash
	dies_for_good
	check "ethtune restore puts them back" c "$ethtune" restore
	check "... all of them" are_original
	check "... and forgets them" test -z "$(saved_files)"
	check "starts again" service_start
	dies_for_good
	policy 'mode = observe'
	check "starts again, not to write" service_start
	check "... but puts the originals back" within 5 are_original
	check "... and forgets them" test -z "$(saved_files)"
	dropin_remove crash
}

# Watching files is allowed, writing them is not.
test_operator() {
	check "tunes" become_tuned
	journal_mark
	c sh -c "echo 33000 >/sys/class/net/$rx/gro_flush_timeout"
	check "a write to sysfs is seen from inside the sandbox" \
		within 2 said "^$rx: gro-flush-timeout.* changed by someone else [(]by a write to sysfs"
	c sh -c "echo 0 >/sys/class/net/$rx/gro_flush_timeout"
	check "restarts" c systemctl restart ethtuned
}

test_stop() {
	policy 'mode = throughput' 'max-latency = 250us'
	reload
	check "tunes again" become_tuned
	check "stops" service_stop
	check "... without a failure, with the originals back" after_end success$'\n'"$originals"
	check "... and none left on disk" test -z "$(saved_files)"
	check "... and the socket for metrics is gone" within 5 socket_is inactive
	check "... so that a scrape starts nothing" eval '! metrics; property_is ActiveState inactive'
}

# SetCredential= of the unit stands in for what LoadCredential= does not find.
test_without_tracefs() {
	! has_tracefs || c umount /sys/kernel/tracing
	check "starts without tracefs" service_start
	check "... and tunes" become_tuned
	check "... and says once that polls are not counted" said_once 'polls are not counted'
	check "stops" service_stop
	check "... with the originals back" are_original
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

with_bus=no
bus_up && with_bus=yes

test_exposure
test_start
test_sandbox
test_metrics
test_control
test_tuning
test_journal
test_reload
test_operator
test_deaths
test_crash_without_stop_post
test_stop
test_without_tracefs
test_sysfs_dropin

echo "1..$checks"
if [ "$failures" != 0 ]; then
	echo "# $failures of $checks failed; the journal:"
	c journalctl --quiet --no-pager -u ethtuned -o short-monotonic | sed 's/^/# /'
	exit 1
fi
