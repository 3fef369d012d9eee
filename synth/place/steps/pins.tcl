# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0

# Ports at the edge of the die, near the cells that use them: a first placement tells where those go.

source [file join [file dirname [info script]] common.tcl]
read_checkpoint

global_placement -skip_io -density [setting PLACE_DENSITY]
place_pins -hor_layers [setting IO_PLACER_H] -ver_layers [setting IO_PLACER_V]
write_checkpoint
