// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// What the C interface knows of a bench; `bench_top.cpp` has the rest, once for each bench.

#ifndef ACCLMT_BENCH_H
#define ACCLMT_BENCH_H

#include <cstdint>

struct acclmt_bench {
  virtual ~acclmt_bench() = default;
  virtual uint32_t input_words() const = 0;
  virtual uint32_t output_words() const = 0;
  virtual void run(const uint32_t *input, uint32_t *output, uint64_t cycles) = 0;
  virtual const char *failure() const = 0;
};

#endif  // ACCLMT_BENCH_H
