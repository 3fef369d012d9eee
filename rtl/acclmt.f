// The one list of synthesizable sources, in order of dependency. Simulation, lint and synthesis read
// it. Paths are relative to this folder.
pkg/acclmt_pkg.sv
pkg/acclmt_reg_pkg.sv
common/acclmt_mem_1r1w.sv
common/acclmt_delay.sv
common/acclmt_valid_pipe.sv
common/acclmt_fifo.sv
common/acclmt_reserved_fifo.sv
field/acclmt_mul.sv
field/acclmt_sqr.sv
field/acclmt_const_mul.sv
field/acclmt_reduce.sv
field/acclmt_mod_add.sv
field/acclmt_to_montgomery.sv
field/acclmt_from_montgomery.sv
poseidon/acclmt_sbox.sv
poseidon/acclmt_dot_product.sv
poseidon/acclmt_scaled_add.sv
poseidon/acclmt_partial_round_engine.sv
poseidon/acclmt_full_round_engine.sv
poseidon/acclmt_hash_engine.sv
tree/acclmt_dispatch_scheduler.sv
tree/acclmt_root_hash_engine.sv
tree/acclmt_leaf_hash_engine.sv
control/acclmt_counters.sv
control/acclmt_register_file.sv
acclmt_core.sv
