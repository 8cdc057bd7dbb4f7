# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Sourced: what the guests measured, as tables, and what failed.
#   report BED...   returns 0, 1 when one failed, 77 when none ran

# "@@row TABLE a=1 b=2" of all logs as one aligned table for each TABLE.
report_tables() {	# BED...
	local bed
	for bed in "$@"; do
		[ ! -e "$vm_out/$bed.log" ] || sed -n "s/^@@row /$bed /p" "$vm_out/$bed.log"
	done | awk '
	{
		table = $2
		if (!(table in rows)) order[++tables] = table
		rows[table] = rows[table] $0 "\n"
	}
	END {
		for (t = 1; t <= tables; t++) {
			n = split(rows[order[t]], line, "\n") - 1
			printf "\n## %s\n", order[t]
			for (i = 1; i <= n; i++) {
				m = split(line[i], word, " ")
				head = "bed"; text = word[1]
				for (j = 3; j <= m; j++) {
					split(word[j], kv, "=")
					head = head "\t" kv[1]; text = text "\t" kv[2]
				}
				if (head != last) { print head; last = head }
				print text
			}
			last = ""
		}
	}' | column -L -t -s "$(printf '\t')"
}

report() {
	local bed status ran=0 failed=0
	report_tables "$@"
	for bed in "$@"; do
		read -r status <"$vm_out/$bed.status"
		case $status in
		0) ran=$((ran + 1)) ;;
		77) ;;
		*)
			failed=$((failed + 1))
			printf '\n# %s: %s\n' "$bed" "$(cat "$vm_out/$bed.why")"
			grep -h '^@@fail ' "$vm_out/$bed.log" || tail -n 15 "$vm_out/$bed.log"
			;;
		esac
		[ ! -e "$vm_out/$bed.log" ] || sed -n "s/^@@skip /# $bed: skipped /p" "$vm_out/$bed.log"
	done
	printf '\n# machines: %d passed, %d failed, %d skipped\n' $ran $failed $(($# - ran - failed))
	[ $failed = 0 ] || return 1
	[ $ran != 0 ] || return 77
}
