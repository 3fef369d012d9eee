# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Read after global routing (POST_GLOBAL_ROUTE_TCL): figures into the metrics of the step, and the layout
# for pictures and for the energy.

source [file join [file dirname [info script]] measure.tcl]
acclmt_measure
write_verilog $::env(RESULTS_DIR)/layout.v
write_def $::env(RESULTS_DIR)/layout.def
