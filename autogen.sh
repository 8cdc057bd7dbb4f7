#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ./configure out of configure.ac and Makefile.am. Relies on autoconf, automake and pkg-config.
set -e
cd "$(dirname "$0")"
exec autoreconf --force --install --warnings=all
