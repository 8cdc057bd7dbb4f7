# SPDX-License-Identifier: GPL-2.0-or-later
# Judges what loop.sh measured. A line of input: load contender interrupts/s polls/s received/s sent/s CPU p50 p99 answers/s
BEGIN {
	split("latency 0.15 0.25 balanced 0.5 0.15 throughput 0.6 0.06 powersave 1.0 0.05", w, " ")
	for (i = 1; i in w; i += 3) { cpu_weight[w[i]] = w[i + 1]; delay_weight[w[i]] = w[i + 2] }
}

{
	key = $1 SUBSEP $2
	if (!($1 in least) || $8 < least[$1]) least[$1] = $8
	arrived = $5 > 0 ? $5 : 1 # the generator's chance decides how many it asks
	if (arrived > most[$1]) most[$1] = arrived
	irq[key] = $3; poll[key] = $4; got[key] = $5 > 0 ? $5 : $10; part_of[key] = arrived; busy[key] = $7; p50[key] = $8; p99[key] = $9
	order[++n] = key
}

function say(good, name, why) {
	if (good) print "@@ok " name " (" why ")"
	else print "@@fail " name ": " why
}

function judge(load,  k, best, ours, d, fewer, name) {
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
		fewer = irq[ours] <= irq[d] / 3 || poll[ours] <= poll[d] / 3
		say(fewer, load ": a third of the interrupts or polls",
		    sprintf("interrupts %.0f of %.0f, polls %.0f of %.0f", irq[ours], irq[d], poll[ours], poll[d]))
		say(got[ours] >= 0.99 * got[d], load ": no less throughput", sprintf("%.0f of %.0f/s", got[ours], got[d]))
	}
}

END {
	for (i = 1; i <= n; i++) {
		k = order[i]
		split(k, part, SUBSEP)
		u = part_of[k] / most[part[1]] - cpu_weight[mode] * busy[k] - delay_weight[mode] * (p50[k] - least[part[1]]) / cap
		utility[k] = u
		printf "@@row loop load=%s setting=%s irq/s=%.0f polls/s=%.0f pkt/irq=%.2f cpu=%.3f got/s=%.0f p50=%.0f p99=%.0f " \
			"utility=%.3f\n", part[1], part[2], irq[k], poll[k], irq[k] ? got[k] / irq[k] : 0, busy[k], got[k], p50[k], p99[k], u
	}
	judge(heavy)
	judge(light)
}
