// SPDX-License-Identifier: GPL-2.0-or-later
/* ethtool-ioctl: SIOCETHTOOL for what netlink lacks. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "io/ethtool-ioctl.h"
#include "io/genl.h"
#include "io/uapi.h"

/* The kernel writes as many names and values as the driver has at that moment, whatever we announce: if their number
 * grows between asking and fetching, they still must fit. */
#define STATS_HEADROOM 4096
#define SSET_WORDS (sizeof(struct ethtool_sset_info) / sizeof(uint32_t))

int ethtool_open(char err[ERR_MAX])
{
	/* Any socket takes the device ioctls; a netlink one exists even where the address families are restricted. */
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	return fd < 0 ? genl_fail(err, -errno, "socket for ethtool") : fd;
}

int ethtool_ioctl(int fd, const struct nic_info *nic, void *data, char err[ERR_MAX])
{
	struct ifreq ifr = { .ifr_ifindex = 0 };
	int rc;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", nic->name);
	if (ioctl(fd, SIOCGIFINDEX, &ifr) < 0)
		return genl_fail(err, -errno, "%s", "");
	if (ifr.ifr_ifindex != nic->ifindex)
		return genl_fail(err, -ENODEV, "name belongs to another device");
	ifr.ifr_data = data;
	if (ioctl(fd, SIOCETHTOOL, &ifr) == 0)
		return 0;
	rc = errno == ETHT_ENOTSUPP ? -EOPNOTSUPP : -errno;
	return genl_fail(err, rc, "%s", "");
}

int ethtool_identity(int fd, const struct nic_info *nic, struct ethtool_identity *ret, char err[ERR_MAX])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int rc = ethtool_ioctl(fd, nic, &info, err);

	if (rc < 0)
		return rc;
	snprintf(ret->driver, sizeof(ret->driver), "%.*s", (int)sizeof(info.driver) - 1, info.driver);
	snprintf(ret->bus_info, sizeof(ret->bus_info), "%.*s", (int)sizeof(info.bus_info) - 1, info.bus_info);
	return 0;
}

static int stats_count(int fd, const struct nic_info *nic, unsigned *ret, char *err)
{
	union {
		struct ethtool_sset_info info;
		uint32_t words[SSET_WORDS + 1]; /* the count follows the struct */
	} q = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS } };
	int rc = ethtool_ioctl(fd, nic, &q, err);

	if (rc < 0)
		return rc;
	if (!q.info.sset_mask || !q.words[SSET_WORDS])
		return genl_fail(err, -EOPNOTSUPP, "driver statistics");
	*ret = q.words[SSET_WORDS];
	return 0;
}

static int read_names(int fd, const struct nic_info *nic, unsigned n, char (**ret)[DRVSTATS_NAME + 1], char *err)
{
	struct ethtool_gstrings *g = calloc(1, sizeof(*g) + (size_t)(n + STATS_HEADROOM) * ETH_GSTRING_LEN);
	char(*names)[DRVSTATS_NAME + 1] = calloc(n, sizeof(*names));
	int rc;

	if (!g || !names) {
		free(g);
		free(names);
		return genl_fail(err, -ENOMEM, "driver statistics");
	}
	g->cmd = ETHTOOL_GSTRINGS;
	g->string_set = ETH_SS_STATS;
	g->len = n;
	rc = ethtool_ioctl(fd, nic, g, err);
	if (!rc && g->len != n)
		rc = genl_fail(err, -EAGAIN, "driver statistics changed");
	for (unsigned i = 0; !rc && i < n; i++)
		memcpy(names[i], g->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
	free(g);
	if (rc < 0)
		free(names);
	else
		*ret = names;
	return rc;
}

static int refetch(struct drvstats *s, int fd, const struct nic_info *nic, unsigned n, char *err)
{
	char(*names)[DRVSTATS_NAME + 1] = NULL;
	uint64_t *values = calloc(n, sizeof(*values));
	int rc = values ? read_names(fd, nic, n, &names, err) : genl_fail(err, -ENOMEM, "driver statistics");

	if (rc < 0) {
		free(values);
		return rc;
	}
	free(s->name);
	free(s->value);
	s->name = names;
	s->value = values;
	s->n = n;
	s->generation++;
	return 0;
}

/* -EAGAIN: the number of statistics is not the one of the names. */
static int read_values(struct drvstats *s, int fd, const struct nic_info *nic, char *err)
{
	struct ethtool_stats *st = calloc(1, sizeof(*st) + (size_t)(s->n + STATS_HEADROOM) * sizeof(uint64_t));
	int rc;

	if (!st)
		return genl_fail(err, -ENOMEM, "driver statistics");
	st->cmd = ETHTOOL_GSTATS;
	st->n_stats = s->n;
	rc = ethtool_ioctl(fd, nic, st, err);
	if (!rc && st->n_stats != s->n)
		rc = genl_fail(err, -EAGAIN, "driver statistics changed");
	if (!rc)
		memcpy(s->value, st->data, s->n * sizeof(uint64_t));
	free(st);
	return rc;
}

int drvstats_read(struct drvstats *s, int fd, const struct nic_info *nic, char err[ERR_MAX])
{
	int rc = -EAGAIN;

	/* Once more if their number changed under our hands. */
	for (int i = 0; i < 2 && rc == -EAGAIN; i++) {
		unsigned n = 0;

		rc = stats_count(fd, nic, &n, err);
		if (!rc && n != s->n)
			rc = refetch(s, fd, nic, n, err);
		if (!rc)
			rc = read_values(s, fd, nic, err);
	}
	return rc;
}

int drvstats_find(const struct drvstats *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (strcmp(s->name[i], name) == 0)
			return (int)i;
	}
	return -ENOENT;
}

void drvstats_free(struct drvstats *s)
{
	free(s->name);
	free(s->value);
	memset(s, 0, sizeof(*s));
}
