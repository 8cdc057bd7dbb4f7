// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps of whole machines (tests/fixtures/machines) and what names of interrupts mean. */
#include "io/irqmap.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

/* A map as text: "IRQ:ROLE[QUEUE]/CONFIDENCE[+shared]", blanks between. */
static void print_map(const struct nic_map *map, char *buf, size_t size)
{
	static const char *const confidence[] = { [MAP_NONE] = "none",
						  [MAP_DEVICE] = "device",
						  [MAP_ORDER] = "order",
						  [MAP_NAME] = "name",
						  [MAP_EXACT] = "exact" };
	size_t at = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < map->n_irqs && at < size; i++) {
		const struct nic_irq *e = &map->irqs[i];
		char queue[16] = "";

		if (e->queue >= 0)
			snprintf(queue, sizeof(queue), "%d", e->queue);
		ck_assert(!(e->control && (e->rx || e->tx || e->queue >= 0)));
		at += (size_t)snprintf(buf + at, size - at, "%s%u:%s%s%s%s/%s%s", i ? " " : "", e->irq,
				       e->rx ? "rx" : "", e->tx ? "tx" : "", e->control ? "control" : "", queue,
				       confidence[e->confidence], e->shared ? "+shared" : "");
	}
}

static const struct machine {
	const char *name, *netdev;
	unsigned rx_queues, tx_queues;
	const char *order; /* of the rule; "vectors": numbers are vectors; NULL: none */
	const char *map;
} machines[] = {
	{ "x86-old", "eth1", 4, 4, NULL, "34:rxtx0/name 35:rxtx1/name 36:rxtx2/name 37:rxtx3/name 38:control/name" },
	{ "x86-old", "eth1", 2, 2, NULL, "34:rxtx0/name 35:rxtx1/name 36:rxtx2/name 37:rxtx3/name 38:control/name" },
	{ "x86-old", "eth10", 1, 1, NULL, "60:rxtx0/name 61:control/name" },
	{ "x86-old", "lo", 1, 1, NULL, "" },
	{ "x86-virtio", "eth0", 1, 1, NULL, "37:control/name 38:rx0/name 39:tx0/name" },
	{ "x86-i40e", "enp1s0f0", 4, 4, NULL,
	  "120:control/name 121:rxtx0/name 122:rxtx1/name 123:rxtx2/name 124:rxtx3/name 125:control/name" },
	{ "x86-i40e", "enp1s0f1", 1, 1, NULL, "130:control/name 131:rxtx0/name" },
	{ "x86-mlx5", "ens3np0", 2, 2, NULL, "90:control/name 91:rxtx0/name 92:rxtx1/name 93:control/name+shared" },
	{ "x86-intx", "eth0", 1, 1, NULL, "18:rxtx/device+shared" },
	{ "x86-intx", "eth1", 1, 1, NULL, "19:rxtx/device" },
	{ "mips-mt7621", "eth0", 1, 1, "tx,rx", "20:rxtx/device+shared" },
	{ "arm64-mt7986", "eth0", 1, 1, "tx,rx", "115:tx0/order 116:rx0/order" },
	{ "arm64-mt7986", "eth0", 1, 1, NULL, "115:rxtx/device 116:rxtx/device" },
	{ "riscv-plic", "end0", 1, 1, NULL, "31:rxtx/device" },
	{ "arm64-rpi5", "eth0", 2, 2, "rxtx*", "106:rxtx0/order 107:rxtx1/order" },
	{ "arm64-rpi5", "eth0", 1, 1, "rxtx*", "106:rxtx0/order 107:rxtx/order" },
	{ "arm64-stmmac", "end0", 2, 2, NULL,
	  "40:control/name 41:control/name 42:control/name 43:rx0/name 44:rx1/name 45:tx0/name 46:tx1/name" },
	{ "x86-lan743x", "enp2s0", 4, 1, "other,tx*,rx*",
	  "49:rx3/order 50:control/order 51:tx0/order 52:rx0/order 53:rx1/order 54:rx2/order" },
	{ "arm64-fec", "eth0", 3, 3, "rxtx*", "56:rxtx0/order 57:rxtx1/order 58:rxtx2/order 59:control/name" },
	{ "arm64-k3", "eth0", 1, 2, NULL, "200:rx0/name+shared 201:tx0/name+shared 202:tx1/name+shared" },
	{ "arm64-k3", "eth2", 1, 1, NULL,
	  "210:rx/device+shared 211:rx/device+shared 212:tx/device+shared 213:tx/device+shared "
	  "214:control/name+shared" },
	{ "arm64-ravb", "eth0", 2, 2, NULL,
	  "70:control/name 71:control/name 72:rx0/order 73:tx0/order 74:rx1/order 75:tx1/order" },
	{ "x86-ena", "ens5", 2, 2, NULL, "27:control/name 28:rxtx0/name 29:rxtx1/name" },
	{ "x86-vmxnet3", "ens192", 2, 2, "vectors", "56:tx0/name 57:tx1/name 58:rx0/name 59:rx1/name 60:control/name" },
	{ "x86-two-ports", "lan", 2, 2, NULL, "70:control/name+shared 71:rxtx0/name 72:rxtx1/name" },
	{ "x86-two-ports", "lan-2", 1, 1, NULL, "70:control/name+shared 73:rxtx0/name" },
	{ "x86-pairs", "enp25s0", 2, 2, NULL, "80:rxtx0/name 81:rxtx1/name" },
	{ "x86-pairs", "eth4", 2, 2, NULL, "82:control/name 83:rxtx0/name 84:rxtx1/name" },
	{ "x86-pairs", "eth2", 2, 2, NULL, "85:rxtx0/name 86:rxtx1/name 87:control/name" },
};

