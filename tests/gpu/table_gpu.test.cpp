// Response tables on a GPU against those of the processor, which tests/onn/link holds.

#include "onn/gpu/table_gpu.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;

namespace {

/// A table of a chip with errors: outputs between the digits, so that noise moves many words.
ResponseTable some_table(const Task& task, const NoiseSwitches& noise, bool converter) {
  Network network = random_network(task, {12, 12}, 5);
  for (auto& sigma : network.layers.back().sigma) sigma *= 0.3;
  network.layers.back().bias.setConstant(1.3);
  const ChipDesign design = design_chip(network);
  ErrorModel errors;
  errors.sigma_eta_rad = 0.05;
  const ChipState chip =
      programmed_chip(design, fabricate(design, errors, 3, 1), errors, Programming::uncorrected);
  NoiseSwitches acting = noise;
  acting.converter = converter;
  UnitHardware hardware;  // little light and a noisy laser
  hardware.link.signal_full_scale_w = 2e-6;
  hardware.receiver.lo_power_w = 1e-4;
  hardware.laser.rin_db_per_hz = -120.0;
  return tabulate_chip({design, chip, hardware, acting}, {1, 1});
}

Codes some_codes(const Task& task, Eigen::Index words) {
  Stream stream(11, Purpose::test);
  Codes codes(words, task.servers);
  for (auto& code : codes.reshaped()) code = stream.below(1u << (2 * task.input_digits()));
  return codes;
}

}  // namespace

TEST_CASE("a table on a GPU gives the answers of the processor, noise included") {
  const NoiseSwitches all = {.shot = true, .tia = true, .rin = true};
  NoiseSwitches last = all;
  last.last_only = true;
  Eigen::Index moved = 0;
  for (const Task& task : {Task{4, 3}, Task{3, 2}, Task{8, 2}})
    for (const NoiseSwitches& noise : {NoiseSwitches{}, all, last})
      for (const bool converter : {false, true}) {
        const ResponseTable table = some_table(task, noise, converter);
        const TableGpu gpu(table);
        CAPTURE(task.servers, table.noisy(), table.before_readout.size(), converter);
        for (const Eigen::Index words : {1, 4095, 4097, 100'001}) {
          const Codes codes = some_codes(task, words);
          const TableSeed seed = {7, 2, 5, 3 * 4096};
          const CodeVector expected = send_by_table(table, codes, seed), found = gpu.send(codes, seed);
          CAPTURE(words, (expected.array() != found.array()).count());
          REQUIRE((expected.array() == found.array()).all());
        }
        const Codes codes = some_codes(task, 20'000);
        moved += (gpu.send(codes, {7, 2, 5, 0}).array() != gpu.send(codes, {8, 2, 5, 0}).array()).count();
      }
  CHECK(moved > 1000);  // or nothing but look-ups was tested
}

TEST_CASE("a table on a GPU refuses what the processor refuses") {
  const ResponseTable table = some_table({3, 2}, {}, false);
  const TableGpu gpu(table);
  CHECK_THROWS_WITH(gpu.send(some_codes({4, 2}, 3), {1, 0, 0, 0}), ContainsSubstring("for 3"));
  CHECK_THROWS_WITH(gpu.send(some_codes({3, 2}, 3), {1, 0, 0, 5}), ContainsSubstring("multiple of 4096"));
  CHECK(gpu.send(some_codes({3, 2}, 0), {1, 0, 0, 0}).size() == 0);
}
