// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd-watch-grid: see cmd-watch-grid.h. A column is a row of the table below and a function. */
#include "cli/cmd-watch-grid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/print.h"

#define CELL 48
#define GAP 2

typedef void cell_fn(json_object *nic, const char *key, char *buf, size_t size);

static void cell_word(json_object *nic, const char *key, char *buf, size_t size)
{
	snprintf(buf, size, "%s", nic_word(nic, key)[0] ? nic_word(nic, key) : "-");
}

static void cell_state(json_object *nic, const char *key, char *buf, size_t size)
{
	(void)key;
	snprintf(buf, size, "%s", nic_state(nic));
}

static void cell_rate(json_object *nic, const char *key, char *buf, size_t size)
{
	print_rate(nic_rate(nic, key), buf, size);
}

static void cell_ratio(json_object *nic, const char *key, char *buf, size_t size)
{
	double v = nic_rate(nic, key);

	snprintf(buf, size, v < 0 ? "-" : "%.0f%%", 100 * v);
}

static void cell_usecs(json_object *nic, const char *key, char *buf, size_t size)
{
	double v = nic_rate(nic, key);

	snprintf(buf, size, v < 0 ? "-" : "%.0f", v);
}

static void cell_mean(json_object *nic, const char *key, char *buf, size_t size)
{
	double v = nic_rate(nic, key);

	snprintf(buf, size, v < 0 ? "-" : "%.1f", v);
}

static const struct column {
	const char *head, *key;
	cell_fn *cell;
	int rank; /* the highest goes first when there is no room; 0: never */
	bool right;
} columns[] = {
	{ "NAME", "name", cell_word, 0, false },
	{ "STATE", "", cell_state, 0, false },
	{ "MODE", "mode", cell_word, 4, false },
	{ "RX/S", "rx_packets_per_second", cell_rate, 1, true },
	{ "TX/S", "tx_packets_per_second", cell_rate, 5, true },
	{ "IRQ/S", "interrupts_per_second", cell_rate, 8, true },
	{ "POLL/S", "polls_per_second", cell_rate, 6, true },
	{ "PKT/POLL", "packets_per_poll", cell_mean, 7, true },
	{ "CPU", "busiest_cpu_ratio", cell_ratio, 9, true },
	{ "RX US", "rx_interval_usecs", cell_usecs, 0, true },
	{ "TX US", "tx_interval_usecs", cell_usecs, 10, true },
	{ "LIMIT", "bottleneck", cell_word, 3, false },
	{ "REASON", "reason", cell_word, 2, false },
};
#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct layout {
	size_t width[N_COLUMNS];
	bool shown[N_COLUMNS];
};

static size_t total(const struct layout *l)
{
	size_t n = 0;

	for (size_t c = 0; c < N_COLUMNS; c++)
		n += l->shown[c] ? l->width[c] + GAP : 0;
	return n ? n - GAP : 0;
}

static void lay_out(json_object *nics, unsigned width, struct layout *l)
{
	char cell[CELL];

	for (size_t c = 0; c < N_COLUMNS; c++) {
		l->shown[c] = true;
		l->width[c] = strlen(columns[c].head);
		for (size_t i = 0; i < json_object_array_length(nics); i++) {
			columns[c].cell(json_object_array_get_idx(nics, i), columns[c].key, cell, sizeof(cell));
			if (strlen(cell) > l->width[c])
				l->width[c] = strlen(cell);
		}
	}
	while (width && total(l) > width) {
		size_t least = 0;

		for (size_t c = 0; c < N_COLUMNS; c++)
			if (l->shown[c] && columns[c].rank > columns[least].rank)
				least = c;
		if (!columns[least].rank)
			return; /* the rest is cut off */
		l->shown[least] = false;
	}
}

/* nic NULL: the head. */
static void fill(const struct layout *l, json_object *nic, char line[GRID_LINE])
{
	size_t n = 0, pending = 0;
	char cell[CELL];

	line[0] = 0;
	for (size_t c = 0; c < N_COLUMNS; c++) {
		size_t pad;

		if (!l->shown[c])
			continue;
		if (nic)
			columns[c].cell(nic, columns[c].key, cell, sizeof(cell));
		else
			snprintf(cell, sizeof(cell), "%s", columns[c].head);
		pad = l->width[c] - strlen(cell);
		n += (size_t)snprintf(line + n, GRID_LINE - n, "%*s%s", (int)(pending + (columns[c].right ? pad : 0)),
				      "", cell);
		pending = GAP + (columns[c].right ? 0 : pad); /* no blanks at the end of a line */
		if (n >= GRID_LINE)
			return;
	}
}

static void add_text(struct grid *g, const char *what, const char *text)
{
	if (text[0])
		snprintf(g->line[g->n++], GRID_LINE, "%s: %s", what, text);
}

int grid_make(struct grid *g, json_object *nics, unsigned width)
{
	size_t n = json_object_array_length(nics);
	struct layout l;

	g->n = 0;
	g->line = calloc(n + 5, sizeof(*g->line));
	if (!g->line)
		return -ENOMEM;
	lay_out(nics, width, &l);
	fill(&l, NULL, g->line[g->n++]);
	for (size_t i = 0; i < n; i++)
		fill(&l, json_object_array_get_idx(nics, i), g->line[g->n++]);
	if (n == 1) {
		json_object *nic = json_object_array_get_idx(nics, 0);
		char text[GRID_LINE - 16];

		add_text(g, "settings", nic_knobs(nic, "knobs", text, sizeof(text)));
		add_text(g, "left alone", nic_word(nic, "why"));
		add_text(g, "diagnosis", nic_word(nic, "diagnosis"));
		add_text(g, "decision", nic_word(nic, "decision"));
	}
	for (size_t i = 0; width && width < GRID_LINE && i < g->n; i++)
		g->line[i][width] = 0;
	return 0;
}

void grid_free(struct grid *g)
{
	free(g->line);
	*g = (struct grid){ 0 };
}
