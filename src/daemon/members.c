// SPDX-License-Identifier: GPL-2.0-or-later
/* members: see members.h. An array, so that a tick walks through memory and an event finds its member by halving. */
#include "daemon/members.h"

#include <stdlib.h>
#include <string.h>

/* Where ifindex is, or would be. */
static size_t place(const struct members *s, int ifindex)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid]->nic.ifindex < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct member *members_find(const struct members *s, int ifindex)
{
	size_t i = place(s, ifindex);

	return i < s->n && s->v[i]->nic.ifindex == ifindex ? s->v[i] : NULL;
}

struct member *members_add(struct members *s, const struct nic_info *nic)
{
	size_t i = place(s, nic->ifindex);
	struct member *m;

	if (s->n == s->size) {
		size_t size = s->size ? s->size * 2 : 16;
		struct member **v = reallocarray(s->v, size, sizeof(struct member *));

		if (!v)
			return NULL;
		s->v = v;
		s->size = size;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->nic = *nic;
	m->told = TARGET_NEW;
	memmove(s->v + i + 1, s->v + i, (s->n - i) * sizeof(struct member *));
	s->v[i] = m;
	s->n++;
	return m;
}

void members_remove(struct members *s, struct member *m)
{
	size_t i = place(s, m->nic.ifindex);

	memmove(s->v + i, s->v + i + 1, (s->n - i - 1) * sizeof(struct member *));
	s->n--;
	free(m->target);
	free(m->totals);
	free(m);
}

void members_free(struct members *s)
{
	while (s->n)
		members_remove(s, s->v[s->n - 1]);
	free(s->v);
	*s = (struct members){ 0 };
}

enum target_state member_state(const struct member *m)
{
	return m->target ? m->target->state : m->state;
}

const char *member_why(const struct member *m)
{
	const char *own = m->target ? m->target->why : m->why;
	enum target_state s = member_state(m);

	if (s == TARGET_NEW || s == TARGET_ACTIVE || s == TARGET_OBSERVING)
		return "";
	return own;
}

void member_count(struct member *m)
{
	const struct target *t = m->target;

	if (!m->totals)
		m->totals = calloc(1, sizeof(*m->totals));
	if (m->totals)
		totals_count(m->totals, t->have_previous ? &t->samples[t->flip] : NULL, &m->last);
}
