// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Saves the evaluation of a block that is at rest. Most blocks of a chip are, most of the time: while constants are
// loaded, and where no beat passes.
//
// A block is at rest when some clock cycles with the same inputs have left every byte of its state as it was, and its
// outputs the same all along: further cycles with these inputs repeat them. Mostly it is one cycle; a block with a delay
// line in a memory, whose address goes round, takes more. That is seen, not assumed. An input that changes ends it,
// after as many cycles as bring the block where it would be.

#ifndef ACCLMT_REST_H
#define ACCLMT_REST_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace acclmt {

class Rest {
 public:
  // Has `assign` set the input `port` of `block`.
  template <typename Block, typename Port, typename Assign>
  void set(Block &block, Port &port, Assign assign) {
    const Port before = port;
    assign();
    if (std::memcmp(&before, &port, sizeof(Port)) == 0) return;
    changed_ = true;
    if (!at_rest_) return;
    const Port after = port;
    port = before;
    wake(block);
    port = after;
  }

  // Evaluates the block if inputs have changed.
  template <typename Block>
  void settle(Block &block) {
    if (!changed_) return;
    begin_stillness();
    evaluate(block);
  }

  // Sets the clock of the block. One at rest keeps the low level that it saw last.
  template <typename Block>
  void clock(Block &block, uint8_t level) {
    if (changed_) begin_stillness();
    if (at_rest_) {
      skipped_ = (skipped_ + level) % period_;
      if (period_ > 1) tell_parents();
      return;
    }
    compared_ = 0;
    captures_ = false;
    block.clk_i = level;
    evaluate(block);
    if (level == 0) end_cycle(block);
  }

  // The number of a call, of which `next` is the next one. A model takes the outputs of the later one of two calls, and
  // keeps the numbers: where nothing moves they stay, so that a block that this one is in comes to rest, too.
  int64_t number(long long &next) const { return at_rest_ && period_ == 1 ? next - 1 : next++; }

  // Is told every output behind each level of the clock.
  template <typename Port>
  void watch(const Port &port) {
    if (before_.empty() || at_rest_) return;
    const char *bytes = reinterpret_cast<const char *>(&port);
    if (captures_) {
      outputs_.insert(outputs_.end(), bytes, bytes + sizeof(Port));
    } else {
      steady_ = steady_ && std::memcmp(outputs_.data() + compared_, bytes, sizeof(Port)) == 0;
      compared_ += sizeof(Port);
    }
  }

 private:
  // Cycles with the same inputs before the first look, which few blocks take to come to rest.
  static constexpr uint32_t FIRST_LOOK = 8;
  // Before the last one, and until it is given up: an S-box has delay lines of 6, 7, 12 and 13 cycles, which are as they
  // were after 1092.
  static constexpr uint32_t LAST_LOOK = 512;
  static constexpr uint32_t LAST_CYCLE = 2048;

  // A block in this one, whose state is not in this one's, is not at rest, or where it would be is to be kept.
  void tell_parents() {
    for (Rest *parent = parent_; parent != nullptr; parent = parent->parent_) {
      parent->moves_within_ = true;
    }
  }

  template <typename Block>
  void evaluate(Block &block) {
    if (!evaluated_) parent_ = current();
    evaluated_ = true;
    tell_parents();
    Rest *const outer = current();
    current() = this;
    block.eval();
    current() = outer;
  }

  // Ends the rest of a block, whose inputs are still the old ones.
  template <typename Block>
  void wake(Block &block) {
    at_rest_ = false;
    for (uint32_t i = 0; i < skipped_; ++i) {
      for (const uint8_t level : {1, 0}) {
        block.clk_i = level;
        evaluate(block);
      }
    }
  }

  void begin_stillness() {
    changed_ = false;
    still_cycles_ = 0;
    before_.clear();
  }

  template <typename Block>
  void end_cycle(const Block &block) {
    const auto &state = *block.rootp->vlSymsp;
    const char *bytes = reinterpret_cast<const char *>(&state);
    ++still_cycles_;
    if (!before_.empty() && steady_ && !moves_within_ &&
        std::memcmp(before_.data(), bytes, sizeof(state)) == 0) {
      at_rest_ = true;
      period_ = still_cycles_ - looked_at_;
      skipped_ = 0;
      before_.clear();
    } else if (still_cycles_ >= FIRST_LOOK && still_cycles_ <= LAST_LOOK &&
               (still_cycles_ & (still_cycles_ - 1)) == 0) {
      // Ever more rarely, so that longer periods are found.
      before_.assign(bytes, bytes + sizeof(state));
      looked_at_ = still_cycles_;
      outputs_.clear();
      captures_ = true;
      steady_ = true;
      moves_within_ = false;
    } else if (still_cycles_ == LAST_CYCLE) {
      before_.clear();
    }
  }

  // The block that is evaluated on this thread.
  static Rest *&current() {
    thread_local Rest *block = nullptr;
    return block;
  }

  // Nothing has been evaluated yet.
  bool evaluated_ = false;
  bool changed_ = true;
  // The block that this one is in.
  Rest *parent_ = nullptr;
  // Cycles since an input has changed.
  uint32_t still_cycles_ = 0;
  // The state and the outputs at the end of the cycle that was looked at, if one was, and what has been seen since.
  std::vector<char> before_;
  std::vector<char> outputs_;
  uint32_t looked_at_ = 0;
  bool captures_ = false;
  size_t compared_ = 0;
  bool steady_ = false;
  bool moves_within_ = false;
  // At rest: after how many cycles the block is as it was, and which of them has come.
  bool at_rest_ = false;
  uint32_t period_ = 1;
  uint32_t skipped_ = 0;
};

}  // namespace acclmt

#endif  // ACCLMT_REST_H
