# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Constraints of a part of the chip that stands alone. The variables are those of LIBRARY/config.mk;
# ACCLMT_LOAD and ACCLMT_MAX_SLEW are in the units of the library.

set period [expr { $::env(ACCLMT_PERIOD_PS) * $::env(ACCLMT_UNITS_PER_PS) }]

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

set_max_transition $::env(ACCLMT_MAX_SLEW) [current_design]

# Neighbours on the chip have registers at their ports, and a share of the period. The clock needs as long to
# them as to ours: the tree's delay stands in ours, so it has to stand in theirs. (Until there is a tree it
# stands in both by this command, which a propagated clock replaces by the tree.) Hold at the ports hangs on
# the clock trees of the neighbours, which are not there.
set latency [expr { $::env(ACCLMT_CLOCK_LATENCY_PS) * $::env(ACCLMT_UNITS_PER_PS) }]
if { $latency != 0 } {
  set_clock_latency $latency [get_clocks clk_i]
}
if { [llength $inputs] > 0 } {
  set_input_delay -clock clk_i -network_latency_included \
    [expr { $::env(ACCLMT_INPUT_SHARE) * $period + $latency }] $inputs
  set_driving_cell -lib_cell $::env(ACCLMT_DRIVER) $inputs
  set_false_path -hold -from $inputs
}
if { [llength [all_outputs]] > 0 } {
  set_output_delay -clock clk_i -network_latency_included \
    [expr { $::env(ACCLMT_OUTPUT_SHARE) * $period - $latency }] [all_outputs]
  set_load $::env(ACCLMT_LOAD) [all_outputs]
  set_false_path -hold -to [all_outputs]
}

# The reset comes and goes asynchronously; its release is synchronised outside.
set reset [get_ports -quiet rst_ni]
if { [llength $reset] > 0 } {
  set_false_path -from $reset
}

# Configuration that stands still while anything depends on it, and a while before.
foreach name $::env(ACCLMT_QUASI_STATIC_INPUTS) {
  set quasi_static {}
  foreach port $inputs {
    if { [regexp "^${name}(\\\\?\\\[\\d+\\\])?$" [get_property $port full_name]] } {
      lappend quasi_static $port
    }
  }
  if { [llength $quasi_static] == 0 } {
    error "ACCLMT_QUASI_STATIC_INPUTS names $name, which is no input"
  }
  set_false_path -from $quasi_static
}
