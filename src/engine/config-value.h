// SPDX-License-Identifier: GPL-2.0-or-later
/* config-value: readers of values, for the table of keys. See config_value_fn and config_knob_fn. */
#pragma once
#include "engine/config-keys.h"

config_value_fn config_value_cap, config_value_duration, config_value_hold, config_value_interval,
	config_value_irq_order, config_value_knobs, config_value_listen, config_value_log_level, config_value_mode,
	config_value_path, config_value_share, config_value_word, config_value_yes_no;

config_knob_fn config_policy_limit, config_queue_limit, config_quirk_limit, config_quirk_magic, config_quirk_min_on,
	config_quirk_step;

/* "3" or "2-3". Returns 0 or -EINVAL. */
int config_queue_range(const char *text, unsigned *ret_first, unsigned *ret_last);
