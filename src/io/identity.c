// SPDX-License-Identifier: GPL-2.0-or-later
/* identity: see identity.h. A device is looked for upwards from the interface, as udev does: an interface of virtio
 * hangs below a PCI device, one of USB below an interface of a USB device. */
#include "io/identity.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVELS_MAX 4 /* from the interface's device upwards */
#define DEVICE_MAX 512

static void add_mac(struct match_subject *s, const unsigned char *address, size_t len)
{
	char text[3 * 32 + 1] = "";

	for (size_t i = 0; i < len && i < 32; i++)
		sprintf(text + strlen(text), "%s%02x", i ? ":" : "", address[i]);
	match_subject_add(s, MATCH_MAC, text);
}

/* "0x8086" or "8086" -> "8086" */
static bool read_hex(const struct procroot *root, const char *device, const char *file, char ret[8])
{
	char path[DEVICE_MAX + 16], text[16];
	const char *p = text;

	snprintf(path, sizeof(path), "%s/%s", device, file);
	if (procroot_string(root, path, text, sizeof(text)) < 0)
		return false;
	if (!strncmp(p, "0x", 2))
		p += 2;
	if (strlen(p) != 4 || p[strspn(p, "0123456789abcdefABCDEF")])
		return false;
	memcpy(ret, p, 5);
	return true;
}

static void add_id(struct match_subject *s, const struct procroot *root, const char *device)
{
	static const char *const files[][2] = { { "vendor", "device" }, { "idVendor", "idProduct" } };
	char vendor[8], product[8], id[20];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (read_hex(root, device, files[i][0], vendor) && read_hex(root, device, files[i][1], product)) {
			snprintf(id, sizeof(id), "%s:%s", vendor, product);
			match_subject_add(s, MATCH_ID, id);
		}
}

/* The file holds strings that each end in NUL. */
static void add_compatible(struct match_subject *s, const struct procroot *root, const char *device)
{
	char path[DEVICE_MAX + 32], text[MATCH_TEXT_MAX];
	int n;

	snprintf(path, sizeof(path), "%s/of_node/compatible", device);
	n = procroot_string(root, path, text, sizeof(text));
	for (int i = 0; i < n; i += (int)strlen(text + i) + 1)
		match_subject_add(s, MATCH_COMPATIBLE, text + i);
}

/* As udev names the place, for the buses that carry nearly all interfaces. */
static bool add_path(struct match_subject *s, const struct procroot *root, const char *device)
{
	char path[DEVICE_MAX + 16], bus[32], text[MATCH_TEXT_MAX];

	snprintf(path, sizeof(path), "%s/subsystem", device);
	if (procroot_link_name(root, path, bus, sizeof(bus)) < 0 || (strcmp(bus, "pci") && strcmp(bus, "platform")))
		return false;
	snprintf(text, sizeof(text), "%s-%.200s", bus, strrchr(device, '/') + 1);
	match_subject_add(s, MATCH_PATH, text);
	return true;
}

static bool add_udev_path(struct match_subject *s, const struct procroot *root, int ifindex)
{
	char name[48], line[64] = "\nE:ID_PATH=", text[8192], *p;

	snprintf(name, sizeof(name), "run/udev/data/n%d", ifindex);
	text[0] = '\n';
	if (procroot_string(root, name, text + 1, sizeof(text) - 1) < 0)
		return false;
	p = strstr(text, line);
	if (!p)
		return false;
	p += strlen(line);
	p[strcspn(p, "\n")] = 0;
	match_subject_add(s, MATCH_PATH, p);
	return true;
}

/* Path below the root of the device behind an interface, "sys/devices/...". False: there is none. */
static bool find_device(const struct procroot *root, const char *name, char ret[DEVICE_MAX])
{
	char path[64], link[DEVICE_MAX];
	const char *from;
	char *to;
	ssize_t n;

	snprintf(path, sizeof(path), "sys/class/net/%s", name);
	n = readlinkat(root->fd, path, link, sizeof(link) - 1);
	if (n <= 0)
		return false;
	link[n] = 0;
	from = strstr(link, "devices/");
	if (!from || strstr(from, "devices/virtual/"))
		return false;
	to = strstr(link, "/net/");
	if (!to)
		return false;
	*to = 0;
	return snprintf(ret, DEVICE_MAX, "sys/%s", from) < DEVICE_MAX;
}

static void read_device(const struct procroot *root, const struct nic_info *nic, struct match_subject *s)
{
	bool have_path = add_udev_path(s, root, nic->ifindex);
	char device[DEVICE_MAX], path[DEVICE_MAX + 16], driver[64];
	struct match_subject unused = { 0 };

	if (!find_device(root, nic->name, device))
		return;
	for (int i = 0; i < LEVELS_MAX && strlen(device) > strlen("sys/devices"); i++) {
		snprintf(path, sizeof(path), "%s/driver", device);
		if (i == 0 && procroot_link_name(root, path, driver, sizeof(driver)) > 0 && strcmp(driver, nic->driver))
			match_subject_add(s, MATCH_DRIVER, driver);
		add_id(s, root, device);
		add_compatible(s, root, device);
		if (add_path(have_path ? &unused : s, root, device))
			break; /* what is above is a bridge or a bus */
		*strrchr(device, '/') = 0;
	}
}

void identity_read(const struct procroot *root, const struct nic_info *nic, const struct rtnl_link *link,
		   struct match_subject *ret)
{
	struct match_subject s = { 0 };
	char path[64], text[MATCH_TEXT_MAX];

	match_subject_add(&s, MATCH_NAME, nic->name);
	match_subject_add(&s, MATCH_DRIVER, nic->driver);
	if (nic->speed_mbps) {
		snprintf(text, sizeof(text), "%u", nic->speed_mbps);
		match_subject_add(&s, MATCH_LINK_SPEED, text);
	}
	snprintf(path, sizeof(path), "sys/class/net/%s/address", nic->name);
	if (link)
		add_mac(&s, link->address, link->address_len);
	else if (procroot_string(root, path, text, sizeof(text)) > 0)
		match_subject_add(&s, MATCH_MAC, text);
	if (procroot_string(root, "proc/sys/kernel/osrelease", text, sizeof(text)) > 0)
		match_subject_add(&s, MATCH_KERNEL, text);
	if (nic->has_device)
		read_device(root, nic, &s);
	*ret = s;
}
