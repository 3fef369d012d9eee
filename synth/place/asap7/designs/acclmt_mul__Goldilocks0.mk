# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# The multipliers of the baseline, laid out as acclmt_mul.
include $(ACCLMT_PLACE)/asap7/designs/acclmt_mul.mk
