// The one list of synthesizable sources, in order of dependency. Simulation, lint and synthesis read
// it. Paths are relative to this folder.
pkg/acclmt_pkg.sv
pkg/acclmt_reg_pkg.sv
common/acclmt_mem_1r1w.sv
common/acclmt_delay.sv
common/acclmt_valid_pipe.sv
common/acclmt_fifo.sv
common/acclmt_credit.sv
field/acclmt_mul.sv
field/acclmt_sqr.sv
field/acclmt_const_mul.sv
field/acclmt_reduce.sv
field/acclmt_mod_add.sv
poseidon/acclmt_sbox.sv
poseidon/acclmt_dot_product.sv
poseidon/acclmt_scaled_add.sv
poseidon/acclmt_partial_round_engine.sv
poseidon/acclmt_full_round_engine.sv
poseidon/acclmt_hash_engine.sv
