// SPDX-License-Identifier: GPL-2.0-or-later
/* identity: what a [match] sees of interfaces on PCI, virtio, the platform bus, USB, and of virtual ones. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/identity.h"
#include "tree.h"

static void link_to(const struct tree *t, const char *path, const char *target)
{
	char full[256];

	tree_write(t, path, ""); /* makes the parents */
	tree_remove(t, path);
	snprintf(full, sizeof(full), "%s/%s", t->path, path);
	ck_assert_int_eq(symlink(target, full), 0);
}

static struct match_subject identify(const struct tree *t, const char *name, const char *driver, bool has_device)
{
	struct nic_info nic = { .ifindex = 7, .speed_mbps = 1000, .has_device = has_device };
	struct match_subject s;

	snprintf(nic.name, sizeof(nic.name), "%s", name);
	snprintf(nic.driver, sizeof(nic.driver), "%s", driver);
	identity_read(&t->root, &nic, NULL, &s);
	return s;
}

START_TEST(virtio_on_pci)
{
	struct match_subject s;
	struct tree t;

	tree_open(&t, NULL);
	link_to(&t, "sys/class/net/eth0", "../../devices/pci0000:00/0000:00:03.0/virtio2/net/eth0");
	link_to(&t, "sys/devices/pci0000:00/0000:00:03.0/subsystem", "../../../bus/pci");
	link_to(&t, "sys/devices/pci0000:00/0000:00:03.0/virtio2/subsystem", "../../../../bus/virtio");
	link_to(&t, "sys/devices/pci0000:00/0000:00:03.0/virtio2/driver", "../../../../bus/virtio/drivers/virtio_net");
	tree_write(&t, "sys/devices/pci0000:00/0000:00:03.0/virtio2/vendor", "0x1af4\n");
	tree_write(&t, "sys/devices/pci0000:00/0000:00:03.0/virtio2/device", "0x0001\n");
	tree_write(&t, "sys/devices/pci0000:00/0000:00:03.0/vendor", "0x1af4\n");
	tree_write(&t, "sys/devices/pci0000:00/0000:00:03.0/device", "0x1041\n");
	tree_write(&t, "sys/devices/pci0000:00/vendor", "0x8086\n"); /* not asked */
	tree_write(&t, "sys/devices/pci0000:00/device", "0x1234\n");
	tree_write(&t, "sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth0/address", "02:00:00:00:00:01\n");
	tree_write(&t, "proc/sys/kernel/osrelease", "6.12.9\n");
	s = identify(&t, "eth0", "virtio_net", true);
	ck_assert_str_eq(s.text[MATCH_NAME], "eth0");
	ck_assert_str_eq(s.text[MATCH_DRIVER], "virtio_net"); /* once */
	ck_assert_str_eq(s.text[MATCH_ID], "1af4:0001 1af4:1041");
	ck_assert_str_eq(s.text[MATCH_PATH], "pci-0000:00:03.0");
	ck_assert_str_eq(s.text[MATCH_MAC], "02:00:00:00:00:01");
	ck_assert_str_eq(s.text[MATCH_KERNEL], "6.12.9");
	ck_assert_str_eq(s.text[MATCH_LINK_SPEED], "1000");
	ck_assert_str_eq(s.text[MATCH_COMPATIBLE], "");
	tree_close(&t);
}
END_TEST

START_TEST(platform_with_device_tree)
{
	static const char strings[] = "rockchip,rk3568-gmac\0snps,dwmac-4.20a";
	struct match_subject s;
	struct tree t;
	char path[256];
	FILE *f;

	tree_open(&t, NULL);
	link_to(&t, "sys/class/net/end0", "../../devices/platform/soc/fe010000.ethernet/net/end0");
	link_to(&t, "sys/devices/platform/soc/fe010000.ethernet/subsystem", "../../../../bus/platform");
	link_to(&t, "sys/devices/platform/soc/fe010000.ethernet/driver",
		"../../../../bus/platform/drivers/rk_gmac-dwmac");
	tree_write(&t, "sys/devices/platform/soc/fe010000.ethernet/of_node/compatible", "");
	snprintf(path, sizeof(path), "%s/sys/devices/platform/soc/fe010000.ethernet/of_node/compatible", t.path);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fwrite(strings, sizeof(strings), 1, f);
	fclose(f);
	s = identify(&t, "end0", "st_gmac", true);
	ck_assert_str_eq(s.text[MATCH_DRIVER], "st_gmac rk_gmac-dwmac");
	ck_assert_str_eq(s.text[MATCH_COMPATIBLE], "rockchip,rk3568-gmac snps,dwmac-4.20a");
	ck_assert_str_eq(s.text[MATCH_PATH], "platform-fe010000.ethernet");
	ck_assert_str_eq(s.text[MATCH_ID], "");
	tree_close(&t);
}
END_TEST

START_TEST(usb_and_udev)
{
	struct match_subject s;
	struct tree t;

	tree_open(&t, NULL);
	link_to(&t, "sys/class/net/u0", "../../devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/net/u0");
	tree_write(&t, "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/idVendor", "0bda\n");
	tree_write(&t, "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/idProduct", "8153\n");
	tree_write(&t, "run/udev/data/n7", "E:ID_PATH_TAG=x\nE:ID_PATH=pci-0000:00:14.0-usb-0:1:1.0\nE:Z=1\n");
	s = identify(&t, "u0", "x", true);
	ck_assert_str_eq(s.text[MATCH_ID], "0bda:8153");
	ck_assert_str_eq(s.text[MATCH_PATH], "pci-0000:00:14.0-usb-0:1:1.0");
	tree_close(&t);
}
END_TEST

START_TEST(virtual_and_gone)
{
	struct match_subject s;
	struct rtnl_link link = { .address_len = 6, .address = { 2, 0xab, 0, 0, 0, 1 } };
	struct nic_info nic = { .name = "v0", .driver = "veth" };
	struct tree t;

	tree_open(&t, NULL);
	identity_read(&t.root, &nic, &link, &s);
	ck_assert_str_eq(s.text[MATCH_NAME], "v0");
	ck_assert_str_eq(s.text[MATCH_DRIVER], "veth");
	ck_assert_str_eq(s.text[MATCH_MAC], "02:ab:00:00:00:01");
	ck_assert_str_eq(s.text[MATCH_LINK_SPEED], ""); /* unknown, not 0 */
	ck_assert_str_eq(s.text[MATCH_PATH], "");
	s = identify(&t, "gone0", "x", true);
	ck_assert_str_eq(s.text[MATCH_ID], "");
	tree_close(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("identity");
	TCase *t = tcase_create("identity");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_add_test(t, virtio_on_pci);
	tcase_add_test(t, platform_with_device_tree);
	tcase_add_test(t, usb_and_udev);
	tcase_add_test(t, virtual_and_gone);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
