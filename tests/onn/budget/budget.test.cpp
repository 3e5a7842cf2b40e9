#include "onn/budget/budget.hpp"

#include <cmath>

#include "onn/chip/drift.hpp"
#include "onn/network/digit_sums.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/power_divider.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/hardware.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr Task task{4, 4};

/// The published shape with Haar-orthogonal blocks; designed once, for 4 blocks of 128 ports take a second.
const ChipDesign& published() {
  static const ChipDesign design = design_chip(random_network(task, {64, 128, 256, 128, 64}));
  return design;
}

ErrorModel with_loss(double mzi_loss_db) {
  ErrorModel model;
  model.mzi_loss_db = mzi_loss_db;
  return model;
}

/// Every block the identity: light entering at port i of the first layer leaves at port i of the last.
ChipDesign identity_chip(const std::vector<int>& hidden) {
  Network network = make_network(task, hidden);
  for (auto& layer : network.layers)
    for (auto& s : layer.sigma) s.setOnes();
  return design_chip(network);
}

}  // namespace

// integers and figures of arXiv 2603.28290 and by hand. Fails when attenuators are not counted as a column,
// when r is taken of a field instead of a power, or the box of an MZI is not its length times its width
TEST_CASE("budget: the published network has the published depth, fan loss, area and delay") {
  const ChipBudget b = budget(published(), with_loss(0.2), {});
  CHECK(b.mzis() == 41664);
  CHECK(b.columns() == 398);
  CHECK(b.conversions() == 5);
  CHECK_THAT(b.fan_db(), WithinAbs(36.1236, 1e-4));  // 10 log10 4096
  CHECK_THAT(b.loss_db.part("MZIs").total(), WithinAbs(79.6, 1e-9));
  const double boxes_m2 = b.area_m2.part("meshes").total() + b.area_m2.part("attenuators").total();
  CHECK_THAT(1e6 * boxes_m2, WithinAbs(416.64, 1e-9));
  CHECK_THAT(1e6 * b.area_m2.total(),
             WithinAbs(416.64 + 640 * 0.6, 1e-9));  // a receiver and a modulator a neuron
  CHECK(b.mesh_area_m2 > boxes_m2);
  CHECK(b.die_area_m2 > b.mesh_area_m2 + 640 * 0.6e-6);
  CHECK_THAT(1e9 * b.optical_delay_s, WithinAbs(1.12, 0.006));
  CHECK_THAT(b.symbols_in_mzis(), WithinAbs(56, 0.5));
  UnitHardware long_mzis;
  long_mzis.layout.mzi_length_m = 300e-6;
  CHECK_THAT(1e9 * budget(published(), with_loss(0.33), long_mzis).optical_delay_s, WithinAbs(1.67, 0.006));
  std::vector<int> columns, blocks;
  for (const BudgetStage& s : b.stages)
    if (s.columns > 0) {
      columns.push_back(s.columns);
      blocks.push_back(s.blocks);
    }
  CHECK(columns == std::vector<int>{5, 65, 129, 129, 65, 5});
  CHECK(blocks == std::vector<int>{16, 2, 2, 2, 2, 16});
}

