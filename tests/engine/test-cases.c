// SPDX-License-Identifier: GPL-2.0-or-later
/* cases: every report of tests/cases, judged as `ethtune recommend` and the daemon would judge it. Prints a table:
 * case, expected, got. Takes no real time. */
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "casefile.h"
#include "core/remedy.h"
#include "engine/advise.h"
#include "engine/config.h"
#include "engine/facts.h"

#define DURATION_S 10
#define STEP_NS (2 * NSEC_PER_SEC)
#define RIGHT_RATIO 0.95
#define SAME_RATIO 0.9 /* of the classes, when a report's rates are 10 % lower or higher */

struct verdict {
	char expected[256], got[512];
	bool right;
};

static struct cost_prior prior;
static struct config *config;
static unsigned asked_again, same_again;

/* Instead of the C library's and the engine's: a case has its own clock and its own machine. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *remain)
{
	(void)clock, (void)flags, (void)request, (void)remain;
	return 0;
}

void machine_facts_read(struct machine_facts *ret)
{
	*ret = (struct machine_facts){ .timer_floor_usecs = 50, .prior = prior };
}

__attribute__((format(printf, 3, 4))) static void append(char *buf, size_t size, const char *format, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, format);
	vsnprintf(buf + n, size - n, format, ap);
	va_end(ap);
}

/* Is `word` one of "a|b|c"? */
static bool one_of(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
		if (!strncmp(p, word, n) && (!p[n] || p[n] == '|'))
			return true;
	return false;
}

static void ask_word(struct verdict *v, const char *expected, const char *got)
{
	append(v->got, sizeof(v->got), " %s", got);
	if (!*expected)
		return;
	append(v->expected, sizeof(v->expected), " %s", expected);
	if (!one_of(expected, got))
		v->right = false;
}

static void ask_values(struct verdict *v, const struct knob_caps *wanted, const struct knob_set *got)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		if (!(wanted->settable & KNOB_BIT(k)))
			continue;
		append(v->expected, sizeof(v->expected), " %s=%lu..%lu", knob_table[k].name,
		       (unsigned long)wanted->min[k], (unsigned long)wanted->max[k]);
		append(v->got, sizeof(v->got), " %s=", knob_table[k].name);
		if (knob_has(got, k))
			append(v->got, sizeof(v->got), "%lu", (unsigned long)got->value[k]);
		if (!knob_has(got, k) || got->value[k] < wanted->min[k] || got->value[k] > wanted->max[k])
			v->right = false;
	}
}

static int change(const struct advice *a, enum knob k)
{
	if (!knob_has(&a->advised, k) || !knob_has(&a->current, k))
		return 0;
	return a->advised.value[k] > a->current.value[k] ? 1 : a->advised.value[k] < a->current.value[k] ? -1 : 0;
}

static const char *decision_word(const struct advice *a)
{
	if (!a->tunable)
		return "untunable";
	if (!a->advised.have)
		return "none";
	if (change(a, KNOB_GRO_FLUSH_TIMEOUT) > 0)
		return "software";
	if (change(a, KNOB_RX_USECS) > 0 || change(a, KNOB_TX_USECS) > 0)
		return "hardware";
	if (change(a, KNOB_GRO_FLUSH_TIMEOUT) < 0 || change(a, KNOB_RX_USECS) < 0 || change(a, KNOB_TX_USECS) < 0)
		return "shorter";
	return "other";
}

/* Looks for `word` in what the advice says, '_' standing for a blank. */
static void ask_saying(struct verdict *v, const struct casefile *c, const struct advice *a)
{
	char line[REMEDY_MAX], word[64];
	struct symptoms s;
	bool found = false;

	if (!c->says[0])
		return;
	memcpy(word, c->says, sizeof(word));
	for (char *p = word; *p; p++)
		if (*p == '+')
			*p = ' ';
	advice_symptoms(a, &s);
	for (unsigned i = 0; !found && remedy(&a->diagnosis, &s, i, line); i++)
		found = strstr(line, word);
	append(v->expected, sizeof(v->expected), " \"%s\"", word);
	append(v->got, sizeof(v->got), " \"%s\"", found ? word : "-");
	v->right &= found;
}

static void ask_also(struct verdict *v, const struct casefile *c, const struct diagnosis *d)
{
	const char *found = "-";

	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		if (d->also & (1U << i) && (!c->also[0] || !strcmp(bottleneck_table[i].slug, c->also)))
			found = bottleneck_table[i].slug;
	if (c->also[0] || d->also)
		append(v->got, sizeof(v->got), " +%s", found);
	if (!c->also[0])
		return;
	append(v->expected, sizeof(v->expected), " +%s", c->also);
	v->right &= !strcmp(found, c->also);
}

/* With all rates times `scale`. */
static int advise(const struct casefile *c, double scale, struct advice *ret)
{
	const struct nic_info *nic = &c->samples[0].nic;
	struct target_rules rules = { .policy = c->policy };
	struct casenic n;

	rules.quirks = config->quirks;
	rules.n_quirks = config->n_quirks;
	match_subject_add(&rules.subject, MATCH_DRIVER, nic->driver);
	casenic_init(&n, c, STEP_NS);
	n.scale = scale;
	return advise_run(&n.base, nic, &rules, DURATION_S, NULL, NULL, ret);
}

