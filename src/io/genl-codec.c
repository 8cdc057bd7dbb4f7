// SPDX-License-Identifier: GPL-2.0-or-later
/* genl-codec: values as netlink attributes: "uint" of 4 or 8 bytes, and knobs by the table. */
#include <errno.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "io/genl.h"
#include "io/uapi.h"

static const uint16_t knob_attr[KNOB_COUNT] = {
#define KNOB(id, name, json, channel, attr, type, unit, min, max, metric, what) [KNOB_##id] = attr,
#include "core/knobs.def"
#undef KNOB
};

int genl_get_uint(const struct nlattr *a, uint64_t *ret)
{
	switch (nla_len(a)) {
	case sizeof(uint32_t): *ret = nla_get_u32((struct nlattr *)a); return 0;
	case sizeof(uint64_t): *ret = nla_get_u64((struct nlattr *)a); return 0;
	}
	return -EBADMSG;
}

int genl_put_uint(struct nl_msg *msg, int attr, uint64_t v)
{
	int rc = v <= UINT32_MAX ? nla_put_u32(msg, attr, (uint32_t)v) : nla_put_u64(msg, attr, v);

	return rc < 0 ? -EMSGSIZE : 0;
}

static int put_knob(struct nl_msg *msg, enum knob k, uint64_t v)
{
	switch (knob_table[k].type) {
	case KNOB_TYPE_BOOL: return nla_put_u8(msg, knob_attr[k], v != 0) < 0 ? -EMSGSIZE : 0;
	case KNOB_TYPE_U32:
		if (v > UINT32_MAX)
			return -ERANGE;
		return nla_put_u32(msg, knob_attr[k], (uint32_t)v) < 0 ? -EMSGSIZE : 0;
	case KNOB_TYPE_U64: return genl_put_uint(msg, knob_attr[k], v);
	}
	return -EINVAL;
}

int genl_put_knobs(struct nl_msg *msg, uint32_t mask, const struct knob_set *s)
{
	for (int k = 0; k < KNOB_COUNT; k++) {
		int rc = (mask & s->have & KNOB_BIT(k)) ? put_knob(msg, k, s->value[k]) : 0;

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int get_knob(const struct nlattr *a, enum knob_type type, uint64_t *ret)
{
	switch (type) {
	case KNOB_TYPE_BOOL:
		if (nla_len(a) != sizeof(uint8_t))
			return -EBADMSG;
		*ret = nla_get_u8((struct nlattr *)a) != 0;
		return 0;
	case KNOB_TYPE_U32:
	case KNOB_TYPE_U64: return genl_get_uint(a, ret);
	}
	return -EBADMSG;
}

int genl_get_knobs(struct nlattr **tb, enum knob_channel c, struct knob_set *ret)
{
	struct knob_set got = *ret;

	for (int k = 0; k < KNOB_COUNT; k++) {
		const struct nlattr *a = tb[knob_attr[k]];
		uint64_t v;

		if (knob_table[k].channel != c || !a)
			continue;
		if (get_knob(a, knob_table[k].type, &v) < 0)
			return -EBADMSG;
		knob_put(&got, k, v);
	}
	*ret = got;
	return 0;
}

void genl_take_channel(struct knob_set *ret, enum knob_channel c, const struct knob_set *got)
{
	struct knob_set s = *got;

	s.have &= knob_channel_mask(c);
	ret->have &= ~knob_channel_mask(c);
	knob_set_overlay(ret, &s);
}

/* All messages of ethtool have their header as attribute 1. */
static int put_device(struct nl_msg *msg, const struct nic_info *nic)
{
	struct nlattr *nest = nla_nest_start(msg, ETHTOOL_A_COALESCE_HEADER);

	if (!nest || nla_put_u32(msg, ETHTOOL_A_HEADER_DEV_INDEX, (uint32_t)nic->ifindex) < 0 ||
	    nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, nic->name) < 0)
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static const char *blamed_knob(uint32_t mask, int attr)
{
	for (int k = 0; attr && k < KNOB_COUNT; k++) {
		if (mask & KNOB_BIT(k) && knob_attr[k] == attr)
			return knob_table[k].name;
	}
	return NULL;
}

int genl_call_knobs(struct genl *g, struct nl_msg *msg, uint32_t mask, genl_reply_fn fn, void *arg, char err[ERR_MAX])
{
	char why[ERR_MAX];
	int rc = genl_call(g, msg, fn, arg, why);
	const char *knob = rc < 0 ? blamed_knob(mask, g->bad_attr) : NULL;

	if (rc < 0)
		genl_fail(err, 0, "%s%s%s", knob ? knob : "", knob ? ": " : "", why);
	return rc;
}

int genl_ethtool(struct genl *g, const struct nic_info *nic, uint8_t cmd, uint32_t mask, const struct knob_set *s,
		 genl_reply_fn fn, void *arg, char err[ERR_MAX])
{
	struct nl_msg *msg;
	int rc = genl_request(g, GENL_ETHTOOL, cmd, false, &msg);

	if (rc < 0)
		return genl_fail(err, rc, "ethtool netlink");
	rc = put_device(msg, nic);
	if (!rc && s)
		rc = genl_put_knobs(msg, mask, s);
	if (rc < 0) {
		nlmsg_free(msg);
		return genl_fail(err, rc, "request");
	}
	return genl_call_knobs(g, msg, s ? mask & s->have : 0, fn, arg, err);
}
