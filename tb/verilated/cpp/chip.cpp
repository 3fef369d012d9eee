// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <vector>

#include "VacclmtChip.h"
#include "model.h"
#include "shim.h"

namespace {

// xorshift64*: which cycles stall needs no more.
class Coin {
 public:
  explicit Coin(uint64_t seed) : state_{seed * 2 + 1} {}
  // True with the probability `chance` * 2^-32.
  bool toss(uint32_t chance) {
    if (chance == 0) return false;
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<uint32_t>((state_ * 0x2545f4914f6cdd1dull) >> 32) < chance;
  }

 private:
  uint64_t state_;
};

// The words that a link of the host brings: `words` every `cycles` cycles, as evenly as they go. A word
// that waits for the chip keeps the next one waiting.
class Link {
 public:
  Link(uint32_t words, uint32_t cycles) : words_{words}, cycles_{cycles} {}
  // A cycle begins: whether a word is there.
  bool cycle() {
    credit_ = std::min(credit_ + words_, cycles_ + words_ - 1);
    return credit_ >= cycles_;
  }
  // The word was taken.
  void take() { credit_ -= cycles_; }

 private:
  uint64_t words_;
  uint64_t cycles_;
  uint64_t credit_ = 0;
};

constexpr std::size_t kWordBytes = ACCLMT_WORDS * sizeof(uint32_t);
constexpr std::size_t kOutputWords = ACCLMT_OUTPUT_WORDS;
static_assert(sizeof(VacclmtChip::observed_o) == ACCLMT_OBSERVED_WORDS * sizeof(uint32_t));

}  // namespace

struct acclmt_chip {
  explicit acclmt_chip(uint32_t seed) : model{seed} {}
  Model<VacclmtChip> model;
  Coin coin{0};
  Link link{1, 1};
  uint32_t stall_input = 0;
  uint32_t stall_output = 0;
  bool observes = false;
  std::vector<uint32_t> observed;
};

namespace {

// Keeps what is observed in the cycle that the next clock edge ends.
void observe(acclmt_chip &chip) {
  if (!chip.observes) return;
  const uint32_t *words = chip.model.top().observed_o.data();
  chip.observed.insert(chip.observed.end(), words, words + ACCLMT_OBSERVED_WORDS);
}

acclmt_answer access(acclmt_chip &chip, bool write, uint32_t address, uint32_t value) {
  const Entry entry = chip.model.enter();
  VacclmtChip &top = chip.model.top();
  top.reg_valid_i = 1;
  top.reg_write_i = write;
  top.reg_addr_i = address;
  top.reg_wdata_i = value;
  chip.model.settle();
  observe(chip);
  chip.model.edge();
  top.reg_valid_i = 0;
  return {top.reg_rdata_o, top.reg_error_o};
}

}  // namespace

acclmt_chip *acclmt_chip_new(uint32_t seed) {
  auto *chip = new acclmt_chip{seed};
  acclmt_chip_reset(chip);
  return chip;
}

void acclmt_chip_free(acclmt_chip *chip) { delete chip; }

void acclmt_chip_reset(acclmt_chip *chip) {
  const Entry entry = chip->model.enter();
  VacclmtChip &top = chip->model.top();
  top.reg_valid_i = 0;
  top.in_valid_i = 0;
  top.out_ready_i = 0;
  chip->model.reset();
}

acclmt_answer acclmt_chip_write(acclmt_chip *chip, uint32_t address, uint32_t value) {
  return access(*chip, true, address, value);
}

acclmt_answer acclmt_chip_read(acclmt_chip *chip, uint32_t address) {
  return access(*chip, false, address, 0);
}

void acclmt_chip_transfer(acclmt_chip *chip, acclmt_transfer *transfer) {
  Model<VacclmtChip> &model = chip->model;
  const Entry entry = model.enter();
  VacclmtChip &top = model.top();
  transfer->taken = 0;
  transfer->given = 0;
  bool offered = false;
  bool last = false;
  for (uint64_t i = 0; i < transfer->cycles && !last; ++i) {
    if (transfer->given == transfer->output_capacity) break;
    const bool arrived = chip->link.cycle();
    if (transfer->taken == transfer->input_count) {
      offered = false;
    } else if (!offered && arrived && !chip->coin.toss(chip->stall_input)) {
      offered = true;
      std::memcpy(top.in_data_i.data(), transfer->input + transfer->taken * ACCLMT_WORDS,
                  kWordBytes);
    }
    top.in_valid_i = offered;
    top.out_ready_i = !chip->coin.toss(chip->stall_output);
    model.settle();
    if (offered && top.in_ready_o) {
      ++transfer->taken;
      chip->link.take();
      offered = false;
    }
    if (top.out_valid_o && top.out_ready_i) {
      uint32_t *word = transfer->output + transfer->given * kOutputWords;
      std::memcpy(word, top.out_data_o.data(), kWordBytes);
      last = top.out_last_o;
      word[ACCLMT_WORDS] = top.out_level_o;
      word[ACCLMT_WORDS + 1] = top.out_index_o;
      word[ACCLMT_WORDS + 2] = static_cast<uint32_t>(top.out_last_o | (top.out_error_o << 1));
      ++transfer->given;
    }
    observe(*chip);
    model.edge();
  }
  top.in_valid_i = 0;
  top.out_ready_i = 0;
}

void acclmt_chip_stalls(acclmt_chip *chip, uint64_t seed, uint32_t input, uint32_t output) {
  chip->coin = Coin{seed};
  chip->stall_input = input;
  chip->stall_output = output;
}

void acclmt_chip_input_rate(acclmt_chip *chip, uint32_t words, uint32_t cycles) {
  chip->link = Link{words, cycles};
}

void acclmt_chip_trace(acclmt_chip *chip, const char *path, uint64_t first, uint64_t count,
                       uint32_t depth) {
  const Entry entry = chip->model.enter();
  chip->model.trace(path, first, count, depth);
}

uint64_t acclmt_chip_trace_end(acclmt_chip *chip) {
  const Entry entry = chip->model.enter();
  return chip->model.end_trace();
}

void acclmt_chip_observe(acclmt_chip *chip, uint32_t on) { chip->observes = on != 0; }

const uint32_t *acclmt_chip_observed(const acclmt_chip *chip) { return chip->observed.data(); }

uint64_t acclmt_chip_observed_cycles(const acclmt_chip *chip) {
  return chip->observed.size() / ACCLMT_OBSERVED_WORDS;
}

void acclmt_chip_forget(acclmt_chip *chip) { chip->observed.clear(); }

uint64_t acclmt_chip_cycles(const acclmt_chip *chip) { return chip->model.cycles(); }

uint32_t acclmt_chip_interrupt(const acclmt_chip *chip) { return chip->model.top().irq_o; }

const char *acclmt_chip_failure(const acclmt_chip *chip) { return chip->model.failure(); }
