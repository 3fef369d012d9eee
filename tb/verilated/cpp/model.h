// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// What all simulation models share: a context of their own, clock, reset, messages and waveforms.

#ifndef ACCLMT_MODEL_H
#define ACCLMT_MODEL_H

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

// Where acclmt_print puts its text on this thread.
extern thread_local std::string *acclmt_messages;
// Verilator registers contexts and models in unsynchronised statics.
extern std::mutex acclmt_construction;

// Makes a model current on this thread. Every entry from C needs one, because Verilator finds the
// context of a failed assertion or of a random value through a thread-local pointer.
class Entry {
 public:
  Entry(VerilatedContext &context, std::string &messages) {
    Verilated::threadContextp(&context);
    acclmt_messages = &messages;
  }
  ~Entry() { acclmt_messages = nullptr; }
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;
};

template <typename Top>
class Model {
 public:
  // `prepare` sets inputs before the first reset; without it they are random.
  explicit Model(uint32_t seed, void (*prepare)(Top &) = nullptr)
      : context_{std::make_unique<VerilatedContext>()} {
    std::lock_guard<std::mutex> lock{acclmt_construction};
    Entry entry{*context_, messages_};
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed & 0x7fffffff));
    // A failed assertion ends no process; the caller asks for it.
    context_->fatalOnError(false);
    context_->traceEverOn(true);
    top_ = std::make_unique<Top>(context_.get(), "TOP");
    if (prepare != nullptr) prepare(*top_);
    // Registers are random until a reset has acted, those that make resets too: nothing is asserted of that, and nothing
    // has changed.
    context_->assertOn(false);
    acclmt_changes_count = false;
    reset();
    acclmt_changes_count = true;
    context_->assertOn(true);
  }

  ~Model() {
    std::lock_guard<std::mutex> lock{acclmt_construction};
    Entry entry{*context_, messages_};
    if (waves_) waves_->close();
    top_->final();
    top_.reset();
    waves_.reset();
  }

  Entry enter() { return Entry{*context_, messages_}; }

  void reset() {
    top_->clk_i = 0;
    // Blocks that Verilator compiled on their own see a reset only as a change of level, and do not
    // know the level before the first evaluation.
    for (int i = 0; i < 2; ++i) {
      top_->rst_ni = 1;
      top_->eval();
      top_->rst_ni = 0;
      top_->eval();
    }
    for (int i = 0; i < 4; ++i) cycle();
    top_->rst_ni = 1;
  }

  void ignore_assertions() { context_->assertOn(false); }

  // Lets the inputs act; the outputs are then those of the cycle that the next clock edge ends.
  void settle() {
    top_->clk_i = 0;
    top_->eval();
    dump(0);
  }

  // The clock edge. Afterwards the outputs that depend on registers only are those of the new cycle.
  void edge() {
    top_->clk_i = 1;
    top_->eval();
    dump(1);
    ++cycles_;
  }

  void cycle() {
    settle();
    edge();
  }

  void trace(const char *path, uint64_t first, uint64_t count, uint32_t depth) {
    waves_ = std::make_unique<VerilatedFstC>();
    top_->trace(waves_.get(), depth == 0 ? 99 : static_cast<int>(depth));
    waves_path_ = path;
    waves_first_ = first;
    waves_end_ = first + count;
    if (waves_end_ < first) waves_end_ = UINT64_MAX;
    waves_cycles_ = 0;
  }

  // Ends the waveform; returns the clock cycles that it holds, 0 where the file could not be written.
  uint64_t end_trace() {
    if (waves_) waves_->close();
    waves_.reset();
    return waves_cycles_;
  }

  const char *failure() const {
    return context_->gotError() || context_->gotFinish()
               ? (messages_.empty() ? "the simulation stopped without a message" : messages_.c_str())
               : nullptr;
  }

  Top &top() { return *top_; }
  const Top &top() const { return *top_; }
  uint64_t cycles() const { return cycles_; }

 private:
  void dump(unsigned half) {
    if (!waves_ || cycles_ < waves_first_) return;
    if (cycles_ >= waves_end_) {
      waves_->close();
      waves_.reset();
      return;
    }
    if (!waves_->isOpen()) waves_->open(waves_path_.c_str());
    if (!waves_->isOpen()) {
      waves_.reset();
      return;
    }
    waves_->dump(2 * cycles_ + half);
    waves_cycles_ += half;
  }

  std::string messages_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Top> top_;
  std::unique_ptr<VerilatedFstC> waves_;
  std::string waves_path_;
  uint64_t waves_first_ = 0;
  uint64_t waves_end_ = 0;
  uint64_t waves_cycles_ = 0;
  uint64_t cycles_ = 0;
};

#endif  // ACCLMT_MODEL_H
