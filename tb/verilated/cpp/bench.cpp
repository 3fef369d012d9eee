// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include "shim.h"

void acclmt_bench_free(acclmt_bench *bench) { delete bench; }

uint32_t acclmt_bench_input_words(const acclmt_bench *bench) { return bench->input_words(); }

uint32_t acclmt_bench_output_words(const acclmt_bench *bench) { return bench->output_words(); }

void acclmt_bench_run(acclmt_bench *bench, const uint32_t *input, uint32_t *output,
                      uint64_t cycles) {
  bench->run(input, output, cycles);
}

const char *acclmt_bench_failure(const acclmt_bench *bench) { return bench->failure(); }
