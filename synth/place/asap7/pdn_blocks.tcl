# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# The power grid of a module with hardened blocks: that of the platform for such, whose stripes on M6 meet
# those of the blocks on M5; and the stripes on M5 meet the straps of memories on M4.

source $::env(PLATFORM_DIR)/openRoad/pdn/BLOCKS_grid_strategy.tcl
add_pdn_connect -grid ElementGrid -layers {M4 M5}
