// The one list of synthesizable sources, in order of dependency. Simulation, lint and synthesis read
// it. Paths are relative to this folder.
pkg/acclmt_pkg.sv
pkg/acclmt_reg_pkg.sv
field/acclmt_mul.sv
field/acclmt_sqr.sv
field/acclmt_const_mul.sv
field/acclmt_reduce.sv
field/acclmt_mod_add.sv
