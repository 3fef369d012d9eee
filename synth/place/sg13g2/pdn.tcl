# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# The power grid of the platform, and that of memories, which it lacks: their horizontal straps on Metal5
# meet the vertical stripes of the platform on TopMetal1.

source $::env(PLATFORM_DIR)/pdn.tcl
define_pdn_grid -macro -name memories -voltage_domains CORE -default \
  -orient {R0 R180 MX MY} -halo {5.0 5.0 5.0 5.0}
add_pdn_connect -grid memories -layers {Metal5 TopMetal1}
