// Writes a file with everything the store can write to argv[1]; store_opens_in_python.py reads it back.

#include <cmath>
#include <cstdio>
#include <numeric>

#include "experiments/engine/store/atomic_file.hpp"
#include "experiments/engine/store/network_file.hpp"
#include "experiments/engine/store/provenance.hpp"

using namespace optinc;

namespace {

template <class T>
std::vector<T> ramp(std::size_t size) {
  std::vector<T> values(size);
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

void write_chips(const Group& chips) {
  chips.dimension("level", std::vector<double>{0.005, 0.01}, "rad", "splitter error");
  chips.dimension("variant", std::vector<std::string>{"uncorrected", "corrected \xC3\xA9"}, "1", "correction");
  chips.counting_dimension("chip", 300, "chip drawn");
  auto accuracy = ramp<double>(2 * 2 * 300);
  accuracy[1] = std::nan("");
  chips.dataset("word_accuracy", {"level", "variant", "chip"}, accuracy, "1", "share of words decided right");
  chips.dataset("loss", {"level"}, std::vector<double>{1.5, 2.5}, "dB", "mean loss");
  chips.dataset("single", {"chip"}, ramp<float>(300), "1", "float32");
  chips.dataset("small", {"chip"}, ramp<std::int32_t>(300), "1", "int32");
  chips.dataset("large", {"chip"}, ramp<std::int64_t>(300), "1", "int64");
  chips.dataset("flag", {"chip"}, std::vector<std::uint8_t>(300, 1), "1", "uint8");
  chips.dataset("words", {"chip"}, ramp<std::uint32_t>(300), "1", "uint32");
  chips.dataset("name", {"variant"}, std::vector<std::string>{"a", ""}, "1", "strings");
  chips.dataset("power", {}, std::vector<double>{0.25}, "W", "a scalar");
  // more users of one axis than fit the compact attribute form
  for (int i = 0; i < 12; ++i)
    chips.dataset("extra" + std::to_string(i), {"level", "chip"}, ramp<double>(600), "1", "more of the same");
  chips.group("deep/down").dataset("below", {"chip"}, ramp<double>(300), "1", "over an axis of a group above");
  write_section(chips.group("settings").attributes(), {}, "chip");
  write_section(chips.group("settings").attributes(), {}, "measure");
  chips.attributes().set("levels", std::vector<double>{0.005, 0.01});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    AtomicFile out(argv[1]);
    write_provenance(out.file(), {}, "A sample", "write_sample");
    write_chips(out.file().group("chips"));
    save_network(out.file().group("network"), make_network(Task{}, std::vector<int>{8, 8}));
    out.commit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
