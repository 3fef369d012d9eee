// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// What a netlist with mutants asks and says. ACCLMT_MUTANT has the number of the mutant that is on, none for 0; the numbers
// of those that would have changed a bit are written to the file that ACCLMT_MUTANT_DIFFERENCES names, when the process
// ends.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr unsigned kLargest = 0xffff;

unsigned read_number() {
  const char *text = std::getenv("ACCLMT_MUTANT");
  if (text == nullptr) return 0;
  char *end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  if (end == text || *end != '\0' || number > kLargest) {
    std::fprintf(stderr, "error: ACCLMT_MUTANT is '%s', not a number from 0 to %u\n", text, kLargest);
    std::_Exit(EXIT_FAILURE);
  }
  return static_cast<unsigned>(number);
}

// By the number of the mutant. Simulations may run in several threads.
std::array<std::atomic<bool>, kLargest + 1> differences;

// Writes them when the process ends.
class Written {
 public:
  ~Written() {
    const char *path = std::getenv("ACCLMT_MUTANT_DIFFERENCES");
    if (path == nullptr) return;
    std::FILE *file = std::fopen(path, "w");
    bool is_written = file != nullptr;
    for (std::size_t number = 0; is_written && number < differences.size(); ++number) {
      if (differences[number]) is_written = std::fprintf(file, "%zu\n", number) > 0;
    }
    if (file != nullptr && std::fclose(file) != 0) is_written = false;
    if (is_written) return;
    std::fprintf(stderr, "error: '%s' of ACCLMT_MUTANT_DIFFERENCES cannot be written\n", path);
    std::_Exit(EXIT_FAILURE);
  }
};
const Written written;

}  // namespace

extern "C" unsigned acclmt_mutant() {
  static const unsigned number = read_number();
  return number;
}

extern "C" void acclmt_differs(unsigned number) {
  differences[number & kLargest].store(true, std::memory_order_relaxed);
}
