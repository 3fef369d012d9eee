# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Stands in for OpenROAD in the tests: runs a step in a plain tclsh, where each command of OpenROAD and
# OpenSTA checks its arguments against the specification of commands/*.json and does next to nothing.
# What is no command of Tcl, of the step or of the specification is an error, as it is in OpenROAD.
#
#   RECORDER_COMMANDS   the specification as a Tcl dictionary (test_place.py writes it)
#   RECORDER_CALLS      file to which every call is appended, one a line
#   RECORDER_PORTS      ports of the design
#   RECORDER_FAILS      a command that fails, for tests of failures

# The figures that a run leaves.
set metrics {
  "timing__setup__ws": -12.5, "timing__setup__tns": -100.0, "timing__hold__ws": 3.0,
  "timing__hold__tns": 0.0, "design__instance__count__stdcell": 1000,
  "design__instance__count__macros": 2, "design__instance__area__stdcell": 200.5,
  "design__instance__area__macros": 50, "design__core__area": 500, "design__die__area": 550,
  "design__instance__utilization": 0.501, "power__total": 0.0125, "power__leakage__total": 1e-6,
  "clock__skew__setup": 7.0, "global_route__wirelength": 12345, "global_route__vias": 678
}
# The last lines of the congestion report of global routing.
set congestion "Layer         Resource        Demand        Usage (%)    Max H / Max V / Total Congestion
M2            40000            4000           10.00%             0 /  0 /  0
M3            40000            6000           15.00%             0 /  1 /  2
Total         80000           10000           12.50%             0 /  1 /  2"

proc touch { path text } {
  set file [open $path w]
  puts $file $text
  close $file
}

# Checks a call; returns its switches with their values, and its positionals.
proc check_call { name specification arguments } {
  set switches [dict get $specification switches]
  set given [dict create]
  set positionals {}
  for { set i 0 } { $i < [llength $arguments] } { incr i } {
    set argument [lindex $arguments $i]
    if { [dict exists $switches $argument] } {
      lassign [dict get $switches $argument] required repeated type
      if { [dict exists $given $argument] && !$repeated } {
        error "$name: $argument is given twice"
      }
      set value 1
      if { $type ne "none" } {
        if { [incr i] >= [llength $arguments] } {
          error "$name: $argument has no value"
        }
        set value [lindex $arguments $i]
        if { $type eq "int" && ![string is integer -strict $value] } {
          error "$name: $argument takes an integer, not '$value'"
        }
        if { $value eq "" } {
          error "$name: $argument is empty"
        }
      }
      dict set given $argument $value
    } elseif { [regexp {^-[A-Za-z_]} $argument] } {
      error "$name: no option $argument"
    } else {
      lappend positionals $argument
    }
  }
  dict for {switch properties} $switches {
    if { [lindex $properties 0] && ![dict exists $given $switch] } {
      error "$name: $switch is missing"
    }
  }
  lassign [dict get $specification positionals] least most
  set count [llength $positionals]
  if { $count < $least || ($most >= 0 && $count > $most) } {
    error "$name: $count arguments, $least to $most are expected: $positionals"
  }
  return [list $given $positionals]
}

# What a call does and returns.
proc perform { name given positionals } {
  foreach switch {> >> -file -out_file -guide_file -congestion_report_file} {
    if { [dict exists $given $switch] } {
      touch [dict get $given $switch] $name
    }
  }
  switch $name {
    read_lef - read_liberty - read_verilog - read_db {
      if { ![file isfile [lindex $positionals 0]] } {
        error "$name: [lindex $positionals 0] does not exist"
      }
    }
    read_sdc { uplevel #0 [list source [lindex $positionals 0]] }
    write_db - write_sdc - write_verilog - write_def { touch [lindex $positionals 0] "# $name" }
    all_inputs { return [lsearch -all -inline -regexp $::env(RECORDER_PORTS) {_n?i$}] }
    all_outputs { return [lsearch -all -inline -regexp $::env(RECORDER_PORTS) {_o$}] }
    all_clocks { return clk_i }
    get_ports - get_clocks {
      set pattern [lindex $positionals 0]
      if { $pattern in $::env(RECORDER_PORTS) } {
        return $pattern
      }
      if { ![dict exists $given -quiet] } {
        error "$name: $pattern is not found"
      }
    }
    get_lib_pins - get_property { return [lindex $positionals 0] }
    global_route { puts $::congestion }
  }
  return {}
}

# A call of a command of the specification.
proc call { name specification args } {
  set file [open $::env(RECORDER_CALLS) a]
  puts $file [string map {\n " "} [list $name {*}$args]]
  close $file
  lassign [check_call $name $specification $args] given positionals
  if { [info exists ::env(RECORDER_FAILS)] && $::env(RECORDER_FAILS) eq $name } {
    error "$name fails, as the test wants"
  }
  return [perform $name $given $positionals]
}

# openroad -no_init -no_splash -exit -threads COUNT -metrics FILE SCRIPT
if {
  [llength $argv] != 8 || [lrange $argv 0 3] ne {-no_init -no_splash -exit -threads}
  || [lindex $argv 5] ne "-metrics"
} {
  puts stderr "recorder: unexpected arguments: $argv"
  exit 2
}
set file [open $env(RECORDER_COMMANDS)]
foreach {name specification} [read $file] {
  interp alias {} $name {} call $name $specification
}
close $file
if { [catch { source [lindex $argv 7] } message options] } {
  puts [dict get $options -errorinfo]
  exit 1
}
touch [lindex $argv 6] "{$metrics}"