// 41,664 MZIs of 20 mW at <phi> = pi and <theta> of orthogonal meshes: 0.92 kW (a mean
// of 1.119 P_pi an MZI). Fails when theta or the attenuators are left out of either sum
// (and when static phases are left out of what is counted)
TEST_CASE("budget: heater watts at the programmed phases and at mean phases") {
  UnitHardware metal_heaters;
  metal_heaters.heater = HeaterSettings("typical-metal-heater");
  const ChipBudget b = budget(published(), with_loss(0.2), metal_heaters);
  const auto heater = [&](std::string_view name) {
    for (const HeaterBudget& h : b.heaters)
      if (h.name == name) return h;
    return HeaterBudget{};
  };
  const HeaterBudget metal = heater("typical-metal-heater"), undercut = heater("typical-undercut-heater");
  CHECK(metal.pi_power_w == 20e-3);
  CHECK_THAT(metal.estimate_w, WithinRel(920.0, 0.02));
  CHECK(b.static_power_w.part("heaters").total() == Approx(metal.power_w).epsilon(1e-12));
  // Haar blocks: the estimate's mean phases, the output screens (896 shifters at pi) and the attenuators' own
  // phases
  CHECK_THAT(metal.power_w, WithinRel(metal.estimate_w + 896 * 20e-3, 0.03));
  CHECK_THAT(undercut.power_w, WithinRel(metal.power_w / 20, 1e-12));
  // static phases: pi for every one of 2 x 41,664 + 896 shifters, 1.684 kW
  CHECK_THAT(metal.trimmed_w, WithinRel((2 * 41664 + 896) * 20e-3, 1e-12));
  CHECK_THAT(b.static_power_w.part("static phases").total(), WithinRel(metal.trimmed_w - metal.power_w, 1e-9));
  CHECK_THAT(heater("harris-2014-heater").power_w, WithinRel(metal.power_w * 24.77 / 20, 1e-12));
  double sum = 0.0;  // by hand, from the program
  const ChipProgram heaters =
      program(published(), fabricate(published(), {}, 1, 0), 0, Programming::uncorrected);
  for (const auto& layer : heaters.layers)
    for (const BlockProgram& block : layer)
      for (const MeshProgram* mesh : {&block.mesh, &block.attenuators})
        for (const Vector* phases : {&mesh->theta, &mesh->phi, &mesh->output_phase})
          for (const double phase : *phases)
            sum += 20e-3 * (phase / constants::pi - 2 * std::floor(phase / (2 * constants::pi)));
  CHECK_THAT(metal.power_w, WithinRel(sum, 1e-9));
}

// Fails when a column, the attenuators' head-room or r is missing from the dB, or the loss of one arm is taken
// for that of both
TEST_CASE("budget: dB of every layer are those of light through single-path meshes to 1e-9") {
  const ChipDesign design = identity_chip({16, 16, 8});
  for (const double loss : {0.0, 0.2, 0.33}) {
    const ErrorModel model = with_loss(loss);
    const ChipState chip =
        programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
    const ChipBudget b = budget(design, model, {});
    for (std::size_t l = 0; l < design.layers.size(); ++l) {
      const std::size_t stage = 2 + l;
      const double db = b.loss_db.part("MZIs").by_stage[stage] + b.loss_db.part("attenuators").by_stage[stage] +
                        b.loss_db.part("fan-out, fan-in").by_stage[stage];
      for (int i = 0; i < 4; ++i)
        CHECK_THAT(-20 * std::log10(std::abs(chip.layers[l].transfer(i, i))), WithinAbs(db, 1e-9));
    }
  }
}

// the devices' own field factors one behind the other. Fails when any part is forgotten, or a stage of a tree
TEST_CASE("budget: dB from laser to server are those of the fields through every device to 1e-9") {
  const ChipDesign design = identity_chip({16, 8});
  const ErrorModel model = with_loss(0.2);
  const ChipState chip =
      programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
  UnitHardware s;
  s.modulator.insertion_loss_db = 4.5;
  s.splitter.stage_excess_loss_db = 0.21;
  const ChipBudget b = budget(design, model, s);

  const double lambda = s.laser.wavelength_m;
  const auto tree = [&](int ends) {
    SplitterTree t = s.splitter;
    t.outputs = ends;
    return splitter_tree_fields(t, std::vector<double>(static_cast<std::size_t>(ends - 1), 0.0))[0];
  };
  const auto db = [](double loss) { return field_ratio_of_loss_db(loss); };
  const double facet = db(1.5), fibre = db(0.2 * 0.01 + 2 * 0.3);
  // the seed goes to four servers and the chip, one of five ends of a tree of eight
  Complex field = std::sqrt(s.laser.power_w) * tree(8) * std::sqrt(8.0 / 5.0) * fibre * tree(4) *
                  mzm_field_factor(s.modulator, 4.0) * fibre * facet;
  const std::vector<Complex> servers(4, tree(4) * field);
  field = 0.0;
  for (const Complex& e : servers) field += e;  // a tree used backwards
  Waveguide guide = s.routing;
  guide.length_m = 5e-3 + 80e-6;
  for (std::size_t l = 0; l < 3; ++l) {
    const int r = static_cast<int>(design.layers[l].blocks.size());
    field *= chip.layers[l].transfer(0, 0) * waveguide_field(guide, lambda);
    field *= tree(r) * std::sqrt(static_cast<double>(r));  // its excess; 1/sqrt r is in the transfer
  }
  field *= tree(4) * facet * fibre;
  CHECK_THAT(b.passive_received_dbm, WithinAbs(dbm_of_watts(std::norm(field)), 1e-9));
  CHECK_THAT(b.loss_db.total(),
             WithinAbs(dbm_of_watts(s.laser.power_w) - dbm_of_watts(std::norm(field)), 1e-9));
  double by_stage = 0.0;
  for (std::size_t k = 0; k < b.stages.size(); ++k) by_stage += b.loss_db.total(k);
  CHECK_THAT(by_stage, WithinAbs(b.loss_db.total(), 1e-9));
}

