// SPDX-License-Identifier: GPL-2.0-or-later
/* genl: requests to the generic netlink families "ethtool" and "netdev", with acks, extended errors and a time limit.
 * One handle, one request at a time; not for use by several threads at once. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/knob.h"
#include "core/nic.h"

struct nl_sock;
struct nl_msg;
struct nlattr;

enum genl_family { GENL_ETHTOOL, GENL_NETDEV, GENL_FAMILY_COUNT };

struct genl {
	struct nl_sock *sk;
	int family[GENL_FAMILY_COUNT]; /* 0: this kernel lacks it */
	int monitor_group;	       /* multicast group of ethtool's notifications, 0 = none */
	int timeout_ms;		       /* of one request's answer; set by genl_open() to GENL_TIMEOUT_MS */
	int bad_attr;		       /* top-level attribute that the kernel blamed for the last failure, 0 = none */
};
#define GENL_TIMEOUT_MS 2000
#define GENL_ATTR_MAX 64

/* Opens the socket and asks for the families; one that is missing is no error, but requests to it are -EOPNOTSUPP. */
int genl_open(struct genl *ret, char err[ERR_MAX]);
void genl_close(struct genl *g); /* also of a zeroed handle */

/* One reply: its command and top-level attributes, tb[0..GENL_ATTR_MAX - 1], absent = NULL. The first negative return
 * is what genl_call() returns; the rest of the replies is still read. */
typedef int (*genl_reply_fn)(uint8_t cmd, struct nlattr **tb, void *arg);

/* New request without attributes; dump: all objects. -EOPNOTSUPP (family missing), -ENOMEM. */
int genl_request(const struct genl *g, enum genl_family f, uint8_t cmd, bool dump, struct nl_msg **ret);
/* Sends `msg`, consumes it in any case, calls fn for each reply until the ack or the end of the dump.
 * 0; -ETIMEDOUT; the kernel's errno with its extack text (or strerror's) in err; -EAGAIN: a dump that was disturbed. */
int genl_call(struct genl *g, struct nl_msg *msg, genl_reply_fn fn, void *arg, char err[ERR_MAX]);

/* Highest attribute that requests of `cmd` may carry (0: none known), -EOPNOTSUPP when the kernel lacks the command. */
int genl_policy_max(struct genl *g, enum genl_family f, uint8_t cmd);

/* The "uint" of netlink: 4 or 8 bytes. Writes 4 when it fits, as the kernel does. */
int genl_get_uint(const struct nlattr *a, uint64_t *ret); /* -EBADMSG: other length */
int genl_put_uint(struct nl_msg *msg, int attr, uint64_t v);

/* Knobs as attributes, by the table. put: those of `mask` that `s` has; get: those of channel `c` that tb has. */
int genl_put_knobs(struct nl_msg *msg, uint32_t mask, const struct knob_set *s);
int genl_get_knobs(struct nlattr **tb, enum knob_channel c, struct knob_set *ret); /* adds to *ret; -EBADMSG */

/* Replaces the knobs of channel `c` in *ret by those of `got`; knobs of other channels stay. What all channels'
 * functions do with their results, so that one set can be filled by several of them: *ret must have been initialised.
 */
void genl_take_channel(struct knob_set *ret, enum knob_channel c, const struct knob_set *got);

/* genl_call() for a request with knobs of `mask`: one that the kernel blames stands before its text in err. */
int genl_call_knobs(struct genl *g, struct nl_msg *msg, uint32_t mask, genl_reply_fn fn, void *arg, char err[ERR_MAX]);
/* One request of the ethtool family about one device, with the knobs of `mask` that `s` has (s may be NULL). The header
 * names the device by index and name: -ENODEV unless both fit, so a rename or a reused index cannot hit another one. */
int genl_ethtool(struct genl *g, const struct nic_info *nic, uint8_t cmd, uint32_t mask, const struct knob_set *s,
		 genl_reply_fn fn, void *arg, char err[ERR_MAX]);

/* Puts "text: reason" (or only the formatted text when rc is 0) into err, which may be NULL. Returns rc. */
int genl_fail(char *err, int rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* What ethtool netlink tells about changes made by anybody in this network namespace (also by ourselves). */
enum genl_event {
	GENL_EVENT_COALESCE,
	GENL_EVENT_RINGS,
	GENL_EVENT_CHANNELS,
	GENL_EVENT_FEATURES,
	GENL_EVENT_LINKMODES,
	GENL_EVENT_OTHER
};
typedef void (*genl_event_fn)(int ifindex, enum genl_event what, void *arg);

struct genl_notify {
	struct nl_sock *sk;
};
int genl_notify_open(const struct genl *g, struct genl_notify *ret, char err[ERR_MAX]); /* -EOPNOTSUPP: no family */
int genl_notify_fd(const struct genl_notify *n);
/* Reads all that is waiting, never blocks. Number of events, or -ENOBUFS: some were lost, look at everything again. */
int genl_notify_read(struct genl_notify *n, genl_event_fn fn, void *arg);
void genl_notify_close(struct genl_notify *n);
