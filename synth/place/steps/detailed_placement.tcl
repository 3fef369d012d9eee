# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Cells go to legal sites.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

detailed_placement
improve_placement
optimize_mirroring
check_placement -verbose
estimate_parasitics -placement

measure
write_checkpoint
