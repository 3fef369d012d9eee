# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Writes the delays of a routed block (ACCLMT_SDF).

source $::env(SCRIPTS_DIR)/load.tcl
load_design 5_1_grt.odb 5_1_grt.sdc
set_propagated_clock [all_clocks]
estimate_parasitics -global_routing
write_sdf -include_typ $::env(ACCLMT_SDF)
