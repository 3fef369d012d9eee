// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>

thread_local std::string *acclmt_messages = nullptr;
std::mutex acclmt_construction;

extern "C" int acclmt_print(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  // A fault repeats itself every cycle; its first messages say it all.
  constexpr std::size_t limit = 4096;
  if (acclmt_messages == nullptr) {
    std::fputs(text, stderr);
  } else if (acclmt_messages->size() < limit) {
    acclmt_messages->append(text);
  }
  return length;
}
