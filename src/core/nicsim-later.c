// SPDX-License-Identifier: GPL-2.0-or-later
/* nicsim-later: what comes back to senders, in order of time: a calendar queue. Each bucket holds the items of one
 * width of time (and of that time some turns of the calendar later), sorted; a bit tells buckets with something in
 * them. Items are spread over about the calendar's turn, so that a bucket has one or two. */
#include "core/nicsim-int.h"

#define NONE UINT32_MAX

static uint64_t slot_of(const struct sim_later *l, double at)
{
	return (uint64_t)(at * l->per_usec);
}

size_t sim_later_size(unsigned size)
{
	return size * (2 * sizeof(struct sim_feedback) + sizeof(uint32_t)) + size / 64 * sizeof(uint64_t);
}

void sim_later_init(struct sim_later *l, void *mem, unsigned size)
{
	*l = (struct sim_later){ .item = mem, .n_items = 2 * size, .n_buckets = size };
	l->used = (uint64_t *)(l->item + l->n_items);
	l->bucket = (uint32_t *)(l->used + size / 64);
	sim_later_clear(l, 1e6);
}

void sim_later_clear(struct sim_later *l, double turn_usecs)
{
	memset(l->used, 0, l->n_buckets / 64 * sizeof(*l->used));
	memset(l->bucket, 0xff, l->n_buckets * sizeof(*l->bucket));
	l->per_usec = l->n_buckets / turn_usecs;
	l->fill = l->fresh = 0;
	l->free = NONE;
	l->first_at = SIM_NEVER;
}

/* Behind those of the same time. */
static void insert(struct sim_later *l, unsigned bucket, uint32_t i)
{
	uint32_t *at = &l->bucket[bucket];

	while (*at != NONE && l->item[*at].at <= l->item[i].at)
		at = &l->item[*at].next;
	l->item[i].next = *at;
	*at = i;
	l->used[bucket / 64] |= UINT64_C(1) << bucket % 64;
}

void sim_later_push(struct sim_later *l, double at, uint32_t flow, enum feedback_kind kind, unsigned source)
{
	unsigned bucket = (unsigned)slot_of(l, at) & (l->n_buckets - 1);
	uint32_t i = l->free;

	if (i != NONE)
		l->free = l->item[i].next;
	else if (l->fresh < l->n_items)
		i = l->fresh++;
	else
		return; /* sized for all that can be under way */
	l->item[i] = (struct sim_feedback){ at, flow, (uint16_t)source, (uint16_t)kind, NONE };
	insert(l, bucket, i);
	l->fill++;
	if (at < l->first_at) {
		l->first_at = at;
		l->first_bucket = bucket;
	}
}

/* The next bucket from `from` on that has something, once round at most; how many buckets further. */
static unsigned next_used(const struct sim_later *l, unsigned from)
{
	unsigned words = l->n_buckets / 64, w = from / 64;
	uint64_t bits = l->used[w] >> from % 64;

	if (bits)
		return (unsigned)__builtin_ctzll(bits);
	for (unsigned i = 1; i <= words; i++) {
		bits = l->used[(w + i) % words];
		if (bits)
			return i * 64 - from % 64 + (unsigned)__builtin_ctzll(bits);
	}
	return l->n_buckets;
}

/* The earliest after one of slot `slot` was taken. */
static void find_first(struct sim_later *l, uint64_t slot)
{
	unsigned ahead = 0, mask = l->n_buckets - 1;

	l->first_at = SIM_NEVER;
	if (!l->fill)
		return;
	while (ahead < l->n_buckets) {
		unsigned bucket;

		ahead += next_used(l, (unsigned)(slot + ahead) & mask);
		bucket = (unsigned)(slot + ahead) & mask;
		if (l->item[l->bucket[bucket]].at < l->first_at) {
			l->first_at = l->item[l->bucket[bucket]].at;
			l->first_bucket = bucket;
		}
		if (slot_of(l, l->first_at) <= slot + ahead)
			return; /* no later turn's */
		ahead++;
	}
}

struct sim_feedback sim_later_pop(struct sim_later *l)
{
	unsigned b = l->first_bucket;
	uint32_t i = l->bucket[b];
	struct sim_feedback top = l->item[i];

	l->bucket[b] = top.next;
	if (top.next == NONE)
		l->used[b / 64] &= ~(UINT64_C(1) << b % 64);
	l->item[i].next = l->free;
	l->free = i;
	l->fill--;
	find_first(l, slot_of(l, top.at));
	return top;
}
