# SPDX-License-Identifier: GPL-2.0-or-later
# Judges what loop.sh measured, a line a cell.
BEGIN {
	if (split(weights, weight, " ") != 3) print "@@fail weights: none of the mode: " weights
}

# Load contender interrupts/s polls/s received/s CPU p50 p99 answers/s
{
	key = $1 SUBSEP $2
	irq[key] = $3; poll[key] = $4; got[key] = $5 > 0 ? $5 : $9; busy[key] = $6; p50[key] = $7; p99[key] = $8
	# how many are asked is the generator's chance
	arrived[key] = $5 > 0 ? $5 : 1
	if (!($1 in least) || p50[key] < least[$1]) least[$1] = p50[key]
	if (arrived[key] > most[$1]) most[$1] = arrived[key]
	order[++n] = key
}

function say(good, name, why) {
	if (good) print "@@ok " name " (" why ")"
	else print "@@fail " name ": " why
}

function judge(load,  k, part, best, ours, d) {
	best = ""
	for (k in utility) {
		split(k, part, SUBSEP)
		if (part[1] == load && part[2] != "ethtuned" && (best == "" || utility[k] > utility[best])) best = k
	}
	ours = load SUBSEP "ethtuned"; d = load SUBSEP "default"
	split(best, part, SUBSEP)
	say(utility[ours] >= utility[best] - 0.05 * (utility[best] < 0 ? -utility[best] : utility[best]),
	    load ": utility within 5 % of the best setting's",
	    sprintf("%.3f, best %.3f with %s, default %.3f", utility[ours], utility[best], part[2], utility[d]))
	say(utility[ours] >= utility[d] - 0.01, load ": not below the default",
	    sprintf("%.3f, default %.3f", utility[ours], utility[d]))
	if (load == light) {
		say(p50[ours] <= p50[d] + 20, load ": round trip within 20 us of the default's",
		    sprintf("%.0f, default %.0f us", p50[ours], p50[d]))
	} else if (want == "coalesce") {
		# deferral has no interrupts whatever it gathers: polls tell
		say(poll[d] > 0 && poll[ours] <= poll[d] / 3, load ": a third of the polls",
		    sprintf("interrupts %.0f of %.0f, polls %.0f of %.0f", irq[ours], irq[d], poll[ours], poll[d]))
		say(got[ours] >= 0.99 * got[d], load ": no less throughput", sprintf("%.0f of %.0f/s", got[ours], got[d]))
	}
}

END {
	for (i = 1; i <= n; i++) {
		k = order[i]
		split(k, part, SUBSEP)
		utility[k] = arrived[k] / most[part[1]] - weight[1] * busy[k] - \
			weight[2] * (p50[k] - least[part[1]]) / cap
		printf "@@row loop load=%s setting=%s irq/s=%.0f polls/s=%.0f pkt/irq=%.2f cpu=%.3f got/s=%.0f", \
			part[1], part[2], irq[k], poll[k], irq[k] ? got[k] / irq[k] : 0, busy[k], got[k]
		printf " p50=%.0f p99=%.0f utility=%.3f\n", p50[k], p99[k], utility[k]
	}
	judge(heavy)
	judge(light)
}
