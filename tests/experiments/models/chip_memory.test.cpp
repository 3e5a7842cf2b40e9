#include "experiments/models/chip_memory.hpp"

#include "experiments/run/trials/memory.hpp"
#include "experiments/study/study_model.hpp"
#include "onn/chip/crosstalk.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;
using Catch::Matchers::WithinRel;

// mutation: one matrix of three is left out, or the reach is not 8 d0
TEST_CASE("the matrices of crosstalk take what is counted, at least and not twice as much") {
  for (const double d0_m : {20e-6, 50e-6}) {
    StudyConfig config = parse("[network]\nhidden = [32, 32]\n[crosstalk]\nx0 = 0.05\n");
    config.crosstalk.d0_m = d0_m;
    config.crosstalk.known = 0.9;
    const ChipDesign design = design_chip(random_network(config.task, config.network.hidden));
    double bytes = 0.0, largest = 0.0;
    const ChipCrosstalk crosstalk = chip_crosstalk(design, config.crosstalk, config.hardware);
    for (const auto* layers : {&crosstalk.meshes, &crosstalk.attenuators})
      for (const auto& mesh : *layers) {
        const auto entries = static_cast<double>(mesh->real.resistance_k_per_w.nonZeros());
        bytes += 12 * (2 * entries + static_cast<double>(mesh->arms_rad_per_w.nonZeros()));
        largest = std::max(largest, 44 * entries);
      }
    INFO(d0_m << " " << bytes + largest << " " << crosstalk_memory_bytes(config));
    CHECK(crosstalk_memory_bytes(config) >= bytes + largest);
    CHECK(crosstalk_memory_bytes(config) <= 2 * (bytes + largest));
    config.crosstalk.x0 = 0.0;
    CHECK(crosstalk_memory_bytes(config) == 0.0);
  }
}

// mutation: a thread too few, the words of the task left out, or the swept crosstalk not looked at
TEST_CASE("chips and meshes are counted by thread") {
  const std::string small = "[network]\nhidden = [8, 16, 8]\n";
  // 26 complex matrices of 64 ports on each of two threads
  CHECK(trial_memory_bytes(parse("model = 'mesh'\n[mesh]\nports = 64\n"), 2) == 2 * 26 * 16.0 * 64 * 64);
  const StudyConfig plain = parse(small);
  CHECK(trial_memory_bytes(plain, 2) == chip_memory_bytes(plain, 2));
  const double one = chip_memory_bytes(plain, 1), two = chip_memory_bytes(plain, 2), more = two - one;
  // layers 4-8-16-8-4, 184 MZIs, 320 weights: 45 numbers an MZI, 28,561 words of 4 digits with their targets,
  // and gradients and moments of all weights beside those of every thread
  CHECK_THAT(one - more, WithinRel(12e6 + 8.0 * (45 * 184 + 2 * 4 * 28561 + 4 * 320), 1e-9));
  CHECK_THAT(chip_memory_bytes(plain, 8), WithinRel(one + 7 * more, 1e-12));
  // drawn words beyond the default of 4096, 4 codes and 4 x 4 digits each
  CHECK_THAT(chip_memory_bytes(parse(small + "[measure]\nwords = 1028561\n"), 1) - one,
             WithinRel((1028561.0 - 4096) * 8 * (4 + 16), 1e-9));
  const StudyConfig swept = parse(small + "[[sweep]]\nvalues = {'crosstalk.x0' = [0.0, 0.05]}\n");
  StudyConfig there = plain;
  there.crosstalk.x0 = 0.05;
  CHECK_THAT(chip_memory_bytes(swept, 1) - one, WithinRel(crosstalk_memory_bytes(there), 1e-9));
  StudyConfig threads = plain;
  threads.run.threads = 3;
  CHECK(peak_memory_bytes(threads, 1) > chip_memory_bytes(plain, 3));
}
