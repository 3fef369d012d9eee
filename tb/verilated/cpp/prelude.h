// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Included ahead of every generated file and of Verilator's runtime: messages of the models (failed
// assertions) go to the model's record instead of the standard output, which belongs to the program.

#ifndef ACCLMT_PRELUDE_H
#define ACCLMT_PRELUDE_H

extern "C" int acclmt_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF acclmt_print

// Whether bits that change count on this thread: not those that the first reset of a model changes from a random value.
extern thread_local bool acclmt_changes_count;

#ifdef ACCLMT_COVERAGE
#include <atomic>
#include <cstdint>

namespace acclmt {

// A point of the coverage is reached. It is written once: models on other threads read it all the time.
inline void reach(std::atomic<uint32_t> &count) {
  if (count.load(std::memory_order_relaxed) == 0) count.store(1, std::memory_order_relaxed);
}

// A bit has changed.
inline void reach_change(std::atomic<uint32_t> &count) {
  if (acclmt_changes_count) reach(count);
}

}  // namespace acclmt
#endif

#endif  // ACCLMT_PRELUDE_H