static struct irq_rule rule_of(const char *order)
{
	struct irq_rule rule = { .number_is_vector = order && strcmp(order, "vectors") == 0 };

	if (order && !rule.number_is_vector)
		strcpy(rule.order, order);
	return rule;
}

static struct nic_info nic_of(const struct machine *m)
{
	struct nic_info nic = { .ifindex = 2, .up = true, .rx_queues = m->rx_queues, .tx_queues = m->tx_queues };

	strcpy(nic.name, m->netdev);
	return nic;
}

START_TEST(test_machine)
{
	const struct machine *m = &machines[_i];
	struct irq_rule rule = rule_of(m->order);
	struct nic_info nic = nic_of(m);
	struct nic_map map;
	char text[512];
	struct tree t;

	tree_open(&t, m->name);
	ck_assert_int_eq(irqmap_build(&t.root, &nic, &rule, NULL, 0, &map), 0);
	print_map(&map, text, sizeof(text));
	ck_assert_msg(strcmp(text, m->map) == 0, "%s %s:\n has  %s\n want %s", m->name, m->netdev, text, m->map);
	ck_assert_uint_eq(map.n_napi, 0);
	tree_close(&t);
}
END_TEST

static void build(const char *name, const char *netdev, unsigned queues, const struct irqmap_napi *napi, size_t n,
		  struct nic_map *map, const char *want)
{
	struct machine m = { .name = name, .netdev = netdev, .rx_queues = queues, .tx_queues = queues };
	struct nic_info nic = nic_of(&m);
	char text[512];
	struct tree t;

	tree_open(&t, name);
	ck_assert_int_eq(irqmap_build(&t.root, &nic, NULL, napi, n, map), 0);
	print_map(map, text, sizeof(text));
	ck_assert_str_eq(text, want);
	tree_close(&t);
}

START_TEST(test_kernel_says)
{
	/* queues crossed against the names: the kernel is right */
	static const struct irqmap_napi crossed[] = {
		{ QUEUE_TX, 3, 0, 35 }, { QUEUE_RX, 0, 8193, 35 }, { QUEUE_RX, 1, 8194, 34 }, { QUEUE_TX, 1, 8194, 34 }
	};
	static const struct irqmap_napi no_irqs[] = { { QUEUE_RX, 0, 515, 0 }, { QUEUE_TX, 0, 0, -1 } };
	static const struct irqmap_napi one_for_two[] = { { QUEUE_RX, 0, 7, 31 }, { QUEUE_RX, 1, 7, 31 } };
	struct nic_map map;

	build("x86-old", "eth1", 4, crossed, 4, &map,
	      "34:rxtx1/exact 35:rxtx0/exact 36:rxtx2/name 37:rxtx3/name 38:control/name");
	ck_assert_uint_eq(map.n_napi, 2);
	ck_assert_uint_eq(map.rx_napi[0], 8193);
	ck_assert_uint_eq(map.rx_napi[1], 8194);
	build("x86-virtio", "eth0", 1, no_irqs, 2, &map, "37:control/name 38:rx0/name 39:tx0/name");
	ck_assert_uint_eq(map.n_napi, 1);
	ck_assert_uint_eq(map.rx_napi[0], 515);
	build("riscv-plic", "end0", 2, one_for_two, 2, &map, "31:rx/exact");
}
END_TEST

