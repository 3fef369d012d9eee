// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// What a build with coverage has counted, written as Verilator writes it when the process ends: into a new file of the
// folder that ACCLMT_COVERAGE names.

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

thread_local bool acclmt_changes_count = true;

namespace {

// All models of the process. Several classes may have the same module: their counts have the same name.
class Coverage {
 public:
  // The texts are those of the program: a point is known by where its comment is.
  void add(const std::atomic<uint32_t> *count, const char *file, int line, int column, const char *page,
           const char *comment) {
    std::lock_guard<std::mutex> lock{mutex_};
    const auto [point, is_new] = points_.try_emplace({count, page, comment, line, column});
    if (!is_new) return;
    point->second = item("f", file) + item("l", std::to_string(line)) + item("n", std::to_string(column)) +
                    item("page", page) + item("o", comment);
  }

  ~Coverage() {
    const char *folder = std::getenv("ACCLMT_COVERAGE");
    if (folder == nullptr || points_.empty()) return;
    std::map<std::string, uint64_t> sums;
    for (const auto &[point, name] : points_) sums[name] += *std::get<0>(point);
    const std::string path = std::string{folder} + "/" + std::to_string(getpid()) + ".dat";
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
      std::fprintf(stderr, "error: the coverage was not written to %s\n", path.c_str());
      std::_Exit(EXIT_FAILURE);
    }
    std::fputs("# SystemC::Coverage-3\n", file);
    for (const auto &[name, sum] : sums) {
      std::fprintf(file, "C '%s' %llu\n", name.c_str(), static_cast<unsigned long long>(sum));
    }
    if (std::fclose(file) != 0) {
      std::fprintf(stderr, "error: the coverage was not written to %s\n", path.c_str());
      std::_Exit(EXIT_FAILURE);
    }
  }

 private:
  using Point = std::tuple<const std::atomic<uint32_t> *, const char *, const char *, int, int>;

  static std::string item(const char *key, const std::string &value) {
    return "\1" + std::string{key} + "\2" + value;
  }

  std::mutex mutex_;
  std::map<Point, std::string> points_;
};

Coverage &coverage() {
  static Coverage instance;
  return instance;
}

}  // namespace

extern "C" void acclmt_cover(const std::atomic<uint32_t> *count, const char *file, int line, int column,
                             const char *page, const char *comment) {
  coverage().add(count, file, line, column, page, comment);
}
