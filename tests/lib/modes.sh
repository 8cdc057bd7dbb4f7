# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Sourced by what weighs measurements as the product does.
#   mode_weights MODE FILE   "w_cpu w_lat cap_us" of a mode, from src/core/modes.def

mode_weights() {
	sed -n "s/^MODE([A-Z]*, \"$1\", \([0-9.]*\), \([0-9.]*\), \([0-9]*\),.*/\1 \2 \3/p" "$2"
}
