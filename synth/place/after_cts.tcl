# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Read behind the clock tree (POST_CTS_TCL): slacks by wires as the placement estimates them, into the
# metrics of the step.

source [file join [file dirname [info script]] measure.tcl]
acclmt_measure
