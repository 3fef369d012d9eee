# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Die, rows, tracks, ties, memories, tap cells and power grid.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

initialize_floorplan -utilization [setting PLACE_UTILIZATION] -aspect_ratio 1.0 \
  -core_space [setting CORE_MARGIN] -site [setting PLACE_SITE]
platform_script MAKE_TRACKS [file join [setting PLATFORM_DIR] make_tracks.tcl]
# Layers of the routing, and how much of each is left for other things.
platform_script FASTROUTE_TCL ""

# Constants come from tie cells ("CELL PORT"), one for each load.
foreach variable {TIEHI_CELL_AND_PORT TIELO_CELL_AND_PORT} {
  set tie [join [setting $variable] /]
  insert_tiecells $tie
  repair_tie_fanout [get_lib_pins */$tie]
}
# Buffers of the synthesis, which knew no distances.
remove_buffers

if { [has_memories] } {
  lassign [setting MACRO_PLACE_HALO] halo_x halo_y
  rtl_macro_placer -halo_width $halo_x -halo_height $halo_y \
    -target_util [setting PLACE_DENSITY] -report_directory [result memories]
}

if { [setting TAPCELL_TCL ""] ne "" } {
  platform_script TAPCELL_TCL ""
} else {
  cut_rows
}

platform_script PDN_TCL ""
if { [has_memories] } {
  platform_script PLACE_MACRO_GRID ""
}
pdngen

measure
write_checkpoint
