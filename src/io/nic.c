// SPDX-License-Identifier: GPL-2.0-or-later
/* nic: see nic.h. Which links are left out is a table of rtnetlink kinds and a few rules that need no table. */
#include "io/nic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/channel-channels.h"
#include "io/channel-link.h"
#include "io/ethtool-ioctl.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP 0x10000 /* <linux/if.h> has it, but that header and <net/if.h> exclude each other */
#endif

/* Kinds for which the rules below do not say it better. One that is not here is judged by what stands behind it. */
static const struct {
	const char *kind, *why;
} excluded_kinds[] = {
	{ "bridge", "bridge: its ports have the interrupts" },
	{ "bond", "bond: its ports have the interrupts" },
	{ "team", "team: its ports have the interrupts" },
	{ "hsr", "ring of two ports, which have the interrupts" },
	{ "dsa", "switch port: the conduit has the interrupts" },
	{ "vlan", "VLAN: the device below has the interrupts" },
	{ "macvlan", "stacked on another device" },
	{ "macvtap", "stacked on another device" },
	{ "ipvlan", "stacked on another device" },
	{ "ipvtap", "stacked on another device" },
	{ "macsec", "stacked on another device" },
	{ "rmnet", "stacked on another device" },
	{ "dummy", "dummy: no packet ever arrives" },
	{ "ifb", "ifb: packets are redirected, not received" },
	{ "vrf", "VRF: a routing table, not a device" },
	{ "openvswitch", "switch-internal port" },
};

/* Virtual, yet with a NAPI that can be tuned. */
static const char *const kept_kinds[] = { "veth", "tun" };

static bool is_kept(const char *kind)
{
	for (size_t i = 0; i < sizeof(kept_kinds) / sizeof(kept_kinds[0]); i++)
		if (!strcmp(kind, kept_kinds[i]))
			return true;
	return false;
}

const char *nic_excluded(const struct rtnl_link *link, bool has_device)
{
	if (link->flags & IFF_LOOPBACK)
		return "loopback";
	for (size_t i = 0; i < sizeof(excluded_kinds) / sizeof(excluded_kinds[0]); i++)
		if (!strcmp(link->kind, excluded_kinds[i].kind))
			return excluded_kinds[i].why;
	if (is_kept(link->kind))
		return NULL;
	/* A switch port of kernels that give it no kind, and whatever else is built on a lower device. */
	if (link->link > 0 && (link->link_foreign || link->link != link->ifindex))
		return "stacked on another device";
	if (link->arphrd != ARPHRD_ETHER && link->arphrd != ARPHRD_INFINIBAND && link->arphrd != ARPHRD_NONE)
		return "not an Ethernet or InfiniBand device";
	if (!has_device)
		return "virtual: no device stands behind it";
	return NULL;
}

static bool read_line(const char *root, const char *name, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/class/net/%s/%s", root, name, file) >= (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* sysfs may be mounted from another namespace, where the name is another device's; index and address together tell. */
static bool sysfs_is_ours(const char *root, const struct rtnl_link *link)
{
	char text[128], want[3 * sizeof(link->address) + 1] = "";
	size_t len = link->address_len;

	if (!read_line(root, link->name, "ifindex", text, sizeof(text)) || atoi(text) != link->ifindex)
		return false;
	for (size_t i = 0; i < len && i < sizeof(link->address); i++)
		snprintf(want + strlen(want), 4, "%s%02x", i ? ":" : "", link->address[i]);
	return read_line(root, link->name, "address", text, sizeof(text)) && !strcmp(text, want);
}

static bool has_device(const struct nic_finder *f, const struct rtnl_link *link)
{
	char path[PATH_MAX];

	if (link->parent_known || !f->sys_root)
		return link->parent[0];
	if (!sysfs_is_ours(f->sys_root, link) ||
	    snprintf(path, sizeof(path), "%s/class/net/%s/device", f->sys_root, link->name) >= (int)sizeof(path))
		return false;
	return !access(path, F_OK);
}

/* What ethtool knows. A driver that does not say leaves what is there; only a lost device is an error. */
static int ask_ethtool(const struct nic_finder *f, struct nic_info *nic)
{
	char err[ERR_MAX];
	struct ethtool_identity id;
	struct link_mode mode;
	struct channels ch;
	int rc;

	rc = f->ethtool_fd >= 0 ? ethtool_identity(f->ethtool_fd, nic, &id, err) : -EOPNOTSUPP;
	if (rc == -ENODEV)
		return rc;
	if (!rc) {
		memcpy(nic->driver, id.driver, sizeof(nic->driver));
		memcpy(nic->bus_info, id.bus_info, sizeof(nic->bus_info));
	}
	rc = f->genl ? channels_get(f->genl, nic, &ch, err) : -EOPNOTSUPP;
	if (!rc && channels_rx_queues(&ch) + channels_tx_queues(&ch)) {
		nic->rx_queues = channels_rx_queues(&ch);
		nic->tx_queues = channels_tx_queues(&ch);
	}
	/* Without a carrier there is no speed, and asking would wake a suspended device. */
	if (nic->carrier && f->genl && !link_mode_get(f->genl, nic, &mode, err))
		nic->speed_mbps = mode.speed_mbps;
	return 0;
}

static int fill(const struct nic_finder *f, const struct rtnl_link *link, bool device, struct nic_info *ret)
{
	struct nic_info nic = {
		.ifindex = link->ifindex,
		.has_device = device,
		.up = link->flags & IFF_UP,
		.carrier = link->flags & IFF_LOWER_UP,
		.rx_queues = link->rx_queues,
		.tx_queues = link->tx_queues,
	};
	int rc;

	memcpy(nic.name, link->name, sizeof(nic.name));
	memcpy(nic.kind, link->kind, sizeof(nic.kind));
	rc = ask_ethtool(f, &nic);
	if (rc < 0)
		return rc;
	*ret = nic;
	return 0;
}

int nic_list(const struct nic_finder *f, struct nic_info *ret, size_t max)
{
	struct rtnl_link *links;
	size_t n_links, n = 0;
	int rc = rtnl_links(f->rtnl, &links, &n_links);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n_links; i++) {
		bool device = has_device(f, &links[i]);

		if (nic_excluded(&links[i], device))
			continue;
		if (n >= max || !fill(f, &links[i], device, &ret[n]))
			n++;
	}
	free(links);
	return (int)n;
}

int nic_get(const struct nic_finder *f, int ifindex, const char *name, struct nic_info *ret, char err[ERR_MAX])
{
	struct rtnl_link link;
	const char *why;
	bool device;
	int rc = rtnl_link(f->rtnl, ifindex, name, &link);

	if (rc == -ENODEV) {
		snprintf(err, ERR_MAX, "no such device");
		return rc;
	}
	if (rc < 0) {
		snprintf(err, ERR_MAX, "cannot ask rtnetlink: %s", strerror(-rc));
		return rc;
	}
	if (ifindex && name && strcmp(name, link.name)) {
		snprintf(err, ERR_MAX, "no such device: number %d is now %s", ifindex, link.name);
		return -ENODEV;
	}
	device = has_device(f, &link);
	why = nic_excluded(&link, device);
	if (why) {
		snprintf(err, ERR_MAX, "cannot be tuned: %s", why);
		return -EOPNOTSUPP;
	}
	rc = fill(f, &link, device, ret);
	if (rc < 0)
		snprintf(err, ERR_MAX, "device has just gone");
	return rc;
}
