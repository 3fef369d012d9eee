# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Sizes of cells, and buffers for slews, loads and long wires.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

estimate_parasitics -placement
if { [obey_footprints] } {
  repair_design -verbose -match_cell_footprint
} else {
  repair_design -verbose
}
report_floating_nets -verbose

measure
write_checkpoint
