# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# What the steps share. place.py runs each step in an OpenROAD of its own, with the exported variables
# of the platform and these:
#
#   PLACE_TOP          the module that is placed
#   PLACE_NETLIST      its mapped netlist
#   PLACE_MEMORIES     folder with memories.lef and memories.lib; empty without memories
#   PLACE_SDC          constraints, with PLACE_PERIOD, PLACE_LOAD and PLACE_DRIVER for them
#   PLACE_PREVIOUS     folder of the step before, with design.odb and design.sdc
#   PLACE_RESULT       folder of this step

# setting NAME ?DEFAULT?: the variable of the environment; without a default it has to be there.
proc setting { name args } {
  if { [info exists ::env($name)] && [string trim $::env($name)] ne "" } {
    return [string trim $::env($name)]
  }
  if { [llength $args] > 0 } {
    return [lindex $args 0]
  }
  error "the variable $name is not set; start the steps through `make place`"
}

# existing_file PATH WHAT: the path of a file that has to be there.
proc existing_file { path what } {
  if { ![file isfile $path] } {
    error "$path, $what, does not exist"
  }
  return $path
}

# result NAME: the path of a file that this step writes.
proc result { name } {
  return [file join [setting PLACE_RESULT] $name]
}

proc has_memories { } {
  return [expr { [setting PLACE_MEMORIES ""] ne "" }]
}

# Runs a script of the platform that its config.mk names; the default may be empty: no script.
proc platform_script { variable default } {
  set path [setting $variable $default]
  if { $path ne "" } {
    uplevel #0 [list source [existing_file $path "$variable of the platform"]]
  }
}

# Cells first: their units hold.
proc read_libraries { } {
  platform_script PLATFORM_TCL ""
  foreach path [setting LIB_FILES] {
    read_liberty [existing_file $path "one of LIB_FILES"]
  }
  if { [has_memories] } {
    read_liberty [existing_file [file join [setting PLACE_MEMORIES] memories.lib] "of the memories"]
  }
}

# What a checkpoint does not keep.
proc set_up_estimation { } {
  uplevel #0 [list source [existing_file [file join [setting PLATFORM_DIR] setRC.tcl] \
    "wire resistances of the platform"]]
  if { [setting DONT_USE_CELLS ""] ne "" } {
    set_dont_use [setting DONT_USE_CELLS]
  }
}

proc read_checkpoint { } {
  read_libraries
  set folder [setting PLACE_PREVIOUS]
  read_db [existing_file [file join $folder design.odb] "the result of the step before"]
  read_sdc [existing_file [file join $folder design.sdc] "the result of the step before"]
  set_up_estimation
}

proc write_checkpoint { } {
  write_sdc -no_timestamp [result design.sdc]
  write_db [result design.odb]
}

# Whether the platform asks that a cell is replaced by one of its own footprint only.
proc obey_footprints { } {
  return [expr { [setting MATCH_CELL_FOOTPRINT 0] eq "1" }]
}

# Writes the figures of this state of the design into the metrics of the step.
proc measure { } {
  report_worst_slack_metric -setup
  report_worst_slack_metric -hold
  report_tns_metric -setup
  report_tns_metric -hold
  report_erc_metrics
  report_power_metric
  report_design_area_metrics
  report_design_area
}