/* A device on a bus of its own has the vectors of the PCI function above it, whatever their names. */
START_TEST(test_parent)
{
	struct machine m = { .name = "x86-virtio", .netdev = "eth0", .rx_queues = 1, .tx_queues = 1 };
	struct nic_info nic = nic_of(&m);
	struct nic_map map;
	char text[512];
	struct tree t;

	tree_open(&t, m.name);
	tree_write(&t, "sys/devices/pci0000:00/0000:00:03.0/msi_irqs/26", "msix\n");
	ck_assert_int_eq(irqmap_build(&t.root, &nic, NULL, NULL, 0, &map), 0);
	print_map(&map, text, sizeof(text));
	ck_assert_str_eq(text, "26:control/name 37:control/name 38:rx0/name 39:tx0/name");
	tree_close(&t);
}
END_TEST

START_TEST(test_failures)
{
	struct machine m = { .name = "x86-old", .netdev = "eth7" };
	struct nic_info nic = nic_of(&m);
	struct nic_map map = { .n_irqs = 77 };
	struct tree t;

	tree_open(&t, m.name);
	ck_assert_int_eq(irqmap_build(&t.root, &nic, NULL, NULL, 0, &map), -ENODEV);
	strcpy(nic.name, "eth1");
	tree_remove(&t, "proc/interrupts");
	ck_assert_int_eq(irqmap_build(&t.root, &nic, NULL, NULL, 0, &map), -ENOENT);
	ck_assert_uint_eq(map.n_irqs, 77);
	tree_close(&t);
}
END_TEST

static const struct {
	const char *action, *owner;
	enum irq_role role;
	int number;
} names[] = {
	{ "eth0-TxRx-11", "eth0", IRQ_ROLE_RXTX, 11 },
	{ "eth0-tx-rx-2", "eth0", IRQ_ROLE_RXTX, 2 },
	{ "eth0-rx-3", "eth0", IRQ_ROLE_RX, 3 },
	{ "eth0:tx-7", "eth0", IRQ_ROLE_TX, 7 },
	{ "eth0 rxq 4", "eth0", IRQ_ROLE_RX, 4 },
	{ "eth0-rxtx-5", "eth0", IRQ_ROLE_RXTX, 5 },
	{ "eth0", "eth0", IRQ_ROLE_UNKNOWN, -1 },
	{ "eth0-event-3", "eth0", IRQ_ROLE_CONTROL, 3 },
	{ "mlx5_combined0@pci:0000:01:00.0", "0000:01:00.0", IRQ_ROLE_RXTX, 0 },
	{ "mlx5_async0@pci:0000:01:00.0", "0000:01:00.0", IRQ_ROLE_CONTROL, 0 },
	{ "mlx4-3@0000:01:00.0", "0000:01:00.0", IRQ_ROLE_UNKNOWN, -1 },
	{ "hclge-misc-0000:7d:00.0", "0000:7d:00.0", IRQ_ROLE_CONTROL, -1 },
	{ "hns3-0000:7d:00.0-TxRx-0", "0000:7d:00.0", IRQ_ROLE_RXTX, 0 },
	{ "virtio0-virtqueues", "virtio0", IRQ_ROLE_RXTX, -1 },
	{ "1e100000.ethernet", NULL, IRQ_ROLE_UNKNOWN, -1 },
	{ "rx-lan-tx-1", "rx-lan", IRQ_ROLE_TX, 1 },
	{ "", NULL, IRQ_ROLE_UNKNOWN, -1 },
	{ "9", NULL, IRQ_ROLE_UNKNOWN, -1 },
	{ "eth0-rx-99999999", "eth0", IRQ_ROLE_RX, -1 },
};