// Fails when the received signal forgets the passive scale or the split of unit T, or the gain is not its
// inverse
TEST_CASE("budget: light on receivers and the gain that regenerates it") {
  const ChipDesign design = identity_chip({8, 8});
  const ErrorModel model = with_loss(0.2);
  const ChipState chip =
      programmed_chip(design, fabricate(design, model, 1, 0), model, Programming::uncorrected);
  const UnitHardware s = without_losses();
  const ChipBudget b = budget(design, model, s);
  // digit 3 of four servers enters with 4 mW; every layer hands 3 on as 3, at 100 uW
  const double received[] = {4e-3 * std::norm(chip.layers[0].transfer(0, 0)),
                             1e-4 * std::norm(chip.layers[1].transfer(0, 0)),
                             1e-4 * std::norm(chip.layers[2].transfer(0, 0)) / 4};
  // nominal_layer_factor scales by 1/passive_scale = 0.99, which is what the attenuators pass
  CHECK_THAT(b.stages[2].received_w, WithinRel(received[0], 1e-9));
  CHECK_THAT(b.stages[3].received_w, WithinRel(received[1], 1e-9));
  CHECK_THAT(b.stages[5].received_w, WithinRel(received[2], 1e-9));
  CHECK_THAT(b.stages[3].gain_db, WithinAbs(10 * std::log10(1e-4 / received[1]), 1e-9));
  CHECK(b.stages[4].received_w == 0.0);
  CHECK(b.stages[5].gain_db == 0.0);
  // i = 2 R sqrt(P_LO P); 16.9 pA/rtHz and shot noise in the noise bandwidth of 32 GHz; oscillator 1 mW at -150
  // dB/Hz behind 30 dB
  const double current = 2 * 0.9 * std::sqrt(1e-3 * received[1]);
  const double band = noise_bandwidth_hz(FrontEnd{});
  const double shot = 2 * 1.602176634e-19 * (0.9 * (1e-3 + received[1]) + 60e-9) * band;
  const double tia = std::pow(16.9e-12, 2) * band, rin = std::pow(0.9e-3, 2) * 1e-15 * band * 1e-3;
  CHECK_THAT(b.stages[3].snr_db, WithinAbs(10 * std::log10(current * current / (shot + tia + rin)), 1e-6));
}

