# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Constraints of a part of the chip that stands alone. place.py sets PLACE_PERIOD and PLACE_LOAD, in
# the units of the first Liberty file of the library (1 ps and 1 fF for ASAP7, 1 ns and 1 pF for
# SG13G2), and PLACE_DRIVER, the cell that drives an input.

set period $::env(PLACE_PERIOD)

# Every register takes the rising edge of clk_i.
create_clock -name clk_i -period $period [get_ports clk_i]
# Jitter.
set_clock_uncertainty -setup [expr { 0.05 * $period }] [get_clocks clk_i]

set inputs {}
foreach port [all_inputs] {
  if { [get_property $port full_name] ne "clk_i" } {
    lappend inputs $port
  }
}

# Neighbours on the chip have registers at their ports: two fifths of the period are theirs. Hold at
# the ports hangs on the clock trees of the neighbours, which are not there.
if { [llength $inputs] > 0 } {
  set_input_delay -clock clk_i [expr { 0.4 * $period }] $inputs
  set_driving_cell -lib_cell $::env(PLACE_DRIVER) $inputs
  set_false_path -hold -from $inputs
}
if { [llength [all_outputs]] > 0 } {
  set_output_delay -clock clk_i [expr { 0.4 * $period }] [all_outputs]
  set_load $::env(PLACE_LOAD) [all_outputs]
  set_false_path -hold -to [all_outputs]
}

# The reset comes and goes asynchronously; its release is synchronised outside.
set reset [get_ports -quiet rst_ni]
if { [llength $reset] > 0 } {
  set_false_path -from $reset
}
