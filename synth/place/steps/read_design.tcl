# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Reads the library and the netlist, links them and checks the constraints.

source [file join [file dirname [info script]] common.tcl]

read_libraries
foreach variable {TECH_LEF SC_LEF} {
  read_lef [existing_file [setting $variable] "$variable of the platform"]
}
foreach path [setting ADDITIONAL_LEFS ""] {
  read_lef [existing_file $path "one of ADDITIONAL_LEFS"]
}
if { [has_memories] } {
  read_lef [existing_file [file join [setting PLACE_MEMORIES] memories.lef] "of the memories"]
}
read_verilog [existing_file [setting PLACE_NETLIST] "the netlist"]
link_design [setting PLACE_TOP]
set_up_estimation
read_sdc [existing_file [setting PLACE_SDC] "the constraints"]

report_units
check_setup -verbose > [result check_setup.rpt]
report_cell_usage -verbose
write_checkpoint
