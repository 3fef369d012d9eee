# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# A block of the sub-engines, whose operands come from registers.
ACCLMT_HARDENED = 1
export ACCLMT_INPUT_SHARE ?= 0.15
export ACCLMT_PERIOD_PS ?= 1400
