# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Places memories and hardened blocks (MACRO_PLACEMENT_TCL): in rows from the bottom of the core, the
# highest first, those of one height by their names, so that what belongs together lies side by side. Cells
# have the rest of each row and the room above. The automatic placement of OpenROAD then finds nothing left.

proc acclmt_place_macros { } {
  set block [ord::get_db_block]
  set core [$block getCoreArea]
  set micron [$block getDbUnitsPerMicron]
  lassign $::env(MACRO_PLACE_HALO) halo_x halo_y
  set halo_x [expr { int(2 * $halo_x * $micron) }]
  set halo_y [expr { int(2 * $halo_y * $micron) }]
  # On whole sites and rows, where the pins meet the tracks.
  set row [lindex [$block getRows] 0]
  set site [[$row getSite] getWidth]
  set height [[$row getSite] getHeight]

  set order {}
  foreach instance [find_macros] {
    set master [$instance getMaster]
    lappend order [list [$master getHeight] [$instance getName] $instance]
  }
  set order [lsort -index 1 -dictionary $order]
  set order [lsort -index 0 -integer -decreasing $order]

  set x [$core xMin]
  set y [$core yMin]
  set row_height 0
  foreach entry $order {
    lassign $entry macro_height name instance
    set width [[$instance getMaster] getWidth]
    if { $x > [$core xMin] && $x + $width > [$core xMax] } {
      set x [$core xMin]
      set y [acclmt_up [expr { $y + $row_height + $halo_y }] [$core yMin] $height]
      set row_height 0
    }
    if { $x + $width > [$core xMax] || $y + $macro_height > [$core yMax] } {
      utl::error FLW 101 "there is no room for the macro $name in the core: use a smaller CORE_UTILIZATION"
    }
    $instance setOrient R0
    $instance setLocation $x $y
    $instance setPlacementStatus FIRM
    set row_height [expr { max($row_height, $macro_height) }]
    set x [acclmt_up [expr { $x + $width + $halo_x }] [$core xMin] $site]
  }
}

# The next position at or above one, in steps from an origin.
proc acclmt_up { position origin step } {
  return [expr { $origin + ($position - $origin + $step - 1) / $step * $step }]
}

acclmt_place_macros
# It would only say that there is nothing to place; some builds of OpenROAD are without it.
proc rtl_macro_placer { args } { }
