# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Read before global routing (PRE_GLOBAL_ROUTE_TCL). The access to the pins is for detailed routing, which
# `make place` does not do; global routing goes by the shapes of the pins.

proc pin_access { args } {
  puts "pin_access $args: left out, no detailed routing follows"
}

# What short paths have in hand is there for routing: only what is missed is repaired.
set ::env(HOLD_SLACK_MARGIN) 0

# Repairs behind global routing place their cells as the detailed placement places all others.
rename detailed_placement acclmt_detailed_placement

proc detailed_placement { args } {
  acclmt_detailed_placement {*}$args {*}$::env(ACCLMT_DETAIL_PLACEMENT_ARGS)
}

# The repair of timing takes buffers away and moves wires: slews are repaired once more behind it.
rename repair_timing_helper acclmt_repair_timing_helper

proc repair_timing_helper { args } {
  acclmt_repair_timing_helper {*}$args
  repair_design_helper
}
