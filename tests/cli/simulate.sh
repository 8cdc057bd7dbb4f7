#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The short form of the check of the control law on all simulated NICs; a row that fails is printed. The complete form
# is make check-law. Both decide by simulated time alone: a busy machine changes nothing but how long it takes.
set -u
fail=0

"$ETHTUNE" simulate --check --short || fail=1

# The same twice; several queues of one device and on one CPU; samples once a second.
once() { "$ETHTUNE" simulate --nic a53 --load poisson_mid --duration 20s "$@" || { echo "failed: $*"; fail=1; }; }
a=$(once --seed 5 --json) b=$(once --seed 5 --json) c=$(once --seed 6 --json)
[ "$a" = "$b" ] || { echo "one seed, two results"; fail=1; }
[ "$a" != "$c" ] || { echo "two seeds, one result"; fail=1; }
exit $fail
