# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

export ACCLMT_PERIOD_PS ?= 1000
