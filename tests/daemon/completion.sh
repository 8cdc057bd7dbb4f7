#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The completion of ethtune for bash: every command, every option of each, interfaces, modes. Needs no daemon and no
# rights. Relies on ETHTUNE (see Makefile.am) and completions/ethtune.

set -u
PATH=$(dirname "${ETHTUNE:?}"):$PATH
failures=0 n=0
# shellcheck source=completions/ethtune
. "${srcdir:-.}/completions/ethtune"

# What is offered for the last of these words.
offered() {
	COMP_WORDS=(ethtune "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_ethtune ethtune 2>/dev/null
	printf '%s\n' "${COMPREPLY[@]}"
}

check() {	# WHAT WANTED GOT: lists, in any order
	n=$((n + 1))
	if [ "$(sort <<<"$2")" = "$(sort <<<"$3")" ] && [ -n "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		diff <(sort <<<"$2") <(sort <<<"$3") | sed 's/^/# /'
		failures=$((failures + 1))
	fi
}

has() {	# WHAT WORD LIST
	check "$1" "$2" "$(grep -xF -- "$2" <<<"$3")"
}

commands=$(ethtune --help | sed -n '/^$/,/^$/s/^  \([a-z]*\) .*/\1/p')
check "all commands" "$commands"$'\n--help\n--version' "$(offered '')"
check "those that begin so" "$(grep '^re' <<<"$commands")" "$(offered re)"
for command in $commands; do
	check "options of $command" "$(ethtune "$command" --help | grep -oE '^  --[a-z-]+' | tr -d ' ')" \
		"$(offered "$command" --)"
done
has "interfaces" lo "$(offered show '')"
has "... behind an option" lo "$(offered status --json '')"
check "... only one where only one is taken" '-' "$(offered show lo '' | sed 's/^$/-/')"
has "... more where more are taken" lo "$(offered recommend lo '')"
check "modes" "$(printf '%s\n' latency balanced throughput powersave observe off policy)" "$(offered mode lo '')"
check "modes of an option" "$(printf '%s\n' latency balanced throughput powersave)" "$(offered recommend --mode '')"
check "a mode that begins so" balanced "$(offered mode lo b)"
# A name may be any 15 bytes without a blank or a slash.
_ethtune_interfaces() { printf '%s\n' '$(echo>&2)x' '$HOME' lo0; }
check "names are words, not code" "$(_ethtune_interfaces)" "$(offered status '')"
echo "1..$n"
[ "$failures" = 0 ]
