#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of ethtune, end to end on a veth under load and on a tap, in own network namespaces.
# ETHTUNE and VLOAD name the programs (default: ethtune in PATH, tests/lib/vload of the build).
set -u
NETNS_TX_DEV=cli-va NETNS_RX_DEV=cli-vb
. "${srcdir:-.}/tests/lib/netns.sh"
netns_skip_unless_root
ETHTUNE=$(command -v "${ETHTUNE:-ethtune}") || { echo "no ethtune here" >&2; exit 99; }
VLOAD=${VLOAD:-${builddir:-.}/tests/lib/vload}
NS=cli$$
DEV=$NETNS_RX_DEV
TMP=$(mktemp -d)
RUNTIME_DIRECTORY=$TMP/run
export RUNTIME_DIRECTORY
failures=0 checks=0 load=

cleanup() {
	[ -z "$load" ] || kill "$load" 2>/dev/null
	rm -rf "$TMP"
}
netns_trap "$NS" cleanup
netns_up "$NS" || exit 99

within=	# a command that runs it
# shellcheck disable=SC2086 # words
t() { ip netns exec "$NS-b" $within "$ETHTUNE" "$@" >"$TMP/out" 2>"$TMP/err"; }

# check WHAT WANTED-EXIT-CODE COMMAND...: runs the command in the namespace.
check() {
	what=$1 want=$2
	shift 2
	checks=$((checks + 1))
	t "$@"
	got=$?
	[ "$got" = "$want" ] && return 0
	failures=$((failures + 1))
	echo "FAIL: $what: exit $got, not $want: ethtune $*"
	sed 's/^/  /' "$TMP/out" "$TMP/err"
	return 1
}

# has WHAT PATTERN [FILE]: the last output (or err) has a line like this.
has() {
	checks=$((checks + 1))
	grep -qE -- "$2" "$TMP/${3:-out}" && return 0
	failures=$((failures + 1))
	echo "FAIL: $1: no line like '$2' in:"
	sed 's/^/  /' "$TMP/${3:-out}"
	return 1
}

same() { # WHAT A B
	checks=$((checks + 1))
	[ "$2" = "$3" ] && return 0
	failures=$((failures + 1))
	echo "FAIL: $1: '$2' is not '$3'"
}

# The value of a key in the last JSON output, the first that fits.
json() { sed -n "s/^ *\"$1\": *\\(.*[^,]\\),\\{0,1\\}\$/\\1/p" "$TMP/out" | head -n 1; }
one_line() { same "$1: one line on stderr" "$(wc -l <"$TMP/err")" 1; }
timeout_ns() { netns_sysfs "$NS" gro_flush_timeout; }

usage() {
	check 'version' 0 --version && has 'version' '^ethtune [0-9]'
	check 'help' 0 --help && has 'help names commands' '^  recommend '
	for c in list show recommend apply restore; do
		check "$c --help" 0 "$c" --help && has "$c --help" "^Usage: ethtune $c"
		check "$c: unknown option" 2 "$c" --nonsense && one_line "$c: unknown option"
	done
	check 'no command' 2 && one_line 'no command'
	check 'unknown command' 2 nonsense && one_line 'unknown command'
	check 'unknown option' 2 --nonsense && one_line 'unknown option'
	check 'bad mode' 2 recommend --mode nonsense && one_line 'bad mode'
	check 'bad format' 2 recommend --format nonsense && one_line 'bad format'
	check 'bad duration' 2 recommend --duration -1s && one_line 'bad duration'
	check 'bad setting' 2 apply --set 'rx-usecs=many' "$DEV" && one_line 'bad setting'
	check 'show needs a name' 2 show && one_line 'show needs a name'
	check 'no such interface' 1 show nonsense0 && one_line 'no such interface'
	check 'nothing to tune' 77 recommend lo && one_line 'nothing to tune'
}

reading() {
	check 'list' 0 list && has 'list has the device' "^$DEV +veth +up .*software"
	check 'list --json' 0 list --json && same 'list --json: name' "$(json name)" "\"$DEV\""
	check 'show' 0 show --no-rates "$DEV"
	has 'show: unsupported' '^rx-usecs +not supported'
	has 'show: value' '^gro-flush-timeout +0 ns +0\.\.'
	check 'show --json' 0 show --json --no-rates "$DEV"
	same 'unsupported is null' "$(json rx_usecs)" null
	same 'supported is a number' "$(json gro_flush_timeout_ns)" 0
	same 'no rates, no number' "$(json rates)" null
}