// Fails when one kind of device is counted at the wrong stage
TEST_CASE("budget: watts by part, apart from those that grow with the symbol rate") {
  const ChipBudget b = budget(published(), with_loss(0.2), {});
  std::int64_t receivers = 0, modulators = 0;
  for (const BudgetStage& s : b.stages) {
    receivers += s.receivers;
    modulators += s.modulators;
  }
  CHECK(receivers == 640 + 16);
  CHECK(modulators == 640 + 16);
  CHECK_THAT(b.static_power_w.part("receivers").total(), WithinRel(656 * 47e-3, 1e-12));
  CHECK_THAT(b.symbol_power_w.part("modulator drivers").total(), WithinRel(656 * 1e-12 * 50e9, 1e-12));
  CHECK_THAT(b.symbol_power_w.part("converters").total(), WithinRel(16 * 100e-15 * 32 * 50e9, 1e-12));
  CHECK(b.receiver_bandwidth_hz == 32e9);
  UnitHardware faster;  // fails when a part that grows with the symbol rate counts as static
  faster.timing.symbol_rate_bd = 100e9;
  const ChipBudget f = budget(published(), with_loss(0.2), faster);
  CHECK(f.static_power_w.total() == b.static_power_w.total());
  CHECK_THAT(f.symbol_power_w.total(), WithinRel(2 * b.symbol_power_w.total(), 1e-12));
  CHECK_THAT(b.laser_optical_w, WithinRel(0.1 * b.static_power_w.part("lasers").total(), 1e-12));
  // 640 oscillators of 1 mW and 640 signals of 100 uW before 4 dB, through the seed's tree of 5 ends, one of 11
  // stages and a facet
  const double layers = 640 * (1e-3 + 1e-4 * std::pow(10, 0.4)) * std::pow(10, ((3 + 11) * 0.28 + 1.5) / 10);
  double lasers = 0.0;
  for (std::size_t k = 2; k < 8; ++k) lasers += b.static_power_w.part("lasers").by_stage[k];
  CHECK_THAT(lasers, WithinRel(10 * layers, 1e-12));
  BudgetSettings controlled;
  controlled.control_w_per_shifter = 1e-3;
  CHECK_THAT(budget(published(), with_loss(0.2), {}, controlled).static_power_w.part("control").total(),
             WithinRel(1e-3 * (2 * 41664 + 896), 1e-12));
}

// by hand. Fails when an owner's answers are left out, a link is locked, sums count as PAM4, or as many bits as
// their levels rounded down
TEST_CASE("budget: locks a lane of every server, serialisers a bit that is sent or received") {
  const BudgetSettings settings = {.lock_w = 5e-3, .serialiser_j_per_bit = 2e-13};
  UnitHardware u;
  const auto of = [&](const Network& network) {
    return budget(design_chip(network), ErrorModel{}, u, settings);
  };
  const double rate = u.timing.symbol_rate_bd;
  const ChipBudget unit = budget(published(), ErrorModel{}, u, settings);
  CHECK_THAT(unit.static_power_w.part("locks").total(), WithinRel(16 * 5e-3, 1e-12));
  CHECK_THAT(unit.symbol_power_w.part("serialisers").total(), WithinRel((16 + 16) * 2 * 2e-13 * rate, 1e-12));
  u.link.destinations = 1;
  const ChipBudget sums = of(digit_sums({.servers = 8, .digits = 4}));  // 25 levels: 5 bits
  CHECK_THAT(sums.static_power_w.part("locks").total(), WithinRel(32 * 5e-3, 1e-12));
  CHECK_THAT(sums.symbol_power_w.part("serialisers").total(),
             WithinRel((32 * 2 + 4 * 5 + 4 * 2 + 32 * 2) * 2e-13 * rate, 1e-12));
  const ChipBudget link = of(word_hops({.servers = 8, .digits = 4}, Adder::ring));
  CHECK(link.static_power_w.part("locks").total() == 0.0);
}

// by hand: 64 bits of eight servers enter in a symbol. Fails when what leaves a hub is added, too
TEST_CASE("budget: a hub adds every bit that enters it, once") {
  const UnitHardware u;
  const ChipBudget hub = budget(design_chip(word_hops({.servers = 8, .digits = 4}, Adder::hub)), ErrorModel{},
                                u, {.hub_j_per_bit = 5e-13});
  CHECK_THAT(hub.symbol_power_w.part("additions").total(),
             WithinRel((0.03e-12 / 8 + 5e-13) * 64 * u.timing.symbol_rate_bd, 1e-12));
}

