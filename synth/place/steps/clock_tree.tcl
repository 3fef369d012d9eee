# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# The clock tree; then setup and hold are repaired with the real clock.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

repair_clock_inverters
clock_tree_synthesis -sink_clustering_enable -repair_clock_nets
set_propagated_clock [all_clocks]
report_cts -out_file [result clock_tree.rpt]
# The buffers of the tree need sites before the distances count.
detailed_placement
estimate_parasitics -placement

if { [obey_footprints] } {
  repair_timing -setup -verbose -match_cell_footprint
  repair_timing -hold -verbose -match_cell_footprint
} else {
  repair_timing -setup -verbose
  repair_timing -hold -verbose
}
detailed_placement
check_placement -verbose
estimate_parasitics -placement

measure
report_clock_skew_metric -setup
report_clock_skew_metric -hold
write_checkpoint
