#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/base/shipped_files.hpp"
#include "experiments/cli/commands.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr int not_started = 127, lacks_packages = 69;  // 69: results_command.py says so

/// Exit status of a program once it has ended, 128 and the signal's number where one ended it, 127 where it
/// could not be started. It reads and writes where this one does.
int run_program(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return not_started;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return not_started;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Not an option, whatever it begins with.
std::string as_path(const std::string& word) { return word.starts_with('-') ? "./" + word : word; }

}  // namespace

int report_command(const ReportArguments& a) {
  const fs::path launcher = shipped_folder("python/src") / "results_command.py";
  std::error_code none;
  validate(
      fs::is_regular_file(launcher, none),
      "no Python package optinc.results (looked for {}). Install OptINC whole: cmake --install build/release "
      "--prefix DIR.",
      launcher.string());
  std::vector<std::string> words = {"", "-E", launcher.string(), "report", as_path(a.file)};
  if (!a.output.empty()) words.insert(words.end(), {"-o", as_path(a.output)});
  if (a.force) words.push_back("--force");
  // the active environment's Python first; one that lacks a package says so
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    words[0] = python;
    const int status = run_program(words);
    if (status != not_started && status != lacks_packages) return status;
  }
  throw Error(
      "no Python with h5py, matplotlib, scipy and xarray, which draw the page (tried python3 and "
      "/usr/bin/python3). "
      "Install them: apt-get install python3-h5py python3-matplotlib python3-scipy python3-xarray");
}

}  // namespace optinc
