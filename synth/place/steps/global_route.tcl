# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Global routing. It fails where wires are left that find no room: place with a smaller UTILIZATION then.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

pin_access
global_route -verbose -congestion_iterations 50 -guide_file [result route.guide] \
  -congestion_report_file [result congestion.rpt]
estimate_parasitics -global_routing

measure
write_checkpoint
