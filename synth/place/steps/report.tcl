# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Reports of the routed design, for people as *.rpt and for programs in the metrics.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

estimate_parasitics -global_routing

report_checks -path_delay max -group_path_count 20 -format full_clock_expanded \
  -fields {slew capacitance input_pin net fanout} > [result setup.rpt]
report_checks -path_delay min -group_path_count 20 -format full_clock_expanded \
  -fields {slew capacitance input_pin net fanout} > [result hold.rpt]
report_checks -unconstrained -format full_clock_expanded > [result unconstrained.rpt]
report_check_types -max_slew -max_capacitance -max_fanout -violators > [result limits.rpt]
report_worst_slack -max > [result slack.rpt]
report_worst_slack -min >> [result slack.rpt]
report_tns >> [result slack.rpt]
report_clock_skew > [result clock_skew.rpt]
report_power > [result power.rpt]
report_cell_usage -verbose -file [result cells.json]
report_wire_length -net * -global_route -file [result wire_length.csv]

measure
report_clock_skew_metric -setup
report_clock_skew_metric -hold
write_verilog [result design.v]
write_def [result design.def]
write_checkpoint