// by hand, beside the coherent budget of the same unit. Fails when receivers or modulators of unit P are left
// out of a table, its photodiodes get local oscillators, servers' own lasers are fed by the seed or light the
// oscillators of unit T, or light loses 1/N in unit P
TEST_CASE("budget: averaging without a common phase takes a conversion more and no seed to the servers") {
  UnitHardware u;
  const ChipBudget coherent = budget(published(), with_loss(0.2), u);
  u.link.averaging = Averaging::incoherent;
  const ChipBudget b = budget(published(), with_loss(0.2), u);
  const auto more = [&](const BudgetTable ChipBudget::*table, const char* part, std::size_t stage) {
    return (b.*table).part(part).by_stage[stage] - (coherent.*table).part(part).by_stage[stage];
  };
  constexpr std::size_t servers = 0, unit_p = 1, first = 2, unit_t = 8;
  CHECK(coherent.conversions() == 5);
  CHECK(b.conversions() == 6);
  CHECK(b.answers.front().conversions == 6);
  CHECK(b.stages[unit_p].receivers == 4);
  CHECK(b.stages[unit_p].modulators == 4);  // every lane is read once
  CHECK_THAT(more(&ChipBudget::static_power_w, "receivers", unit_p), WithinRel(4 * 47e-3, 1e-12));
  CHECK_THAT(more(&ChipBudget::symbol_power_w, "modulator drivers", unit_p),
             WithinRel(4 * 1e-12 * 50e9, 1e-12));
  CHECK_THAT(more(&ChipBudget::area_m2, "receivers", unit_p), WithinRel(4 * 0.1e-6, 1e-12));
  CHECK_THAT(more(&ChipBudget::area_m2, "modulators", unit_p), WithinRel(4 * 0.5e-6, 1e-12));
  CHECK_THAT(b.die_heat_w - coherent.die_heat_w, WithinAbs(4 * (47e-3 + 50e-3), 1e-9));
  for (const char* part : {"receivers", "modulators"})
    CHECK(more(&ChipBudget::delay_s, part, unit_p) == coherent.delay_s.part(part).by_stage[first]);
  // 16 modulators behind a tree of two stages; fibre, facet. Of the seed's tree of three stages and its fibre
  // nothing
  const double own = 16e-3 * std::pow(10, (4 + 2 * 0.28 + 0.602 + 1.5) / 10);
  CHECK_THAT(b.static_power_w.part("lasers").by_stage[servers], WithinRel(10 * own, 1e-12));
  CHECK(more(&ChipBudget::static_power_w, "lasers", unit_t) == 0.0);
  // 100 uW before 4 dB, through trees of three and eleven stages and a facet; no oscillators
  const double fresh = 4 * 1e-4 * std::pow(10, (4 + 14 * 0.28 + 1.5) / 10);
  CHECK_THAT(b.static_power_w.part("lasers").by_stage[unit_p], WithinRel(10 * fresh, 1e-12));
  CHECK_THAT(coherent.loss_db.total() - b.loss_db.total(),
             WithinAbs(10 * std::log10(5) + 3 * 0.28 + 0.602, 1e-9));
  const double received = 4e-3 * std::pow(10, -2 * 0.028), band = noise_bandwidth_hz(u.receiver.front_end);
  CHECK_THAT(b.stages[unit_p].received_w, WithinRel(received, 1e-12));
  CHECK_THAT(b.stages[unit_p].gain_db, WithinAbs(10 * std::log10(1e-4 / received), 1e-9));
  const double shot = 2 * 1.602176634e-19 * (0.9 * received + 30e-9), tia = std::pow(16.9e-12, 2);
  const double rin = 4 * std::pow(0.9 * received / 4, 2) * 1e-15;
  CHECK_THAT(b.stages[unit_p].snr_db,
             WithinAbs(10 * std::log10(std::pow(0.9 * received, 2) / ((shot + tia + rin) * band)), 1e-9));
  CHECK(coherent.stages[unit_p].received_w == 0.0);
}

