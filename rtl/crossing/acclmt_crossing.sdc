# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Constraints of the crossing between the clock of the buses and that of the core, for acclmt_axi with
# SeparateClocks = 1. Set the three values, and source this behind the rest of the constraints:
#
#   bus_clock, core_clock   names of the two clocks
#   crossing                name of the instance of acclmt_clock_crossing, here below acclmt_axi
#
# The longest path of a crossing is a cycle of the faster clock: so the bits of a pointer arrive within a
# cycle of each other, and what is held is there before the level that says so has passed a synchroniser.

if {![info exists bus_clock]} { set bus_clock bus_clk }
if {![info exists core_clock]} { set core_clock core_clk }
if {![info exists crossing]} { set crossing u_crossing/gen_two_clocks }

set bus_period [get_property [get_clocks $bus_clock] period]
set core_period [get_property [get_clocks $core_clock] period]
set most [expr {min($bus_period, $core_period)}]

# Not `set_clock_groups -asynchronous`, which would win over the longest paths. Tools that have it take
# `-datapath_only` besides, which leaves the skew of the two clocks out and hold alone; the others need the false
# path of hold below.
set bus_flops [get_clocks $bus_clock]
set core_flops [get_clocks $core_clock]
set_max_delay $most -from $bus_flops -to $core_flops
set_max_delay $most -from $core_flops -to $bus_flops
set_false_path -hold -from $bus_flops -to $core_flops
set_false_path -hold -from $core_flops -to $bus_flops

# Resets are asserted at any time; they are released by the flops that these pins belong to.
set_false_path -to [get_pins $crossing/u_reset/u_request/released_q*/CLR*]
set_false_path -to [get_pins $crossing/u_reset/u_core/released_q*/CLR*]
