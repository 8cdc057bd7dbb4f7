# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
# Sourced in the guest: the interface is found and shown, a change is made and undone, interrupts are known.

guest_pair || fail pair "the two devices could not be joined"
driver=$(ethtool -i "$vm_dev" | sed -n 's/^driver: //p')
echo "# driver $driver"
before=$(settings)
list=$(ethtune list 2>&1)
echo "$list" | sed 's/^/# /'
check "$driver is listed" sh -c "echo '$list' | grep -qw $vm_dev"
ethtune show "$vm_dev" >/tmp/show 2>&1
rc=$?
sed 's/^/# /' /tmp/show
check "$driver is shown" [ $rc = 0 ]
ethtune restore >/dev/null 2>&1
check "restore without a change leaves everything" [ "$before" = "$(settings)" ]
