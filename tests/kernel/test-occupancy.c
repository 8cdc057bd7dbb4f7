// SPDX-License-Identifier: GPL-2.0-or-later
/* What occupies a device, found on a real kernel: an AF_XDP socket on a veth, told by sock_diag or, where the kernel
 * lacks that, by the program on the device. And the counts of trouble that the kernel keeps of each link.
 * Relies on ip and a network namespace of its own. "hold DEVICE" only polls. */
#include <linux/bpf.h>
#include <linux/if_xdp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "io/occupancy.h"
#include "io/source-health.h"
#include "io/xdpsock.h"
#include "ns.h"

#define RING 64
#define FRAME 4096
#define XDP_BIT (1U << OCCUPANCY_XDP_SOCKET)

static struct {
	struct nic_info nic;
	struct rtnl *rtnl;
	struct procroot root;
	struct occupancy_scan scan;
} t;

static void setup(void)
{
	ck_assert_int_eq(ns_run("ip link add va0 type veth peer name vb0"), 0);
	ck_assert_int_eq(ns_run("ip link set va0 up && ip link set vb0 up"), 0);
	t.nic = ns_nic("vb0", true);
	ck_assert_int_eq(rtnl_open(&t.rtnl), 0);
	ck_assert_int_eq(procroot_open(&t.root, "/"), 0);
}

static void teardown(void)
{
	occupancy_scan_free(&t.scan);
	procroot_close(&t.root);
	rtnl_close(t.rtnl);
	ns_run("ip link del va0");
}

static struct occupancy_found look(void)
{
	struct occupancy_handles h = { t.rtnl, -1, &t.root };
	struct occupancy_found f;

	ck_assert_int_eq(occupancy_scan(&h, 1, &t.scan), 0);
	occupancy_of(&h, &t.scan, &t.nic, &f);
	return f;
}

/* A program that lets every packet pass, on the device for as long as the descriptor lives. */
static int attach_program(void)
{
	static const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a = { .prog_type = BPF_PROG_TYPE_XDP };
	int fd, link;

	a.insns = (uintptr_t)pass;
	a.insn_cnt = sizeof(pass) / sizeof(pass[0]);
	a.license = (uintptr_t) "GPL";
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
	if (fd < 0)
		return -1;
	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = (uint32_t)fd;
	a.link_create.target_ifindex = (uint32_t)t.nic.ifindex;
	a.link_create.attach_type = BPF_XDP;
	link = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof(a));
	close(fd);
	return link;
}

/* Bound to queue 0 in copy mode. */
static int open_socket(void)
{
	struct xdp_umem_reg umem = { .len = RING * FRAME, .chunk_size = FRAME };
	struct sockaddr_xdp addr = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_COPY };
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0), n = RING;
	void *mem = mmap(NULL, RING * FRAME, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert(mem != MAP_FAILED);
	umem.addr = (uintptr_t)mem;
	addr.sxdp_ifindex = (uint32_t)t.nic.ifindex;
	if (fd < 0)
		return -1;
	ck_assert_int_eq(setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_XDP, XDP_UMEM_FILL_RING, &n, sizeof(n)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_XDP, XDP_UMEM_COMPLETION_RING, &n, sizeof(n)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_XDP, XDP_RX_RING, &n, sizeof(n)), 0);
	ck_assert_msg(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0, "%s", strerror(errno));
	return fd;
}

START_TEST(nothing_on_a_new_device)
{
	ck_assert_uint_eq(look().found & ~(1U << OCCUPANCY_REALTIME), 0);
}
END_TEST

START_TEST(other_qdiscs_do_not_mind)
{
	ck_assert_int_eq(ns_run("tc qdisc add dev vb0 root pfifo"), 0);
	ck_assert_uint_eq(look().found & ~(1U << OCCUPANCY_REALTIME), 0);
}
END_TEST

START_TEST(socket_on_the_device)
{
	struct xdpsock s[4];
	int program = attach_program(), fd, n;
	struct occupancy_found f;

	ck_assert_msg(program >= 0, "%s", strerror(errno));
	ck_assert_uint_eq(look().found & XDP_BIT, 0); /* a program alone polls nothing */
	fd = open_socket();
	ck_assert_int_ge(xdpsock_count(&t.root), 1);
	n = xdpsock_list(s, 4);
	f = look();
	ck_assert_uint_eq(f.found & XDP_BIT, XDP_BIT);
	if (n == -EOPNOTSUPP) {
		ck_assert(t.scan.xdp_hidden);
		ck_assert_uint_eq(f.xdp_queues, 0);
	} else {
		ck_assert_int_eq(n, 1);
		ck_assert_int_eq(s[0].ifindex, t.nic.ifindex);
		ck_assert_uint_eq(f.xdp_queues, 1);
	}
	/* the other end has nothing to do with it */
	t.nic = ns_nic("va0", true);
	ck_assert_uint_eq(look().found & XDP_BIT, 0);
	t.nic = ns_nic("vb0", true);
	close(fd);
	for (int i = 0; i < 50 && (look().found & XDP_BIT); i++)
		usleep(20000); /* sockets are taken down later */
	ck_assert_uint_eq(look().found & XDP_BIT, 0);
	close(program);
}
END_TEST

START_TEST(counts_of_trouble)
{
	struct health_source h = { 0 };
	struct sample s = { 0 };
	uint64_t before;

	t.nic.tx_queues = 1;
	source_health_read(&h, t.rtnl, &t.root, &t.nic, NSEC_PER_SEC, &s);
	ck_assert_uint_eq(s.have, SAMPLE_CARRIER | SAMPLE_TX_TIMEOUTS);
	ck_assert_uint_eq(s.tx_timeouts, 0);
	before = s.carrier_changes;
	ck_assert_int_eq(ns_run("ip link set va0 down && ip link set va0 up"), 0);
	source_health_read(&h, t.rtnl, &t.root, &t.nic, 3 * NSEC_PER_SEC, &s);
	ck_assert_uint_eq(s.carrier_changes, before + 2);
}
END_TEST

/* For tests/kernel/xdp.sh: an application that polls a device of this namespace, until it is killed. */
START_TEST(hold)
{
	signal(SIGTERM, SIG_DFL); /* Check's own would end the whole group */
	ck_assert_msg(attach_program() >= 0 && open_socket() >= 0, "%s", strerror(errno));
	pause();
}
END_TEST

static int hold_device(const char *name)
{
	Suite *s = suite_create("hold");
	TCase *c = tcase_create("hold");
	SRunner *r = srunner_create(s);

	t.nic = ns_nic(name, true);
	tcase_add_test(c, hold);
	suite_add_tcase(s, c);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_NORMAL);
	srunner_free(r);
	return EXIT_FAILURE; /* it only ends by failing */
}

int main(int argc, char **argv)
{
	Suite *s = suite_create("occupancy on a real kernel");
	TCase *c = tcase_create("occupancy");
	int fd;

	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold_device(argv[2]);
	ns_enter();
	ns_need_veth();
	fd = socket(AF_XDP, SOCK_RAW, 0);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, nothing_on_a_new_device);
	tcase_add_test(c, other_qdiscs_do_not_mind);
	if (fd >= 0)
		tcase_add_test(c, socket_on_the_device);
	else
		fprintf(stderr, "no AF_XDP in this kernel: one test left out\n");
	close(fd);
	tcase_add_test(c, counts_of_trouble);
	suite_add_tcase(s, c);
	return ns_suite(s);
}
