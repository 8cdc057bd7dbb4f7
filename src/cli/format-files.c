// SPDX-License-Identifier: GPL-2.0-or-later
/* format-files: advice as a systemd .link file and as NetworkManager settings. Neither knows NAPI deferral: what it
 * takes instead stands in comments. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/format.h"
#include "core/quote.h"

/* Names of a knob there. NetworkManager writes switches as 0 and 1, systemd as words. */
static const struct {
	enum knob knob;
	const char *link, *nm;
} names[] = {
	{ KNOB_RX_USECS, "RxCoalesceSec", "coalesce-rx-usecs" },
	{ KNOB_RX_FRAMES, "RxMaxCoalescedFrames", "coalesce-rx-frames" },
	{ KNOB_TX_USECS, "TxCoalesceSec", "coalesce-tx-usecs" },
	{ KNOB_TX_FRAMES, "TxMaxCoalescedFrames", "coalesce-tx-frames" },
	{ KNOB_ADAPTIVE_RX, "UseAdaptiveRxCoalesce", "coalesce-adaptive-rx" },
	{ KNOB_ADAPTIVE_TX, "UseAdaptiveTxCoalesce", "coalesce-adaptive-tx" },
	{ KNOB_RX_RING, "RxBufferSize", "ring-rx" },
	{ KNOB_TX_RING, "TxBufferSize", "ring-tx" },
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

static bool advises_deferral(const struct advice *a)
{
	return a->advised.have & knob_channel_mask(CHANNEL_NAPI);
}

static uint64_t deferral_value(const struct advice *a, enum knob k)
{
	return knob_has(&a->advised, k) ? a->advised.value[k] : knob_has(&a->current, k) ? a->current.value[k] : 0;
}

static bool pci_address(const char *bus_info)
{
	unsigned domain, bus, device, function;
	char more;

	return sscanf(bus_info, "%4x:%2x:%2x.%1x%c", &domain, &bus, &device, &function, &more) == 4;
}

static void link_value(const struct advice *a, size_t i)
{
	uint64_t v = a->advised.value[names[i].knob];

	if (knob_table[names[i].knob].type == KNOB_TYPE_BOOL)
		printf("%s=%s\n", names[i].link, v ? "yes" : "no");
	else
		printf("%s=%" PRIu64 "%s\n", names[i].link, v, knob_table[names[i].knob].unit == UNIT_USEC ? "us" : "");
}

void advice_link(const struct advice *a, const struct policy *p)
{
	(void)p;
	format_comment(a);
	printf("# Save it as /etc/systemd/network/50-%s.link; udev reads it when the device appears.\n[Match]\n",
	       a->nic.name);
	/* udev matches before it gives the name: the place of the device is what stays */
	if (pci_address(a->nic.bus_info))
		printf("Path=pci-%s pci-%s-*\n", a->nic.bus_info, a->nic.bus_info);
	else
		printf("OriginalName=%s\n", a->nic.name);
	puts("\n[Link]\n"
	     "# Only one .link file counts for a device, so this one repeats how names and addresses are chosen.\n"
	     "NamePolicy=keep kernel database onboard slot path\n"
	     "AlternativeNamesPolicy=database onboard slot path\n"
	     "MACAddressPolicy=persistent");
	for (size_t i = 0; i < N_NAMES; i++)
		if (knob_has(&a->advised, names[i].knob))
			link_value(a, i);
	if (advises_deferral(a))
		printf("# NAPI deferral has no key here. A udev rule sets it:\n"
		       "# ACTION==\"add\", SUBSYSTEM==\"net\", KERNEL==\"%s\", ATTR{napi_defer_hard_irqs}=\"%" PRIu64
		       "\", ATTR{gro_flush_timeout}=\"%" PRIu64 "\"\n",
		       a->nic.name, deferral_value(a, KNOB_NAPI_DEFER_HARD_IRQS),
		       deferral_value(a, KNOB_GRO_FLUSH_TIMEOUT));
}

void advice_nm(const struct advice *a, const struct policy *p)
{
	char quoted[80];
	bool any = false;

	(void)p;
	format_comment(a);
	quote_shell(a->nic.name, quoted, sizeof(quoted));
	for (size_t i = 0; i < N_NAMES; i++) {
		if (!knob_has(&a->advised, names[i].knob))
			continue;
		if (!any)
			printf("nmcli connection modify \"$(nmcli -g GENERAL.CONNECTION device show %s)\"", quoted);
		printf(" \\\n\tethtool.%s %" PRIu64, names[i].nm, a->advised.value[names[i].knob]);
		any = true;
	}
	if (any)
		printf("\nnmcli device reapply %s\n", quoted);
	if (advises_deferral(a))
		printf("# NAPI deferral has no NetworkManager setting. A script in /etc/NetworkManager/dispatcher.d "
		       "can do\n"
		       "# it when $2 is \"up\":\n"
		       "#   echo %" PRIu64 " > \"/sys/class/net/$1/napi_defer_hard_irqs\"\n"
		       "#   echo %" PRIu64 " > \"/sys/class/net/$1/gro_flush_timeout\"\n",
		       deferral_value(a, KNOB_NAPI_DEFER_HARD_IRQS), deferral_value(a, KNOB_GRO_FLUSH_TIMEOUT));
}
