# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Read by after_cts.tcl and after_routing.tcl: figures that the reports of OpenROAD-flow-scripts lack.

# The least slack of the paths between two kinds of ends, in the unit of the library; "" without such paths.
proc acclmt_slack { from to } {
  set found ""
  foreach path [find_timing_paths -path_delay max -from $from -to $to] {
    set slack [get_property $path slack]
    if { $found eq "" || $slack < $found } {
      set found $slack
    }
  }
  return $found
}

proc acclmt_measure { } {
  set inputs {}
  foreach port [all_inputs -no_clocks] {
    lappend inputs $port
  }
  set registers [all_registers -clock_pins]
  set data [all_registers -data_pins]
  foreach { name from to } [list \
    registers $registers $data \
    from_inputs $inputs $data \
    to_outputs $registers [all_outputs] \
    through $inputs [all_outputs]] {
    if { [llength $from] == 0 || [llength $to] == 0 } {
      continue
    }
    set slack [acclmt_slack $from $to]
    if { $slack ne "" } {
      utl::metric_float "acclmt__slack__$name" $slack
    }
  }
}
