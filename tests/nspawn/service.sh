# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by run.sh: what a test asks of, and does to, the service in the container.
#   property_*, field_is, status_field    what systemd and /proc say of it
#   values, are_original, are_tuned, become_tuned, saved_files    settings of $rx, as $tools/napictl reads them
#   journal*, said*            its entries since the mark, set by reload and service_start
#   dropin, policy, reload, service_stop, service_start, runs_anew
# Relies on container.sh, on tests/lib/check.sh and on $rx, $tools and $originals of run.sh.
# shellcheck disable=SC2154 # those

dropins=/run/systemd/system/ethtuned.service.d

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

# shellcheck disable=SC2120 # some give it more to select by
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

runs_anew() {	# OLD-PID
	local pid
	pid=$(main_pid)
	[ "$pid" != 0 ] && [ "$pid" != "$1" ] && property_is ActiveState active
}
