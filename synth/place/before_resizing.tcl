# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Read before the repair of slews and loads behind the placement (PRE_RESIZE_TCL), where ACCLMT_MAX_WIRE_UM
# is set. The repair does not see the slew at a port of the design: a wire of 340 um from a buffer to an
# output stays as it is, with four times the slew that is allowed. A limit of length it knows.

rename repair_design acclmt_repair_design

proc repair_design { args } {
  acclmt_repair_design {*}$args -max_wire_length $::env(ACCLMT_MAX_WIRE_UM)
}
