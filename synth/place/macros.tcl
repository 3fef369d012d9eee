# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Places memories and hardened blocks (MACRO_PLACEMENT_TCL). The automatic placement of OpenROAD then finds
# nothing left.
#
# Where the design names its rows (ACCLMT_MACRO_ROWS, a list of rows from the bottom, each a list of patterns
# of the names of instances from the left), they and what is in them spread over the whole core, so that the
# channels between them are as wide as there is room. Otherwise they stand in rows from the bottom of the
# core, the highest first, those of one height by their names; cells have the rest of each row and the room
# above.

# The macros in the rows that the design names.
proc acclmt_named_rows { macros named } {
  set rows {}
  set left [lsort -dictionary -index 0 $macros]
  foreach patterns $named {
    set row {}
    foreach pattern $patterns {
      set found [lsearch -all -inline -glob -index 0 $left $pattern]
      if { [llength $found] == 0 } {
        utl::error FLW 102 "ACCLMT_MACRO_ROWS names $pattern, and no macro that is left has such a name"
      }
      set left [lsearch -all -inline -not -glob -index 0 $left $pattern]
      lappend row {*}$found
    }
    lappend rows $row
  }
  if { [llength $left] > 0 } {
    utl::error FLW 103 "ACCLMT_MACRO_ROWS does not name the macro [lindex $left 0 0]"
  }
  return $rows
}

# The macros in rows that are filled one after the other, in a room of this width.
proc acclmt_filled_rows { macros room halo } {
  set rows {}
  set order [lsort -index 0 -dictionary $macros]
  set order [lsort -index 3 -integer -decreasing $order]
  set row {}
  set width 0
  foreach macro $order {
    set more [lindex $macro 2]
    if { $width > 0 && $width + $halo + $more > $room } {
      lappend rows $row
      set row {}
      set width 0
    }
    lappend row $macro
    incr width [expr { $more + ($width > 0 ? $halo : 0) }]
  }
  if { [llength $row] > 0 } {
    lappend rows $row
  }
  return $rows
}

# The space between neighbours of these sizes in a room: the least, or where they spread an equal share of it.
proc acclmt_space { sizes room least spread } {
  set taken [tcl::mathop::+ {*}$sizes]
  set spaces [expr { [llength $sizes] - 1 }]
  if { $taken + $spaces * $least > $room } {
    utl::error FLW 101 "there is no room for the macros in the core: use a smaller CORE_UTILIZATION"
  }
  return [expr { $spread && $spaces > 0 ? ($room - $taken) / $spaces : $least }]
}

# The next position at or below one, in steps from an origin.
proc acclmt_down { position origin step } {
  return [expr { $origin + ($position - $origin) / $step * $step }]
}

proc acclmt_place_macros { } {
  set block [ord::get_db_block]
  set core [$block getCoreArea]
  set micron [$block getDbUnitsPerMicron]
  lassign $::env(MACRO_PLACE_HALO) halo_x halo_y
  # On whole sites and rows, where the pins meet the tracks.
  set row [lindex [$block getRows] 0]
  set site [[$row getSite] getWidth]
  set height [[$row getSite] getHeight]
  # A position is moved by less than one of them.
  set halo_x [expr { int(2 * $halo_x * $micron) + $site }]
  set halo_y [expr { int(2 * $halo_y * $micron) + $height }]

  set macros {}
  foreach instance [find_macros] {
    set master [$instance getMaster]
    lappend macros [list [$instance getName] $instance [$master getWidth] [$master getHeight]]
  }
  if { [llength $macros] == 0 } {
    return
  }
  set room_x [expr { [$core xMax] - [$core xMin] }]
  set room_y [expr { [$core yMax] - [$core yMin] }]
  set named $::env(ACCLMT_MACRO_ROWS)
  set spread [expr { $named ne "" }]
  if { $spread } {
    set rows [acclmt_named_rows $macros $named]
  } else {
    set rows [acclmt_filled_rows $macros $room_x $halo_x]
  }
  set heights [lmap row $rows { tcl::mathfunc::max {*}[lmap macro $row { lindex $macro 3 }] }]
  set space_y [acclmt_space $heights $room_y $halo_y $spread]
  set y [$core yMin]
  foreach row $rows highest $heights {
    set space_x [acclmt_space [lmap macro $row { lindex $macro 2 }] $room_x $halo_x $spread]
    set x [$core xMin]
    foreach macro $row {
      lassign $macro name instance width
      $instance setOrient R0
      $instance setLocation [acclmt_down $x [$core xMin] $site] [acclmt_down $y [$core yMin] $height]
      $instance setPlacementStatus FIRM
      set x [expr { $x + $width + $space_x }]
    }
    set y [expr { $y + $highest + $space_y }]
  }
}

acclmt_place_macros
# It would only say that there is nothing to place; some builds of OpenROAD are without it.
proc rtl_macro_placer { args } { }
