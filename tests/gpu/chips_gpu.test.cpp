// Whole chips on a GPU against those of the processor, which tests/onn hold.

#include "onn/gpu/chips_gpu.hpp"

#include "onn/network/carry_chain.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;

namespace {

constexpr std::uint64_t seed = 3;
constexpr std::uint32_t first_chip = 6;

/// Little light and a noisy laser.
UnitHardware dim_hardware() {
  UnitHardware hardware;
  hardware.link.signal_full_scale_w = 2e-6;
  hardware.receiver.lo_power_w = 1e-4;
  hardware.laser.rin_db_per_hz = -120.0;
  return hardware;
}

ErrorModel every_error() {
  ErrorModel model = error_preset("doped-heaters");
  model.sigma_eta_rad = 0.1;  // some MZIs cannot make up for it
  model.sigma_phase_rad = 0.003;
  model.rho_ab = 0.3;
  return model;
}

ResponseTable on_processor(const ChipDesign& design, const ErrorModel& model, Programming programming,
                           const UnitHardware& hardware, const NoiseSwitches& noise, std::uint32_t number) {
  const ChipState chip = programmed_chip(design, fabricate(design, model, seed, number), model, programming);
  return tabulate_chip({design, chip, hardware, noise}, {seed, number});
}

Codes codes_for(const Task& task, Eigen::Index words) {
  Stream stream(11, Purpose::test);
  Codes codes(words, task.servers);
  for (auto& code : codes.reshaped()) code = stream.below(1u << (2 * task.input_digits()));
  return codes;
}

/// Layers stacked and side by side, of one block and of several.
std::vector<Network> networks() {
  Task two_servers = {2, 2};
  two_servers.rounding = Rounding::half_up;
  std::vector<Network> all = {random_network({4, 3}, {12, 24, 12}, 5), random_network({3, 2}, {8, 8}, 6),
                              random_full_svd({4, 2}, {8, 8}, {1, 3}), carry_chain(two_servers)};
  for (std::size_t i = 0; i < 3; ++i) {  // outputs between the digits
    for (auto& sigma : all[i].layers.back().sigma) sigma *= 0.3;
    all[i].layers.back().bias.setConstant(1.3);
  }
  return all;
}

template <class A, class B>
double largest_difference(const A& a, const B& b) {
  REQUIRE(a.size() == b.size());
  return (a.template cast<double>() - b.template cast<double>()).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("whole chips on a GPU are tabulated as on the processor") {
  // outputs to the rounding of the float that tables keep; noise as far as float carries it. A block in the
  // wrong place, a phase carried to the wrong port or a normal of another word shows in all of them
  const NoiseSwitches all = {.shot = true, .tia = true, .rin = true};
  NoiseSwitches last = all, amplifier = {.tia = true};
  last.last_only = true;
  std::size_t noisy_words = 0;
  for (const Network& network : networks()) {
    const ChipDesign design = design_chip(network);
    for (const Programming programming : {Programming::uncorrected, Programming::corrected})
      for (NoiseSwitches noise : {NoiseSwitches{}, all, last, amplifier}) {
        UnitHardware hardware = dim_hardware();
        hardware.link.signed_levels = programming == Programming::corrected;
        noise.converter = programming == Programming::corrected;
        const ErrorModel model = every_error();
        CAPTURE(network.layers.size(), static_cast<int>(programming), noise.shot, noise.rin, noise.last_only);
        const ChipsGpu chips(design, model, programming, hardware, noise);
        const std::vector<TableGpu> tables = chips.tabulate(seed, first_chip, 3);
        REQUIRE(tables.size() == 3);
        for (std::uint32_t i = 0; i < 3; ++i) {
          const ResponseTable expected =
              on_processor(design, model, programming, hardware, noise, first_chip + i);
          const ResponseTable found = tables[i].download();
          REQUIRE(largest_difference(found.outputs, expected.outputs) < 2e-6);
          REQUIRE((found.decided.array() != expected.decided.array()).count() == 0);
          REQUIRE(found.noisy() == expected.noisy());
          REQUIRE(found.before_readout.size() == expected.before_readout.size());
          for (std::size_t d = 0; d < found.before_readout.size(); ++d) {
            REQUIRE(expected.before_readout[d].cwiseAbs().maxCoeff() > 1e-3);
            REQUIRE(largest_difference(found.before_readout[d], expected.before_readout[d]) < 1e-4);
          }
          // a word whose noise reaches a threshold in one arithmetic alone has reach 0 there
          const auto reached = (found.reach - expected.reach).cwiseAbs().array() > 0.02f;
          REQUIRE(reached.count() <= found.reach.size() / 100);
          noisy_words += static_cast<std::size_t>((expected.moving.array() > 0).count());
          const Codes codes = codes_for(network.task, 5000);
          const TableSeed use = {seed, first_chip + i, 2, 4096};
          REQUIRE((tables[i].send(codes, use).array() != send_by_table(expected, codes, use).array()).count() <=
                  5);
        }
      }
  }
  CHECK(noisy_words > 1000);  // or noise was not tested
}

TEST_CASE("wrong words on a GPU are counted as one by one, however many chips there are") {
  const Network network = networks()[1];
  const ChipDesign design = design_chip(network);
  const NoiseSwitches noise = {.shot = true, .tia = true, .rin = true};
  const UnitHardware hardware = dim_hardware();
  const ChipsGpu chips(design, every_error(), Programming::corrected, hardware, noise);
  const Codes codes = codes_for(network.task, 4500);
  const CodeVector expected =
      send_by_table(tabulate_network(network), codes, {});  // what the network itself answers
  const TableSeed from = {seed, first_chip, 1, 0};
  const auto wrong = chips.wrong_words(codes, expected, from, 9000);
  REQUIRE(wrong.size() == 9000);
  for (const std::uint32_t i : {0u, 4095u, 4096u, 8999u}) {
    CAPTURE(i);
    const TableGpu table = std::move(chips.tabulate(seed, first_chip + i, 1).front());
    const TableSeed use = {seed, first_chip + i, 1, 0};
    const auto alone = static_cast<std::uint64_t>((table.send(codes, use).array() != expected.array()).count());
    CHECK(wrong[i] == alone);
    CHECK(wrong[i] > 0);
    CHECK(chips.wrong_words(codes, expected, use, 1).front() == alone);
  }
}

TEST_CASE("whole chips on a GPU refuse what they cannot compute") {
  const ChipDesign design = design_chip(networks()[1]);
  UnitHardware hardware;
  const auto made = [&] { return ChipsGpu(design, every_error(), Programming::corrected, hardware, {}); };
  hardware.link.sigma_limiter = 0.1;
  CHECK_THROWS_WITH(made(), ContainsSubstring("sigma_limiter"));
  hardware = {};
  hardware.modulator.linearised = false;
  CHECK_THROWS_WITH(made(), ContainsSubstring("linearised"));
  hardware = {};
  hardware.link.averaging = Averaging::incoherent;
  CHECK_THROWS_WITH(made(), ContainsSubstring("averaging"));
  hardware = {};
  hardware.link.sigma_combiner = 0.1;
  CHECK_THROWS_WITH(made(), ContainsSubstring("sigma_combiner"));
  hardware = {};
  const ChipsGpu chips = made();
  CHECK_THROWS_WITH(chips.tabulate(1, 0xffffffffu, 3), ContainsSubstring("chip"));
  const Codes codes = codes_for(design.task, 5);
  CHECK_THROWS_WITH(chips.wrong_words(codes, CodeVector(4), {}, 1), ContainsSubstring("5 words"));
  CHECK_THROWS_WITH(chips.wrong_words(codes_for({4, 2}, 5), CodeVector(5), {}, 1), ContainsSubstring("for 3"));
  CHECK(chips.wrong_words(codes, CodeVector(5), {}, 0).empty());
}