START_TEST(test_name)
{
	struct irq_name got = irq_name_parse(names[_i].action, names[_i].owner);

	ck_assert_msg(got.role == names[_i].role && got.number == names[_i].number, "%s: role %d number %d",
		      names[_i].action, (int)got.role, got.number);
}
END_TEST

START_TEST(test_owner)
{
	ck_assert_ptr_nonnull(irq_name_owner("eth1", "eth1"));
	ck_assert_ptr_nonnull(irq_name_owner("drv-eth1-TxRx-0", "eth1"));
	ck_assert_ptr_nonnull(irq_name_owner("eth10-eth1", "eth1"));
	ck_assert_ptr_null(irq_name_owner("eth10", "eth1"));
	ck_assert_ptr_null(irq_name_owner("eth10-rx-1", "eth1"));
	ck_assert_ptr_null(irq_name_owner("veth1", "eth1"));
	ck_assert_ptr_null(irq_name_owner("eth1", ""));
}
END_TEST

static int check(const char *order, char err[ERR_MAX])
{
	struct irq_rule rule = rule_of(order);

	return irq_rule_check(&rule, err);
}

static int apply(const char *order, unsigned rx_queues, unsigned tx_queues, struct irq_name *ret, size_t n)
{
	struct irq_rule rule = rule_of(order);

	return irq_rule_apply(&rule, rx_queues, tx_queues, ret, n);
}

START_TEST(test_rule)
{
	struct irq_name n[8];
	char err[ERR_MAX];

	ck_assert_int_eq(check("other,tx*,rx*", err), 0);
	ck_assert_int_eq(check("", err), 0);
	ck_assert_int_eq(check("rx,both", err), -EINVAL);
	ck_assert_ptr_nonnull(strstr(err, "both"));
	ck_assert_int_eq(check("rx*,rx*", err), -EINVAL);
	ck_assert_int_eq(check("rx,", err), -EINVAL);
	ck_assert_int_eq(check(",rx", err), -EINVAL);
	ck_assert_int_eq(check("rx*,tx*,rxtx*", err), -EINVAL);

	ck_assert_int_eq(apply("other,tx*,rx*", 3, 4, n, 8), 0);
	ck_assert_int_eq(n[0].role, IRQ_ROLE_CONTROL);
	ck_assert_int_eq(n[4].role, IRQ_ROLE_TX);
	ck_assert_int_eq(n[4].number, 3);
	ck_assert_int_eq(n[5].role, IRQ_ROLE_RX);
	ck_assert_int_eq(n[7].number, 2);
	ck_assert_int_eq(apply("tx,rx", 1, 1, n, 3), -ERANGE);
	ck_assert_int_eq(apply("tx,rx", 1, 1, n, 1), -ERANGE);
	ck_assert_int_eq(apply("tx*,rx*", 0, 0, n, 4), -ERANGE);
	ck_assert_int_eq(apply("", 1, 1, n, 2), -ENOENT);
}
END_TEST

START_TEST(test_rule_of_words)
{
	struct irq_rule rule = { .order = "rx" };

	ck_assert_int_eq(irq_rule_words(" other  tx* rx* ", &rule), 0);
	ck_assert_str_eq(rule.order, "other,tx*,rx*");
	ck_assert_int_eq(irq_rule_words("rx fish", &rule), -EINVAL);
	ck_assert_int_eq(irq_rule_words("other other other other other other other other other", &rule), -EINVAL);
	ck_assert_str_eq(rule.order, "other,tx*,rx*");
	ck_assert_int_eq(irq_rule_words("", &rule), 0);
	ck_assert_str_eq(rule.order, "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("irqmap");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, test_machine, 0, sizeof(machines) / sizeof(machines[0]));
	tcase_add_loop_test(tc, test_name, 0, sizeof(names) / sizeof(names[0]));
	tcase_add_test(tc, test_kernel_says);
	tcase_add_test(tc, test_parent);
	tcase_add_test(tc, test_failures);
	tcase_add_test(tc, test_owner);
	tcase_add_test(tc, test_rule);
	tcase_add_test(tc, test_rule_of_words);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
