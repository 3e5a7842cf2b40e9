#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/cli/commands.hpp"
#include "experiments/study/shipped_files.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr int not_started = 127;

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

/// A Python that has what the package needs. Debian's first: another python3 may come first on the PATH and
/// know nothing of h5py. Throws Error where there is none.
std::string python_with_packages() {
  constexpr auto all_found =
      "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('h5py', 'matplotlib', 'xarray'))))";
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (run_program({python, "-c", all_found}) == 0) return python;
  throw Error(
      "no Python with h5py, matplotlib and xarray, which draw the page (tried /usr/bin/python3 and python3). "
      "Install them: apt-get install python3-h5py python3-matplotlib python3-xarray");
}

/// Not an option, whatever it begins with.
std::string as_path(const std::string& word) { return word.starts_with('-') ? "./" + word : word; }

}  // namespace

int report_command(const ReportArguments& a) {
  const fs::path package = shipped_folder("python");
  std::error_code none;
  validate(fs::is_directory(package / "optinc_results", none),
           "no package optinc_results (looked in {}). Install OptINC whole: cmake --install build/release "
           "--prefix DIR.",
           package.string());
  const char* before = std::getenv("PYTHONPATH");
  const std::string path =
      before && *before ? fmt::format("{}:{}", package.string(), before) : package.string();
  validate(::setenv("PYTHONPATH", path.c_str(), 1) == 0, "no memory for PYTHONPATH. Close other programs.");
  std::vector<std::string> words = {python_with_packages(), "-m", "optinc_results", "report", as_path(a.file)};
  if (!a.output.empty()) words.insert(words.end(), {"-o", as_path(a.output)});
  if (a.force) words.push_back("--force");
  return run_program(words);
}

}  // namespace optinc