// beside units all of whose receivers are so. Fails when a neuron's signal, oscillator, delay or bound is that
// of a server, or a server's that of a neuron
TEST_CASE("budget: receivers of neurons are their own") {
  UnitHardware plain, all, neurons;
  plain.timing.sampling = all.timing.sampling = neurons.timing.sampling = Sampling::clocked;
  all.receiver.lo_power_w = neurons.neuron.oscillator_w = 3e-3;
  all.receiver.front_end.bandwidth_hz = neurons.neuron.bandwidth_hz = 23e9;
  all.timing.equaliser_taps = neurons.neuron.equaliser_taps = 5;
  const auto of = [](const UnitHardware& u) { return budget(published(), with_loss(0.2), u); };
  const ChipBudget servers = of(plain), every = of(all), own = of(neurons);
  const std::size_t unit_t = own.stages.size() - 1;
  for (std::size_t k = 2; k <= unit_t; ++k) {
    const ChipBudget& as = k == unit_t ? servers : every;
    CHECK(own.stages[k].snr_db == as.stages[k].snr_db);
    for (const auto table : {&ChipBudget::static_power_w, &ChipBudget::delay_s})
      CHECK((own.*table).total(k) == (as.*table).total(k));
  }
  CHECK(own.symbol_rate_limit_bd == std::min(servers.symbol_rate_limit_bd, every.symbol_rate_limit_bd));
  CHECK(every.stages[2].snr_db != servers.stages[2].snr_db);
}

TEST_CASE("budget: what cannot be is refused") {
  const ChipDesign design = identity_chip({8});
  check_message(refusal([] { HeaterSettings("typical-metal"); }),
                {"unknown heater \"typical-metal\"", "Did you mean \"typical-metal-heater\"?"});
  UnitHardware s;
  s.laser.wall_plug_efficiency = 1.5;
  check_message(refusal([&] { budget(design, {}, s); }), {"wall_plug_efficiency = 1.5", "at most 1"});
  check_message(refusal([&] { budget(design, ChipProgram{}, {}, UnitHardware{}, {}); }),
                {"a program of 0 layers for a design of 2", "Program this design."});
  check_message(refusal([&] { budget(design, {}, {}).loss_db.part("MZI"); }), {"Did you mean \"MZIs\"?"});
}

// Fails when clocks count for settled receivers or not for servers', when a sample waits for less than its
// symbol, or the bound knows no equaliser
TEST_CASE("budget: clocked receivers take power and symbols, and equalisers carry them further") {
  const ChipBudget settled = budget(published(), with_loss(0.2), {});
  CHECK(settled.symbol_power_w.part("clocks and equalisers").total() == 0.0);
  UnitHardware u;
  u.timing = {.sampling = Sampling::clocked, .symbol_rate_bd = 40e9, .equaliser_taps = 1};
  const ChipBudget plain = budget(published(), with_loss(0.2), u);
  CHECK_THAT(plain.symbol_power_w.part("clocks and equalisers").total(),
             WithinRel(656 * 0.9e-12 * 40e9, 1e-12));
  u.timing.clocked_receiver_j = 0;
  // clocks of the chip's own 640 receivers; 16 are servers'
  CHECK_THAT(plain.die_heat_w - budget(published(), with_loss(0.2), u).die_heat_w,
             WithinRel(640 * 0.9e-12 * 40e9, 1e-9));
  u.timing.clocked_receiver_j = 0.9e-12;
  const double symbol_s = 1 / 40e9, stages = 6;
  const double later_s = plain.delay_s.total() - settled.delay_s.total();
  CHECK(later_s > 0);
  CHECK(later_s < stages * symbol_s);
  u.timing.equaliser_taps = 3;
  const ChipBudget equalised = budget(published(), with_loss(0.2), u);
  // three taps read one sample ahead
  CHECK(equalised.delay_s.total() - plain.delay_s.total() > 0.5 * stages * symbol_s);
  CHECK(equalised.symbol_rate_limit_bd > 1.2 * plain.symbol_rate_limit_bd);
}