static void judge_trace(const struct casefile *c, struct verdict *v)
{
	static const double scales[] = { 0.9, 1.1 };
	struct advice a;
	int r = advise(c, 1, &a);

	if (r < 0) {
		append(v->got, sizeof(v->got), " %s", strerror(-r));
		v->right = false;
		return;
	}
	ask_word(v, c->class, bottleneck_table[a.diagnosis.class].slug);
	ask_also(v, c, &a.diagnosis);
	ask_word(v, c->decision, decision_word(&a));
	for (int dir = QUEUE_RX; dir <= QUEUE_TX; dir++)
		if (a.decided[dir])
			append(v->got, sizeof(v->got), " %s", reason_table[a.decision[dir].reason].slug);
	knob_set_overlay(&a.current, &a.advised);
	ask_values(v, &c->values, &a.current);
	ask_saying(v, c, &a);
	/* a full link is another thing than one that is 10 % less full */
	for (int i = 0; c->class[0] && strcmp(c->class, "link-bound") && i < 2; i++) {
		bool same = advise(c, scales[i], &a) == 0 && one_of(c->class, bottleneck_table[a.diagnosis.class].slug);

		asked_again++;
		same_again += same;
		if (!same)
			append(v->got, sizeof(v->got), " (%s at %.0f%%)", bottleneck_table[a.diagnosis.class].slug,
			       100 * scales[i]);
	}
}

static void ask_mask(struct verdict *v, const char *what, const char *expected, uint32_t got)
{
	int k = knob_by_name(expected);

	if (got || *expected)
		append(v->got, sizeof(v->got), " %s:", what);
	for (int i = 0; i < KNOB_COUNT; i++)
		if (got & KNOB_BIT(i))
			append(v->got, sizeof(v->got), "%s", knob_table[i].name);
	if (!*expected)
		return;
	append(v->expected, sizeof(v->expected), " %s:%s", what, expected);
	v->right &= k >= 0 && (got & KNOB_BIT(k));
}

static void judge_plant(struct casefile *c, struct verdict *v)
{
	struct rig *r = &c->rig;

	r->rules.policy = c->policy;
	rig_attach(r);
	for (unsigned i = 0; i < c->n_steps; i++) {
		const struct case_step *s = &c->steps[i];

		if (s->restart)
			rig_attach(r);
		knob_set_overlay(&r->fake.knobs, &s->foreign);
		r->fake.tx_pps = s->tx_pps;
		rig_run(r, s->pps, s->seconds);
	}
	ask_word(v, c->class, bottleneck_table[r->report.diagnosis.class].slug);
	ask_mask(v, "rolled-back", c->rolled_back, r->rolled_back);
	ask_mask(v, "dead", c->dead, r->dead);
	ask_mask(v, "yielded", c->yielded, r->yielded);
	ask_values(v, &c->values, &r->fake.knobs);
	append(v->got, sizeof(v->got), " changes=%u", r->changes);
	if (c->max_changes < 0)
		return;
	append(v->expected, sizeof(v->expected), " changes=%d..%d", c->min_changes, c->max_changes);
	v->right &= (int)r->changes >= c->min_changes && (int)r->changes <= c->max_changes;
}

/* Nothing to judge with counters: a test elsewhere does it, and is there. */
static void judge_reference(const struct casefile *c, struct verdict *v)
{
	const char *srcdir = getenv("srcdir");
	char path[512], line[512];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", c->covered);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, c->by);
	if (f)
		fclose(f);
	append(v->expected, sizeof(v->expected), " %s in %s", c->by, c->covered);
	append(v->got, sizeof(v->got), " %s", found ? "there" : "not there");
	v->right = found;
}

static void judge(struct casefile *c, struct verdict *v)
{
	*v = (struct verdict){ .right = true };
	prior = c->prior;
	if (c->plant)
		judge_plant(c, v);
	else if (c->n_samples >= 2)
		judge_trace(c, v);
	else if (c->covered[0])
		judge_reference(c, v);
	else
		v->right = false;
	if (!v->expected[0]) /* a case that expects nothing proves nothing */
		v->right = false;
}

START_TEST(all_cases)
{
	const char *srcdir = getenv("srcdir"), *only = getenv("CASE");
	unsigned n = 0, right = 0, unexplained = 0;
	char pattern[512], err[ERR_MAX];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/tests/cases/%s.case", srcdir ? srcdir : ".", only ? only : "*");
	ck_assert_int_eq(glob(pattern, 0, NULL, &g), 0);
	snprintf(pattern, sizeof(pattern), "%s/conf", srcdir ? srcdir : ".");
	ck_assert_int_eq(config_load(NULL, pattern, &config, NULL, NULL), 0);
	printf("%-34s| %-52s| %s\n", "case", "expected", "got");
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct casefile *c = casefile_read(g.gl_pathv[i], err);
		struct verdict v;

		ck_assert_msg(c, "%s", err);
		judge(c, &v);
		n++;
		right += v.right;
		printf("%-34s|%-53s|%s%s\n", c->file, v.expected, v.got, v.right ? "" : "   WRONG");
		if (!v.right && c->wrong[0])
			printf("%-34s|   as %s\n", "", c->wrong);
		/* an explanation of what is right is a lie */
		unexplained += v.right == (c->wrong[0] != 0);
		casefile_free(c);
	}
	printf("%u of %u cases right\n", right, n);
	printf("%u of %u classes are the same with all rates 10 %% lower or higher, full links left out\n", same_again,
	       asked_again);
	fflush(stdout);
	ck_assert_msg(!unexplained, "%u cases are wrong without a reason, or right with one", unexplained);
	ck_assert_msg(right >= RIGHT_RATIO * n, "%u of %u are not enough", right, n);
	ck_assert_msg(same_again >= SAME_RATIO * asked_again, "classes hang on single packets");
	config_free(config);
	globfree(&g);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { all_cases };
	Suite *s = suite_create("cases");
	TCase *t = tcase_create("cases");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, tests[0]);
	tcase_set_timeout(t, 120);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
