# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Reports the power of a routed block by the activity of a simulation (ACCLMT_VCD).

source $::env(SCRIPTS_DIR)/load.tcl
load_design 5_1_grt.odb 5_1_grt.sdc
set_propagated_clock [all_clocks]
estimate_parasitics -global_routing
read_vcd -scope testbench/dut $::env(ACCLMT_VCD)
report_activity_annotation
report_power -digits 9
