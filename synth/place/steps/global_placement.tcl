# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Places the cells, the timing and the routing in view.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

buffer_ports
global_placement -timing_driven -routability_driven -density [setting PLACE_DENSITY]
estimate_parasitics -placement

measure
write_checkpoint
