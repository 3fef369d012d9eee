# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# A block of the sub-engines.
ACCLMT_HARDENED = 1
