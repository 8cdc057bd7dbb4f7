// SPDX-License-Identifier: GPL-2.0-or-later
/* metrics-page: the page / : what is going on now, for who looks with a browser. */
#include <errno.h>
#include <string.h>

#include "daemon/metrics-collect.h"
#include "daemon/metrics.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>ethtuned</title>\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<style>body { font-family: sans-serif; margin: 2em } table { border-collapse: collapse }\n"
	"th, td { border: 1px solid #ccc; padding: .3em .6em; text-align: left } td.n { text-align: right }</style>\n"
	"</head>\n<body>\n<h1>ethtuned</h1>\n<p><a href=\"/metrics\">Metrics</a> for Prometheus</p>\n";

static const char columns[] =
	"<table>\n<tr><th>Interface</th><th>Driver</th><th>State</th><th>Mode</th><th>Received<br>packets/s</th>"
	"<th>Sent<br>packets/s</th><th>Interrupts/s</th><th>Polls/s</th><th>Added latency<br>at most</th>"
	"<th>Bottleneck</th><th>Settings</th><th>Why</th></tr>\n";

static void cell(struct metrics_buf *b, const char *text)
{
	metrics_buf_puts(b, "<td>");
	metrics_buf_html(b, text);
	metrics_buf_puts(b, "</td>");
}

static void rate(struct metrics_buf *b, bool known, double value)
{
	if (known)
		metrics_buf_printf(b, "<td class=\"n\">%.0f</td>", value);
	else
		metrics_buf_puts(b, "<td></td>");
}

static void latency(struct metrics_buf *b, const struct member *m)
{
	double s = metrics_added_latency(m, QUEUE_RX);

	if (s >= 0)
		metrics_buf_printf(b, "<td class=\"n\">%.0f us</td>", s * USEC_PER_SEC);
	else
		metrics_buf_puts(b, "<td></td>");
}

static void row(struct metrics_buf *b, const struct member *m)
{
	const struct target *t = m->target;
	const struct report *r = &m->last;
	const struct rates *s = &r->rates;
	uint32_t have = r->rates_valid ? s->have : 0;
	char knobs[384], why[384] = "";

	knob_set_format(&t->apply.current, knobs, sizeof(knobs));
	if (r->decided[QUEUE_RX])
		decision_explain(&r->decision[QUEUE_RX], why, sizeof(why));
	metrics_buf_puts(b, "<tr>");
	cell(b, m->nic.name);
	cell(b, m->nic.driver);
	cell(b, target_state_names[t->state]);
	cell(b, mode_table[t->rules.policy.mode].name);
	rate(b, have & SAMPLE_LINK, s->rx_pps);
	rate(b, have & SAMPLE_LINK, s->tx_pps);
	rate(b, have & SAMPLE_IRQS, s->interrupts_ps);
	rate(b, have & SAMPLE_POLLS, s->polls_ps);
	latency(b, m);
	cell(b, m->totals && m->totals->judged ? bottleneck_table[m->totals->bottleneck].slug : "");
	cell(b, knobs);
	cell(b, member_why(m)[0] ? member_why(m) : why);
	metrics_buf_puts(b, "</tr>\n");
}

int metrics_page(const struct fleet *f, struct metrics_buf *ret)
{
	struct metrics_buf b = { 0 };
	size_t tuned = 0;

	metrics_buf_puts(&b, head);
	metrics_buf_puts(&b, columns);
	for (size_t i = 0; i < f->members.n; i++) {
		if (!f->members.v[i]->target)
			continue;
		tuned++;
		row(&b, f->members.v[i]);
	}
	metrics_buf_printf(&b, "</table>\n<p>%zu more interfaces are left alone%s.</p>\n</body>\n</html>\n",
			   f->members.n - tuned, f->dry_run ? "; dry run: nothing is written" : "");
	if (b.failed) {
		metrics_buf_free(&b);
		return -ENOMEM;
	}
	*ret = b;
	return 0;
}
