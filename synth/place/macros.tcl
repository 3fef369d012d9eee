# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Places memories and hardened blocks (MACRO_PLACEMENT_TCL). The automatic placement of OpenROAD then finds
# nothing left.
#
# Where the design names its rows (ACCLMT_MACRO_ROWS, a list of rows from the bottom, each a list of patterns
# of the names of instances from the left), they and what is in them spread over the whole core, so that the
# channels between them are as wide as there is room. A number between two patterns says how many shares of
# the room of its row the channel between them has, in place of one. Otherwise macros stand in rows from the
# bottom of the core, the highest first, those of one height by their names; cells have the rest of each row
# and the room above. ACCLMT_MACRO_MARGIN, in um, is kept free at the edges of the core, for the cells at the
# ports.

# The macros in the rows that the design names, for each row a list of them and one of the shares between
# them.
proc acclmt_named_rows { macros named } {
  set rows {}
  set left [lsort -dictionary -index 0 $macros]
  foreach patterns $named {
    set row {}
    set shares {}
    set share 1
    foreach pattern $patterns next [lrange $patterns 1 end] {
      if { [string is integer -strict $pattern] } {
        # Behind the last one is "", which counts as an integer here.
        if { $pattern < 1 || [llength $row] == 0 || [string is integer $next] } {
          utl::error FLW 104 "ACCLMT_MACRO_ROWS has $pattern, which is no share between two macros"
        }
        set share $pattern
        continue
      }
      set found [lsearch -all -inline -glob -index 0 $left $pattern]
      if { [llength $found] == 0 } {
        utl::error FLW 102 "ACCLMT_MACRO_ROWS names $pattern, and no macro that is left has such a name"
      }
      set left [lsearch -all -inline -not -glob -index 0 $left $pattern]
      foreach macro $found {
        if { [llength $row] > 0 } {
          lappend shares $share
        }
        set share 1
        lappend row $macro
      }
    }
    lappend rows [list $row $shares]
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

# One share for each space between neighbours.
proc acclmt_equal_shares { neighbours } {
  return [lrepeat [expr { [llength $neighbours] - 1 }] 1]
}

# The spaces between neighbours of these sizes in a room: the least, or where they spread their shares of it.
proc acclmt_spaces { sizes shares room least spread } {
  set free [expr { $room - [tcl::mathop::+ {*}$sizes] }]
  set all [tcl::mathop::+ {*}$shares]
  set spaces [lmap share $shares { expr { $spread ? $free * $share / $all : $least } }]
  set narrowest [tcl::mathfunc::min $least {*}$spaces]
  if { $free < [llength $spaces] * $least || $narrowest < $least } {
    utl::error FLW 101 "there is no room for the macros in the core: use a smaller CORE_UTILIZATION"
  }
  return $spaces
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
  set margin [expr { int($::env(ACCLMT_MACRO_MARGIN) * $micron) }]
  set room_x [expr { [$core xMax] - [$core xMin] - 2 * $margin }]
  set room_y [expr { [$core yMax] - [$core yMin] - 2 * $margin }]
  set named $::env(ACCLMT_MACRO_ROWS)
  set spread [expr { $named ne "" }]
  if { $spread } {
    set rows [acclmt_named_rows $macros $named]
  } else {
    set rows [lmap row [acclmt_filled_rows $macros $room_x $halo_x] { list $row [acclmt_equal_shares $row] }]
  }
  set heights [lmap row $rows { tcl::mathfunc::max {*}[lmap macro [lindex $row 0] { lindex $macro 3 }] }]
  set channels [acclmt_equal_shares $rows]
  set y [expr { [$core yMin] + $margin }]
  foreach row $rows highest $heights \
    channel [acclmt_spaces $heights $channels $room_y $halo_y $spread] {
      lassign $row neighbours shares
      set widths [lmap macro $neighbours { lindex $macro 2 }]
      set x [expr { [$core xMin] + $margin }]
      foreach macro $neighbours space [acclmt_spaces $widths $shares $room_x $halo_x $spread] {
        lassign $macro name instance width
        $instance setOrient R0
        $instance setLocation [acclmt_down $x [$core xMin] $site] [acclmt_down $y [$core yMin] $height]
        $instance setPlacementStatus FIRM
        incr x [expr { $width + ($space ne "" ? $space : 0) }]
      }
      incr y [expr { $highest + ($channel ne "" ? $channel : 0) }]
    }
}

acclmt_place_macros
# It would only say that there is nothing to place; some builds of OpenROAD are without it.
proc rtl_macro_placer { args } { }
