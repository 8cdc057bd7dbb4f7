// SPDX-License-Identifier: GPL-2.0-or-later
/* The controller when the load goes away. */
#include "plant.h"
#include "suite.h"

static void start(struct controller *c, const struct plant *p, enum mode mode, double default_usecs)
{
	struct policy policy = plant_policy(mode);
	struct ctl_limits limits = plant_limits(p, default_usecs);

	controller_init(c, &policy, &limits);
}

/* Whenever the load ends, also in the middle of a test and of a sample. */
START_TEST(idle_rests_whatever_ran)
{
	for (int kind = MECH_TIMER; kind <= MECH_DEFERRAL; kind++)
		for (int on = 3; on < 60; on++)
			for (int part = 0; part < 4; part++) {
				struct plant p = plant_make((enum mech_kind)kind, 1000);
				struct controller c;
				struct decision d;

				p.floor_usecs = kind == MECH_DEFERRAL ? 20 : 0;
				start(&c, &p, MODE_THROUGHPUT, 0);
				plant_loop(&p, &c, 3, &d);
				p.offered_pps = 50000;
				plant_loop(&p, &c, on / 10.0, &d);
				p.offered_pps = 50000 * part / 4.0 + 1;
				plant_loop(&p, &c, 0.1, &d);
				p.offered_pps = 1;
				plant_loop(&p, &c, 8, &d);
				ck_assert_msg(controller_interval(&c) <= 0, "kind %d, %d.%d s, part %d: %.0f us, %s",
					      kind, on / 10, on % 10, part, controller_interval(&c),
					      controller_state_name(controller_state(&c)));
				/* an end is no proof that the load minds delay: it is served again later */
				p.offered_pps = 50000;
				plant_loop(&p, &c, 7, &d);
				ck_assert_msg(controller_interval(&c) > 0, "kind %d, %d.%d s, part %d: %s, %s", kind,
					      on / 10, on % 10, part, controller_state_name(controller_state(&c)),
					      reason_table[d.reason].slug);
			}
}
END_TEST

int main(void)
{
	const TTest *const all[] = {
		idle_rests_whatever_ran,
	};

	return SUITE_RUN("controller-idle", all);
}