tap() {
	ip -n "$NS-b" tuntap add cli-tap mode tap || { echo "tap: left out, the kernel has none"; return; }
	ip -n "$NS-b" link set cli-tap up
	check 'tap: clamped' 0 apply --set 'rx-frames=500' cli-tap
	has 'tap: clamped' 'rx-frames 0 -> 64 \(clamped: 500'
	check 'tap: unsupported' 1 apply --set 'tx-usecs=5' cli-tap && has 'tap: unsupported' 'not supported' err
	check 'tap: dry run' 0 apply --dry-run --set 'rx-frames=3' cli-tap
	check 'tap: show' 0 show --json --no-rates cli-tap && same 'tap: 64' "$(json rx_frames)" 64
	check 'tap: restore' 0 restore cli-tap && has 'tap: restore' 'rx-frames 64 -> 0'
	check 'tap: restore again' 0 restore && has 'tap: restore again' 'nothing to restore'
	quirks
	ip -n "$NS-b" link del cli-tap
}

# What is known of a driver holds for settings given by hand, as far as the configuration says it.
quirks() {
	printf '%s\n' '[match]' 'name = cli-tap' '[quirk]' 'deny = gro-flush-timeout' '[limits]' 'rx-frames = 0..32' \
		'[step]' 'rx-frames = 8' '[magic]' 'rx-frames = 3' >"$TMP/quirks.conf"
	printf '%s\n' 'mount -t tmpfs quirks /run && mkdir -p /run/ethtuned/quirks.d' \
		"cp $TMP/quirks.conf /run/ethtuned/quirks.d/ && exec \"\$@\"" >"$TMP/with-quirks"
	within="unshare -m sh $TMP/with-quirks"
	check 'quirks: rounded' 0 apply --set 'rx-frames=21' cli-tap
	has 'quirks: rounded' 'rx-frames 0 -> 24 \(clamped: 21'
	check 'quirks: a word of the driver' 0 apply --set 'rx-frames=3' cli-tap
	has 'quirks: a word of the driver' 'rx-frames 24 -> 3$'
	check 'quirks: denied' 1 apply --set 'gro-flush-timeout=1000' cli-tap
	has 'quirks: denied' 'ethtuned-drivers' err
	check 'quirks: show' 0 show --no-rates cli-tap && has 'quirks: show' '^rx-frames .* 0\.\.32 '
	check 'quirks: restore' 0 restore cli-tap && has 'quirks: restore' 'rx-frames 3 -> 0'
	within=
}

advice() {
	check 'recommend' 10 recommend --duration 1s --mode throughput "$DEV"
	has 'recommend: diagnosis' "^$DEV: interrupt-bound: .*packets/s, .*packets per poll"
	has 'recommend: knob' '^  gro-flush-timeout +0 ns -> [1-9][0-9]* ns'
	has 'recommend: reason' 'packets/s at [0-9.]+ packets per poll'
	same 'recommend writes nothing' "$(timeout_ns)" 0
	check 'recommend --json' 10 recommend --duration 1s --mode throughput --json "$DEV"
	same 'json: bottleneck' "$(json bottleneck)" '"interrupt-bound"'
	same 'json: unsupported' "$(json rx_usecs)" null
	same 'json: advised' "$(json change_advised)" true
	check 'recommend all' 10 recommend --duration 1s --mode throughput
	check 'hardware asked for' 77 recommend --duration 0.5s --mechanism hardware "$DEV"
	check 'probe' 10 recommend --duration 1s --mode throughput --probe "$DEV" && has 'probe' '^  measured: '
	same 'probe puts back' "$(timeout_ns)" 0
	check 'probe leaves nothing saved' 0 restore && has 'probe leaves nothing saved' 'nothing to restore'
}

# What `--format ethtool` says, run as it stands, is what `show` prints then.
formats() {
	for f in link nm policy; do
		check "format $f" 10 recommend --duration 0.5s --mode throughput --format $f "$DEV"
		cp "$TMP/out" "$TMP/$f"
	done
	has 'policy' '^gro-flush-timeout = [1-9]'
	check 'format ethtool' 10 recommend --duration 1s --mode throughput --format ethtool "$DEV"
	cp "$TMP/out" "$TMP/commands"
	advised=$(sed -n 's/^echo \([0-9]*\) .*gro_flush_timeout$/\1/p' "$TMP/commands")
	ip netns exec "$NS-b" sh -e "$TMP/commands" || failures=$((failures + 1))
	check 'show after the commands' 0 show --json --no-rates "$DEV"
	same 'show has what the commands set' "$(json gro_flush_timeout_ns)" "${advised:-nothing}"
	same 'and the count' "$(json napi_defer_hard_irqs)" 2
	netns_sysfs "$NS" gro_flush_timeout 0
	netns_sysfs "$NS" napi_defer_hard_irqs 0
	udev
}

