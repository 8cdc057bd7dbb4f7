// SPDX-License-Identifier: GPL-2.0-or-later
/* config-value: see config-value.h. Each says in one sentence what it would have taken. */
#include "engine/config-value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "core/nic.h"
#include "core/units.h"
#include "engine/config.h"

#define CAP_MAX_NS NSEC_PER_SEC /* as long as any knob may be */
#define INTERVAL_MIN_NS (20 * NSEC_PER_MSEC)
#define INTERVAL_MAX_NS NSEC_PER_SEC /* slower than that the law does not see what it does */
#define DURATION_MAX_NS (UINT64_C(366) * 24 * 3600 * NSEC_PER_SEC)

static int bad(char err[ERR_MAX], const char *text, const char *want)
{
	snprintf(err, ERR_MAX, "'%.60s' is not %s", text, want);
	return -EINVAL;
}

/* A time whose bare number is in seconds, as systemd has it: nobody waits for microseconds. */
static int read_seconds(const char *text, nsec_t *ret)
{
	int r = units_parse_time(text, ret);

	if (r == 0 && !text[strspn(text, "0123456789.")])
		*ret = *ret > UINT64_MAX / USEC_PER_SEC ? UINT64_MAX : *ret * USEC_PER_SEC;
	return r;
}

int config_value_yes_no(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	static const char *const words[][2] = { { "no", "yes" }, { "off", "on" }, { "0", "1" }, { "false", "true" } };

	(void)key;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (int v = 0; v < 2; v++)
			if (!strcmp(text, words[i][v])) {
				*(bool *)field = v;
				return 0;
			}
	return bad(err, text, "yes or no");
}

int config_value_word(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	const char *w = key->words;
	size_t n;

	for (int v = 0; *w; v++, w += n + (w[n] == ' ')) {
		n = strcspn(w, " ");
		if (strlen(text) == n && !strncmp(text, w, n) && *text != '-') {
			memcpy(field, &v, sizeof(v)); /* an enum, which has the size of an int */
			return 0;
		}
	}
	snprintf(err, ERR_MAX, "'%.60s' is none of: %s", text, key->words + (key->words[0] == '-' ? 2 : 0));
	return -EINVAL;
}

int config_value_mode(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	int mode = mode_by_name(text);
	size_t n;

	(void)key;
	if (mode >= 0) {
		memcpy(field, &mode, sizeof(mode));
		return 0;
	}
	n = (size_t)snprintf(err, ERR_MAX, "'%.60s' is none of:", text);
	for (int m = 0; m < MODE_COUNT && n < ERR_MAX; m++)
		n += (size_t)snprintf(err + n, ERR_MAX - n, " %s", mode_table[m].name);
	return -EINVAL;
}

int config_value_log_level(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	static const struct {
		const char *word;
		int level;
	} levels[] = { { "err", LOG_ERR },	 { "error", LOG_ERR }, { "warning", LOG_WARNING },
		       { "notice", LOG_NOTICE }, { "info", LOG_INFO }, { "debug", LOG_DEBUG } };

	(void)key;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcmp(text, levels[i].word)) {
			*(int *)field = levels[i].level;
			return 0;
		}
	return bad(err, text, "one of: err warning notice info debug");
}

int config_value_cap(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	nsec_t ns;

	(void)key;
	if (units_parse_time(text, &ns) < 0 || !ns || ns > CAP_MAX_NS)
		return bad(err, text, "a time above 0 and at most 1s, such as 100us");
	*(double *)field = (double)ns / NSEC_PER_USEC;
	return 0;
}

int config_value_interval(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	nsec_t ns;

	(void)key;
	if (read_seconds(text, &ns) < 0 || ns < INTERVAL_MIN_NS || ns > INTERVAL_MAX_NS)
		return bad(err, text, "a time from 20ms to 1s");
	*(nsec_t *)field = ns;
	return 0;
}

int config_value_duration(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	nsec_t ns;

	(void)key;
	if (read_seconds(text, &ns) < 0 || !ns || ns > DURATION_MAX_NS)
		return bad(err, text, "a time above 0, such as 10s");
	*(uint64_t *)field = ns;
	return 0;
}

int config_value_hold(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	if (strcmp(text, "infinity"))
		return config_value_duration(key, text, field, err);
	*(uint64_t *)field = 0;
	return 0;
}

int config_value_share(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	double ratio;

	(void)key;
	if (units_parse_ratio(text, &ratio) < 0 || ratio <= 0)
		return bad(err, text, "a share of a CPU, such as 40% or 0.4");
	*(double *)field = ratio;
	return 0;
}

static int copy_text(const struct config_key *key, const char *text, char *field, char err[ERR_MAX])
{
	if (strlen(text) >= key->size) {
		snprintf(err, ERR_MAX, "longer than %zu characters", key->size - 1);
		return -EINVAL;
	}
	memset(field, 0, key->size);
	memcpy(field, text, strlen(text));
	return 0;
}

int config_value_path(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	if (*text && *text != '/')
		return bad(err, text, "an absolute path");
	return copy_text(key, text, field, err);
}

/* HOST:PORT, [V6]:PORT, unix:PATH, or nothing. The host is looked at when it is bound to. */
int config_value_listen(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	const char *colon = strrchr(text, ':');
	uint64_t port;

	if (!strncmp(text, "unix:", 5) ? text[5] != '/' && text[5] != '@'
				       : *text && (!colon || colon == text || units_parse_u64(colon + 1, &port) < 0 ||
						   !port || port > 65535))
		return bad(err, text, "ADDRESS:PORT or unix:PATH");
	return copy_text(key, text, field, err);
}

int config_value_irq_order(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	static const char *const words[] = { "other", "rx", "tx", "rx*", "tx*", "rxtx", "rxtx*" };

	for (const char *p = text + strspn(text, " \t"); *p; p += strspn(p, " \t")) {
		size_t n = strcspn(p, " \t"), i = 0;

		while (i < sizeof(words) / sizeof(words[0]) && (strlen(words[i]) != n || strncmp(words[i], p, n)))
			i++;
		if (i == sizeof(words) / sizeof(words[0]))
			return bad(err, p, "one of: other rx tx rxtx, with * for as many as there are");
		p += n;
	}
	return copy_text(key, text, field, err);
}

int config_value_knobs(const struct config_key *key, const char *text, void *field, char err[ERR_MAX])
{
	uint32_t bits = 0;
	char name[32];

	(void)key;
	for (const char *p = text + strspn(text, " \t"); *p; p += strspn(p, " \t")) {
		size_t n = strcspn(p, " \t");
		int k;

		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name)), p);
		k = knob_by_name(name);
		if (k < 0)
			return bad(err, name, "a setting");
		bits |= KNOB_BIT(k);
		p += n;
	}
	*(uint32_t *)field |= bits;
	return 0;
}

int config_queue_range(const char *text, unsigned *ret_first, unsigned *ret_last)
{
	const char *dash = strchr(text, '-');
	uint64_t first, last;
	char head[16];

	snprintf(head, sizeof(head), "%.*s", dash ? (int)(dash - text) : 15, text);
	if (units_parse_u64(head, &first) < 0 || units_parse_u64(dash ? dash + 1 : head, &last) < 0)
		return -EINVAL;
	if (first > last || last >= NIC_QUEUES_MAX)
		return -EINVAL;
	*ret_first = (unsigned)first;
	*ret_last = (unsigned)last;
	return 0;
}
