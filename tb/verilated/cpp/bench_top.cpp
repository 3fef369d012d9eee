// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// One bench: the model's class is ACCLMT_BENCH_CLASS of the header ACCLMT_BENCH_HEADER, and its
// constructor in the C interface is ACCLMT_BENCH_NEW. ACCLMT_BENCH_ASSERTIONS says whether the
// assertions of the design are heeded.

#include ACCLMT_BENCH_HEADER

#include <cstring>

#include "bench.h"
#include "model.h"
#include "shim.h"

namespace {

using Top = ACCLMT_BENCH_CLASS;

class Bench final : public acclmt_bench {
 public:
  explicit Bench(uint32_t seed) : model_{seed, clear} {
    const Entry entry = model_.enter();
    clear(model_.top());
    model_.reset();
    if (!ACCLMT_BENCH_ASSERTIONS) model_.ignore_assertions();
  }
  uint32_t input_words() const override { return sizeof(Top::in_i) / sizeof(uint32_t); }
  uint32_t output_words() const override { return sizeof(Top::out_o) / sizeof(uint32_t); }
  void run(const uint32_t *input, uint32_t *output, uint64_t cycles) override {
    const Entry entry = model_.enter();
    Top &top = model_.top();
    for (uint64_t i = 0; i < cycles; ++i) {
      std::memcpy(top.in_i.data(), input + i * input_words(), sizeof(Top::in_i));
      model_.settle();
      std::memcpy(output + i * output_words(), top.out_o.data(), sizeof(Top::out_o));
      model_.edge();
    }
  }
  const char *failure() const override { return model_.failure(); }

 private:
  static void clear(Top &top) { std::memset(top.in_i.data(), 0, sizeof(Top::in_i)); }

  Model<Top> model_;
};

}  // namespace

acclmt_bench *ACCLMT_BENCH_NEW(uint32_t seed) { return new Bench{seed}; }
