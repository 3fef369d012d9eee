// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#ifdef ACCLMT_ENGINES
#include "VacclmtEngines.h"
#endif
#include "VacclmtMutants.h"
#include "VacclmtTree.h"
#include "VacclmtUnits.h"
#include "model.h"
#include "shim.h"

struct acclmt_bench {
  virtual ~acclmt_bench() = default;
  virtual uint32_t input_words() const = 0;
  virtual uint32_t output_words() const = 0;
  virtual void run(const uint32_t *input, uint32_t *output, uint64_t cycles) = 0;
  virtual const char *failure() const = 0;
};

namespace {

template <typename Top>
class Bench final : public acclmt_bench {
 public:
  explicit Bench(uint32_t seed) : model_{seed} {
    const Entry entry = model_.enter();
    std::memset(model_.top().in_i.data(), 0, sizeof(Top::in_i));
    model_.reset();
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
  Model<Top> model_;
};

}  // namespace

acclmt_bench *acclmt_bench_new(uint32_t kind, uint32_t seed) {
  if (kind == ACCLMT_BENCH_MUTANTS) return new Bench<VacclmtMutants>{seed};
  if (kind == ACCLMT_BENCH_TREE) return new Bench<VacclmtTree>{seed};
#ifdef ACCLMT_ENGINES
  if (kind == ACCLMT_BENCH_ENGINES) return new Bench<VacclmtEngines>{seed};
#endif
  return new Bench<VacclmtUnits>{seed};
}

void acclmt_bench_free(acclmt_bench *bench) { delete bench; }

uint32_t acclmt_bench_input_words(const acclmt_bench *bench) { return bench->input_words(); }

uint32_t acclmt_bench_output_words(const acclmt_bench *bench) { return bench->output_words(); }

void acclmt_bench_run(acclmt_bench *bench, const uint32_t *input, uint32_t *output,
                      uint64_t cycles) {
  bench->run(input, output, cycles);
}

const char *acclmt_bench_failure(const acclmt_bench *bench) { return bench->failure(); }
