// TARGET FOLDER: every file of a folder through a target, without libFuzzer. Ends as the first finding ends it,
// the name of its file on stdout.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "tests/support/files.hpp"

int main(int argc, char** argv) {
  using namespace optinc;
  namespace fs = std::filesystem;
  if (argc != 3) return 2;
  const auto* target = std::find_if(std::begin(fuzz::targets), std::end(fuzz::targets),
                                    [&](const fuzz::Target& t) { return t.name == argv[1]; });
  if (target == std::end(fuzz::targets)) {
    std::fprintf(stderr, "no target %s\n", argv[1]);
    return 2;
  }
  std::vector<fs::path> inputs;
  for (const auto& entry : fs::directory_iterator(argv[2])) inputs.push_back(entry.path());
  std::sort(inputs.begin(), inputs.end());
  for (const fs::path& input : inputs) {
    std::printf("%s\n", input.c_str());
    std::fflush(stdout);
    const std::string bytes = bytes_of(input);
    target->run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  std::printf("%zu inputs\n", inputs.size());
  return inputs.empty() ? 1 : 0;
}