udev() {
	command -v udevadm >/dev/null || { echo "udevadm: not here, the .link file is not checked"; return; }
	mkdir -p "$TMP/network"
	cp "$TMP/link" "$TMP/network/10-test.link"
	# shellcheck disable=SC2016 # expanded by the inner shell
	ip netns exec "$NS-b" unshare -m sh -c '
		mkdir -p /run/systemd/network && mount --bind "$1" /run/systemd/network &&
		SYSTEMD_LOG_LEVEL=debug udevadm test-builtin net_setup_link "/sys/class/net/$2"' \
		sh "$TMP/network" "$DEV" >"$TMP/out" 2>&1
	has 'udev takes the .link file' 'ID_NET_LINK_FILE=.*10-test.link|[Cc]onfig file .*10-test.link is applied'
	same 'udev has no complaint' "$(grep -c '10-test.link:' "$TMP/out")" 0
}

applying() {
	check 'dry run' 0 apply --dry-run --duration 0.5s --mode throughput "$DEV"
	has 'dry run' 'would set gro-flush-timeout 0 ns -> '
	same 'dry run writes nothing' "$(timeout_ns)" 0
	check 'apply' 0 apply --duration 1s --mode throughput "$DEV"
	has 'apply' '^cli-vb: set gro-flush-timeout 0 ns -> [1-9]'
	check 'apply once more' 0 apply --set 'gro-flush-timeout=70us' "$DEV"
	check 'both are there' 0 show --json --no-rates "$DEV"
	same 'the new one' "$(json gro_flush_timeout_ns)" 70000
	same 'the older one' "$(json napi_defer_hard_irqs)" 2
	check 'restore' 0 restore "$DEV" && has 'restore' 'gro-flush-timeout 70000 ns -> 0 ns'
	same 'as before' "$(timeout_ns) $(netns_sysfs "$NS" napi_defer_hard_irqs)" "0 0"
}

interrupted() {
	for how in 'recommend --duration 20s --mode throughput' 'recommend --duration 1s --mode throughput --probe'; do
		# shellcheck disable=SC2086 # words on purpose
		ip netns exec "$NS-b" "$ETHTUNE" $how "$DEV" >"$TMP/out" 2>"$TMP/err" &
		pid=$!
		sleep 1.7
		kill -INT "$pid" 2>/dev/null
		wait "$pid"
		same "interrupted: $how" $? 1
		has "interrupted: $how" 'interrupted' err
		same "interrupted: $how: as before" "$(timeout_ns) $(netns_sysfs "$NS" napi_defer_hard_irqs)" "0 0"
	done
}

unprivileged() {
	command -v setpriv >/dev/null || { echo "setpriv: not here, nothing is tried without root"; return; }
	cp "$ETHTUNE" "$TMP/ethtune-copy" && chmod 755 "$TMP" "$TMP/ethtune-copy"
	real=$ETHTUNE ETHTUNE=$TMP/unprivileged
	printf '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups "%s" "$@"\n' "$TMP/ethtune-copy" \
		>"$ETHTUNE"
	chmod 755 "$ETHTUNE"
	check 'unprivileged list' 0 list && has 'unprivileged list' "^$DEV "
	check 'unprivileged show' 0 show "$DEV" && has 'unprivileged show' '^not counted: polls'
	t recommend --duration 0.5s "$DEV"
	one_line 'unprivileged recommend'
	check 'unprivileged apply' 1 apply "$DEV" && one_line 'unprivileged apply'
	check 'unprivileged restore' 1 restore && one_line 'unprivileged restore'
	ETHTUNE=$real
}

usage
reading
tap
"$VLOAD" --tx-ns "$NS-a" --rx-ns "$NS-b" --dev "$DEV" --peer "$NETNS_TX_DEV" --phase udp:50000:60 >/dev/null 2>&1 &
load=$!
sleep 1
advice
formats
applying
interrupted
unprivileged
echo "$checks checks, $failures failures"
[ "$failures" = 0 ]
