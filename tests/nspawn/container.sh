# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by run.sh: a systemd-nspawn container on an overlay of this machine's root, so nothing is downloaded and
# nothing of this machine changes. Network, /run and all that is written are the container's own.
#   container_begin            prepares $root; ends the script with 77 and the reason where that cannot be
#   container_boot [ARG...]    boots it; what is in $root by then is in the container
#   c COMMAND...               runs in it, as root
#   container_end              removes all of it; harmless when repeated
# $tmp is a directory for the test, $root the container's /, $console what its systemd said.

tmp='' root='' console='' leader='' nspawn_pid='' cgroups=()

fatal() {
	echo "$0: $*" >&2
	[ ! -s "$console" ] || tail -n 20 "$console" | sed 's/^/# /' >&2
	exit 1
}

# In a cgroup of its own where no systemd hands out one: else nspawn makes its own in the root of the hierarchy.
container_cgroups() {
	local h dir
	[ ! -d /run/systemd/system ] || return 0
	for h in systemd unified; do
		dir=/sys/fs/cgroup/$h/ethtuned-nspawn-$$
		if [ -d "/sys/fs/cgroup/$h" ] && mkdir "$dir"; then
			cgroups+=("$dir")
		fi
	done
}

container_args() {
	args=(--quiet --directory="$root" --machine="ethtuned-$$" --private-network --register=no --link-journal=no
		--console=pipe --capability=CAP_PERFMON --system-call-filter=perf_event_open)
	[ -d /run/systemd/system ] || args+=(--keep-unit)
	[ ! -d "$tmp/tracing/events" ] || args+=(--bind-ro="$tmp/tracing:/mnt")
}

# Replaces the (sub)shell that calls it.
container_exec() {
	local dir
	for dir in "${cgroups[@]}"; do
		echo "$BASHPID" >"$dir/cgroup.procs"
	done
	exec systemd-nspawn "${args[@]}" "$@"
}

container_begin() {
	local why
	[ "$(id -u)" = 0 ] || skip "needs root for a container"
	command -v systemd-nspawn >/dev/null || skip "no systemd-nspawn (package systemd-container)"
	tmp=$(mktemp -d) || exit 1
	trap container_end EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	mount -t tmpfs -o mode=0755 ethtuned-nspawn "$tmp" || skip "cannot mount a tmpfs"
	root=$tmp/root console=$tmp/console
	mkdir "$tmp/upper" "$tmp/work" "$root" "$tmp/tracing"
	why=$(mount -t overlay -o "lowerdir=/,upperdir=$tmp/upper,workdir=$tmp/work" overlay "$root" 2>&1) ||
		skip "no overlay of the root file system: $why"
	mount -t tracefs none "$tmp/tracing" 2>/dev/null # without it polls are not counted, which is said
	container_cgroups
	container_args
	why=$( (container_exec /bin/true) </dev/null 2>&1) || skip "systemd-nspawn cannot run here: $why"
}

# The container's init: child of nspawn, process 1 of another PID namespace.
find_leader() {
	local pid
	for pid in $(pgrep -P "$nspawn_pid"); do
		[ "$(awk '/^NSpid:/ { print $NF }' "/proc/$pid/status" 2>/dev/null)" = 1 ] || continue
		leader=$pid
		return 0
	done
	return 1
}

container_boot() {
	(container_exec --boot "$@") </dev/null >"$console" 2>&1 &
	nspawn_pid=$!
	within 10 find_leader || fatal "the container has no init"
	within 60 booted || { c systemctl list-jobs --no-pager >&2; fatal "the container does not boot"; }
}

# "degraded" is no matter: the machine has services that do not like containers.
booted() {
	local state
	state=$(c systemctl is-system-running 2>&1)
	case $state in
	running | degraded) ;;
	*) echo "$state"; return 1 ;;
	esac
}

c() {
	nsenter -t "$leader" -a -- "$@"
}

# Mount and cgroup stay busy for a moment after the last process is gone.
persist() {
	local i
	for ((i = 0; i < 50; i++)); do
		"$@" 2>/dev/null && return
		sleep 0.1
	done
	"$@"
}

remove_cgroup() {
	local dir
	[ -d "$1" ] || return 0
	while read -r dir; do
		rmdir "$dir" || return
	done < <(find "$1" -depth -type d)
}

container_end() {
	local dir
	trap - EXIT INT TERM HUP
	[ -z "$leader" ] || kill -KILL "$leader" 2>/dev/null # init: all others end with it
	[ -z "$nspawn_pid" ] || within 5 nspawn_gone || kill -KILL "$nspawn_pid" 2>/dev/null
	[ -z "$nspawn_pid" ] || wait "$nspawn_pid" 2>/dev/null
	leader='' nspawn_pid=''
	for dir in "${cgroups[@]}"; do
		persist remove_cgroup "$dir"
	done
	cgroups=()
	[ -n "$tmp" ] || return 0
	! mountpoint -q "$tmp/tracing" || persist umount "$tmp/tracing"
	! mountpoint -q "$root" || persist umount "$root"
	! mountpoint -q "$tmp" || umount --lazy "$tmp" # an interrupted shell still has its output there
	rmdir "$tmp"
	tmp=''
}

nspawn_gone() {
	! kill -0 "$nspawn_pid" 2>/dev/null
}
