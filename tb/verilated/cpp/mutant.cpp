// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Which mutant of a netlist is on, none for 0: ACCLMT_MUTANT has the number.

#include <cstdio>
#include <cstdlib>

namespace {

unsigned read_number() {
  const char *text = std::getenv("ACCLMT_MUTANT");
  if (text == nullptr) return 0;
  char *end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  if (end == text || *end != '\0' || number > 0xffff) {
    std::fprintf(stderr, "error: ACCLMT_MUTANT is '%s', not a number from 0 to 65535\n", text);
    std::_Exit(EXIT_FAILURE);
  }
  return static_cast<unsigned>(number);
}

}  // namespace

extern "C" unsigned acclmt_mutant() {
  static const unsigned number = read_number();
  return number;
}
