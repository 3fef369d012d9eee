// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Saves the evaluation of a block that is at rest. Most blocks of a chip are, most of the time: while constants are
// loaded, and where no beat passes.
//
// A block is at rest when a clock cycle with the inputs of the cycle before has left every byte of its state as it was:
// each further cycle with these inputs does the same. That is seen, not assumed. An input that changes ends it.

#ifndef ACCLMT_REST_H
#define ACCLMT_REST_H

#include <cstdint>
#include <cstring>
#include <vector>

namespace acclmt {

class Rest {
 public:
  // Has `assign` set the input `port`.
  template <typename Port, typename Assign>
  void set(Port &port, Assign assign) {
    const Port before = port;
    assign();
    if (std::memcmp(&before, &port, sizeof(Port)) != 0) changed_ = true;
  }

  // Whether inputs have changed since they were asked for last, so that the block is to be evaluated.
  bool changes() {
    if (!changed_) return false;
    changed_ = false;
    still_cycles_ = 0;
    at_rest_ = false;
    return true;
  }

  // Sets the clock of a block without other clocks and resets. A block at rest keeps the low level that it saw last.
  template <typename Block>
  void clock(Block &block, uint8_t level) {
    if (at_rest_) return;
    block.clk_i = level;
    block.eval();
    if (level == 0) end_cycle(block.rootp, sizeof(*block.rootp));
  }

 private:
  // Cycles with the same inputs before the first look, which few blocks take to come to rest.
  static constexpr uint32_t FIRST_LOOK = 8;

  void end_cycle(const void *state, size_t size) {
    ++still_cycles_;
    // Ever more rarely: some blocks never rest.
    const bool looks = still_cycles_ >= FIRST_LOOK && (still_cycles_ & (still_cycles_ - 1)) == 0;
    const char *bytes = static_cast<const char *>(state);
    if (looks) {
      before_.assign(bytes, bytes + size);
    } else if (before_.size() == size) {
      at_rest_ = still_cycles_ > FIRST_LOOK && std::memcmp(before_.data(), bytes, size) == 0;
      before_.clear();
    }
  }

  // Nothing has been evaluated yet.
  bool changed_ = true;
  bool at_rest_ = false;
  uint32_t still_cycles_ = 0;
  // The state at the end of the cycle before, if it was looked at.
  std::vector<char> before_;
};

}  // namespace acclmt

#endif  // ACCLMT_REST_H
