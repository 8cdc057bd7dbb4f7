#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Real readers: Prometheus scrapes, in OpenMetrics form, a real daemon that tunes a veth under load; node_exporter
# serves its text file, and another one a made-up exposition with the families that need hardware. Every family, every
# query of the dashboard and the alerts are asked for. promtool judges the exposition, the rules and their tests.
# Relies on tests/lib/daemon.sh, tests/daemon/test-metrics, curl, jq, and on prometheus, promtool and
# prometheus-node-exporter, installed or below $builddir/tools (see quickstart).
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=$(dirname "$(readlink -f "$0")")
builddir=${builddir:-$PWD}
PATH=$PATH:$builddir/tools/usr/bin
contrib=$here/../../contrib
dashboard=$contrib/grafana/ethtuned.json
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

prometheus=http://127.0.0.1:9090
pids=()
# What a veth does not have; it must come from the made-up exposition.
hardware='^ethtuned_(interrupts|queue_.*|coalesce_.*|ring_.*|apply_errors)(_total)?$'

clean() {
	[ ${#pids[@]} = 0 ] || { kill "${pids[@]}" && wait "${pids[@]}"; } 2>/dev/null
	_lab_clean
}

background() {	# NAME COMMAND...
	local name=$1
	shift
	inside "$@" >"$tmp/$name.log" 2>&1 &
	pids+=($!)
}

scrape() {	# URL [OPTION...]
	inside curl -sSf --max-time 5 "$@"
}

made_up() {	# text|openmetrics
	"$builddir/tests/daemon/test-metrics" --print "$1"
}

readers_up() {
	mkdir -p "$tmp/textfile" "$tmp/madeup" "$tmp/tsdb"
	made_up text >"$tmp/madeup/ethtuned.prom" || fatal "no made-up exposition"
	cat >"$tmp/prometheus.yml" <<-END
	global: { scrape_interval: 1s, evaluation_interval: 1s }
	rule_files: [ "$contrib/prometheus/ethtuned.rules.yml" ]
	scrape_configs:
	  - { job_name: ethtuned, static_configs: [ targets: [ "127.0.0.1:9817" ] ] }
	  - { job_name: textfile, static_configs: [ targets: [ "127.0.0.1:9100" ] ] }
	  - { job_name: made-up, static_configs: [ targets: [ "127.0.0.1:9101" ] ] }
	END
	background textfile prometheus-node-exporter --web.listen-address=127.0.0.1:9100 \
		--collector.disable-defaults --collector.textfile --collector.textfile.directory="$tmp/textfile"
	background madeup prometheus-node-exporter --web.listen-address=127.0.0.1:9101 \
		--collector.disable-defaults --collector.textfile --collector.textfile.directory="$tmp/madeup"
	background prometheus prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/tsdb" \
		--web.listen-address=127.0.0.1:9090
}

# ---- promtool

test_promtool() {
	check "promtool check rules" promtool check rules "$contrib/prometheus/ethtuned.rules.yml"
	check "promtool test rules" promtool test rules "$contrib/prometheus/ethtuned.rules.test.yml"
	check "... has a test for every alert" every_alert_tested
	check "promtool check metrics, of the daemon" clean_metrics scrape http://127.0.0.1:9817/metrics
	check "... and of all families" clean_metrics made_up text
	check "promtool check config" promtool check config "$tmp/prometheus.yml"
}

every_alert_tested() {
	local alert rc=0
	for alert in $(sed -n 's/^ *- alert: //p' "$contrib/prometheus/ethtuned.rules.yml"); do
		grep -q "$alert" "$contrib/prometheus/ethtuned.rules.test.yml" || { echo "no test of $alert"; rc=1; }
	done
	return $rc
}

# It also says what it does not like with exit code 0.
clean_metrics() {	# COMMAND...
	"$@" >"$tmp/exposition" || return
	if ! promtool check metrics <"$tmp/exposition" >"$tmp/lint" 2>&1 || [ -s "$tmp/lint" ]; then
		cat "$tmp/lint"
		return 1
	fi
}

# ---- Prometheus

# Prints the number of series. The query as it is in the dashboard, for all machines and interfaces.
series() {	# QUERY
	local query=$1
	query=${query//\$__rate_interval/10s}
	query=${query//\$__interval/10s}
	query=${query//\$instance/.*}
	query=${query//\$device/.*}
	scrape "$prometheus/api/v1/query" --data-urlencode "query=$query" >"$tmp/answer" 2>&1 ||
		{ cat "$tmp/answer"; jq -r .error "$tmp/answer"; return 1; }
	jq '.data.result | length' "$tmp/answer"
}

has_series() {	# QUERY
	local n
	n=$(series "$1") && [ "$n" -gt 0 ] || { echo "$n series: $1"; false; }
}

is_up() {
	scrape "$prometheus/api/v1/targets?state=active" |
		jq -e '[.data.activeTargets[] | select(.health == "up")] | length == 3'
}

# Only OpenMetrics has units.
came_as_openmetrics() {
	scrape "$prometheus/api/v1/targets/metadata" --get --data-urlencode 'match_target={job="ethtuned"}' \
		--data metric=ethtuned_tick_duration_seconds | jq -r '.data[].unit' | grep -x seconds
}

families() {
	sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' "$tmp/madeup/ethtuned.prom"
}

test_families() {
	local family job n=0
	for family in $(families); do
		job=ethtuned
		[[ $family =~ $hardware ]] && job=made-up
		n=$((n + 1))
		check "$job: $family" within 5 has_series "{__name__=~\"$family(_count)?\", job=\"$job\"}"
	done
	check "all of the table" [ "$n" -ge 45 ]
	check "nothing else comes from the daemon" every_known_series
	check "rates have values" within 10 has_series "rate(ethtuned_packets_total{job=\"ethtuned\"}[10s]) > 1000"
	check "the daemon's target is up, with samples" has_series 'scrape_samples_scraped{job="ethtuned"} > 50'
	check "OpenMetrics was asked for and taken" came_as_openmetrics
	check "node_exporter serves the text file" within 15 has_series 'ethtuned_packets_total{job="textfile"} > 0'
	check "... with its time" has_series 'node_textfile_mtime_seconds{job="textfile", file=~".*ethtuned.prom"} > 0'
	check "... and nothing to complain about" has_series 'node_textfile_scrape_error == 0'
}

every_known_series() {
	local extra
	extra=$(scrape "$prometheus/api/v1/label/__name__/values" --get \
		--data-urlencode 'match[]={job="ethtuned"}' | jq -r '.data[]' |
		grep '^ethtuned_' | sed 's/_\(bucket\|sum\|count\)$//' | sort -u | grep -vxF "$(families)")
	[ -z "$extra" ] || { echo "$extra"; false; }
}

test_dashboard() {
	local title expr n=0
	while IFS=$'\t' read -r title expr; do
		n=$((n + 1))
		check "dashboard: $title" within 12 has_series "$expr"
	done < <(jq -r '.panels[] | .title as $t | .targets[] | [$t, .expr] | @tsv' "$dashboard")
	check "... has queries" [ "$n" -ge 30 ]
	while IFS= read -r expr; do
		check "annotation" series "$expr"
	done < <(jq -r '.annotations.list[].expr' "$dashboard")
	check "its variables have values" has_series "ethtuned_build_info and on (instance) ethtuned_device_info"
	check "panels have numbers of their own" jq -e '[.panels[].id] | length == (unique | length)' "$dashboard"
	check "every family is on it" every_family_shown
}

every_family_shown() {
	local family rc=0 shown
	shown=$(jq -r '.panels[].targets[].expr' "$dashboard")
	for family in ethtuned_{packets,bytes,dropped_packets,interrupts,polls,changes,rollbacks}_total \
		ethtuned_{ticks_missed,apply_errors}_total ethtuned_{controller_state,bottleneck,override_active} \
		ethtuned_{added_latency_seconds,cpu_softirq_ratio}; do
		[[ $shown == *$family* ]] || { echo "no panel for $family"; rc=1; }
	done
	return $rc
}

rules_are_healthy() {
	scrape "$prometheus/api/v1/rules" |
		jq -e '[.data.groups[].rules[]] | length >= 5 and all(.health == "ok")'
}

test_down() {
	check "alerts are evaluated" within 10 rules_are_healthy
	check "TERM: ends with 0" daemon_stop
	check "the alert for a daemon that is down begins" within 10 \
		has_series 'ALERTS{alertname="EthtunedDown", job="ethtuned"}'
	check "the text file is gone" eval "! [ -e $tmp/textfile/ethtuned.prom ]"
}

lab_need curl jq prometheus promtool prometheus-node-exporter
[ -x "$builddir/tests/daemon/test-metrics" ] || skip "no tests/daemon/test-metrics in $builddir"
lab_begin prom
trap 'clean; netns_down "$lab"' EXIT
printf '[metrics]\nper-queue = yes\ntextfile = %s\n[policy]\nmode = powersave\ncpu-target = 40%%\n' \
	"$tmp/textfile/ethtuned.prom" >"$tmp/ethtuned.conf"
readers_up
daemon_start
load_start 1 udp:50000-rr:100
check "all three targets are scraped" within 15 is_up
check "the veth is tuned" log_wait 'gro-flush-timeout 0 -> [1-9]' 20
for part in ${PARTS:-promtool families dashboard down}; do
	echo "# $part"
	"test_$part"
done
load_stop
lab_end
