#include "tests/onn/link/reference_contract.hpp"

#include "onn/link/oscillators.hpp"
#include "onn/network/carry_chain.hpp"
#include "onn/network/digit_sums.hpp"
#include "physics/core/units.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/reference_mesh.hpp"

#include "tests/support/networks.hpp"

namespace optinc {
namespace {

constexpr double quarter_mw = 0.25e-3, four_mw = 4e-3;

/// Hidden layers with ceilings that many words reach, and an offset.
Network with_ceilings(Network network) {
  for (SigmaULayer& layer : network.layers)
    if (layer.ending == LayerEnd::receivers) layer.ceiling = 0.8, layer.offset = -0.3;
  return network;
}

/// Puts MZIs of another kind into all meshes, corrected for their splitters. Attenuators stay.
void replace_mzis(Built& b, const ChipProgram& program, const ChipErrors& errors, const Unit& u) {
  for (std::size_t l = 0; l < b.design.layers.size(); ++l) {
    const LayerDesign& layer = b.design.layers[l];
    LayerState& state = b.state.layers[l];
    for (std::size_t k = 0; k < layer.blocks.size(); ++k) {
      const MeshTopology& t = layer.blocks[k].mesh;
      MeshVariantErrors e = no_variant_errors(t);
      e.mzis = errors.layers[l][k].mesh;
      if (has_third_splitter(u.kind)) e.gamma = e.mzis.alpha.reverse();
      const MeshProgram phases =
          program_blocks(t, u.kind, program.layers[l][k].mesh, {e.mzis.alpha, e.mzis.beta, e.gamma}).program;
      const MeshBlocks blocks = mesh_blocks(t, u.kind, phases, e);
      state.blocks[k].mesh.settle(blocks);
      const Matrix mesh = reference_transfer_matrix(t, blocks);
      const Eigen::Index n = t.ports, at = static_cast<Eigen::Index>(k) * n;
      for (Eigen::Index i = 0; i < layer.blocks[k].attenuation.size(); ++i)
        b.reference.transfer[l].block(layer.tall() ? at + i : i, layer.tall() ? 0 : at, 1, n) =
            layer.fan_field_factor() * state.blocks[k].attenuators[i] * mesh.row(i);
    }
    state.transfer =
        propagate_layer(layer, state, FieldBatch(Matrix::Identity(layer.inputs, layer.inputs))).complex();
  }
}

void use_triangles(ChipDesign& design) {
  for (LayerDesign& layer : design.layers)
    for (BlockDesign& block : layer.blocks) {
      if (layer.wiring == Wiring::sum) continue;
      const Matrix u = reference_transfer_matrix(block.mesh, block.mesh_program, no_errors(block.mesh));
      block.mesh = reck_topology(block.mesh.ports);
      block.engine = MeshEngine<double>(block.mesh);
      block.mesh_program = decompose_reck(u);
    }
}

/// Difference of the means of independent samples, in standard errors; in 1e-10 digit where nothing is random.
double apart(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
  const double n = static_cast<double>(a.size());
  const double variance = (a - a.mean()).square().sum() + (b - b.mean()).square().sum();
  return std::abs(a.mean() - b.mean()) / std::max(std::sqrt(variance) / n, 1e-10);
}

}  // namespace

void without_common_phase(Unit& u) {
  u.hardware.link.averaging = Averaging::incoherent;
  u.hardware.link.signed_levels = false;
  u.hardware.link.launch_power_w = 4e-5;
}

const std::vector<Switch>& switches() {
  static const std::vector<Switch> all = {
      {"splitters", [](Unit& u) { u.model.sigma_eta_rad = 0.05; }},
      {"drives of half depth", [](Unit& u) { u.hardware.link.drive_depth = 0.5; }},
      {"two destinations", [](Unit& u) { u.hardware.link.destinations = 2, u.server = 1; }},
      {"sums decided by the unit",
       [](Unit& u) { u.hardware.link.destinations = 1, u.hardware.owner.place = OwnerPlace::unit; }},
      {"neurons with oscillators of their own", [](Unit& u) { u.hardware.neuron.oscillator_w = 3e-3; }},
      {"splitters, correlated", [](Unit& u) { u.model.sigma_eta_rad = 0.05, u.model.rho_ab = 0.5; }},
      {"splitters, corrected",
       [](Unit& u) { u.model.sigma_eta_rad = 0.05, u.programming = Programming::corrected; }},
      {"splitters, corrected by estimates",
       [](Unit& u) {
         u.model.sigma_eta_rad = 0.05, u.programming = Programming::corrected;
         u.calibration = {.policy = CalibrationPolicy::noisy, .sigma_estimate_rad = 0.02};
       }},
      {"phases left by calibration",
       [](Unit& u) { u.model.sigma_cal_rad = 0.05, u.calibration.policy = CalibrationPolicy::noisy; }},
      {"phases left by a third calibration",
       [](Unit& u) {
         u.model.sigma_cal_rad = 0.05, u.calibration.policy = CalibrationPolicy::noisy, u.recalibrations = 2;
       }},
      {"phases never calibrated", [](Unit& u) { u.calibration.policy = CalibrationPolicy::none; }},
      {"phases fitted in situ",
       [](Unit& u) {
         u.model.sigma_eta_rad = 0.05, u.model.sigma_cal_rad = 0.05;
         u.calibration = {.policy = CalibrationPolicy::in_situ, .in_situ_steps = 3};
       }},
      {"phases fitted to a twin",
       [](Unit& u) {
         u.model.mzi_loss_db = 0.3, u.model.arm_loss_spread_db = 0.2;
         u.calibration = {.policy = CalibrationPolicy::twin, .sigma_loss_estimate_db = 0.05, .twin_steps = 5};
       }},
      {"phase noise", [](Unit& u) { u.model.sigma_phase_rad = 0.02; }},
      {"loss", [](Unit& u) { u.model.mzi_loss_db = 0.5; }},
      {"loss spread", [](Unit& u) { u.model.mzi_loss_db = 0.3, u.model.arm_loss_spread_db = 0.2; }},
      {"losses measured of every mesh", [](Unit& u) { u.losses_measured = true; }},
      {"DAC of phases", [](Unit& u) { u.model.dac_bits = 6; }},
      {"DAC of voltages", [](Unit& u) { u.model.dac_bits = 6, u.model.dac_voltage = true; }},
      {"temperature on unequal arms",
       [](Unit& u) { u.sensitivity.imbalance_m = 2e-5, u.change.temperature_k = 3; }},
      {"temperature of the heaters",
       [](Unit& u) {
         u.sensitivity = {0.0, -2e-3, 0.0}, u.change.temperature_k = 5;
       }},
      {"wavelength on unequal arms",
       [](Unit& u) {
         u.sensitivity = {2e-5, 0.0, 0.0}, u.change.wavelength_m = 50e-12;
       }},
      {"wavelength on splitters",
       [](Unit& u) {
         u.sensitivity = {0.0, 0.0, 4e6}, u.change.wavelength_m = 5e-9;
       }},
      {"crosstalk", [](Unit& u) { u.crosstalk.x0 = 0.05; }},
      {"crosstalk, mostly known", [](Unit& u) { u.crosstalk.x0 = 0.05, u.crosstalk.known = 0.8; }},
      {"combiner weights", [](Unit& u) { u.hardware.link.sigma_combiner = 0.05; }},
      {"a fibre that is cut", [](Unit& u) { u.hardware.link.cut_servers = 1; }},
      {"modulator leak",
       [](Unit& u) {
         u.overdrive = 0.99;  // at full scale the leak's slope is infinite, and rounding counts as its root
         u.hardware.modulator.leak = 0.04, u.model.sigma_eta_rad = 0.05;
       }},
      {"modulators overdriven",
       [](Unit& u) { u.overdrive = 1.5, u.hardware.modulator.leak = 0.04, u.model.sigma_eta_rad = 0.05; }},
      {"modulators that follow their sine",
       [](Unit& u) { u.hardware.modulator.linearised = false, u.model.sigma_eta_rad = 0.05; }},
      {"losses of splitters, waveguides, couplers and fibres",
       [](Unit& u) {
         u.hardware.splitter.stage_excess_loss_db = 0.7, u.hardware.routing.loss_db_per_cm = 3.0;
         u.hardware.coupler.loss_db = 2.5, u.hardware.fibre.length_m = 300.0, u.hardware.fibre.connectors = 5;
       }},
      {"digits that wait in delay lines",
       [](Unit& u) {
         u.overdrive = 0.99;
         u.hardware.link.skew = Skew::delay_lines, u.hardware.modulator.leak = 0.04,
         u.model.sigma_eta_rad = 0.05;
       }},
      {"unequal limiters", [](Unit& u) { u.hardware.link.sigma_limiter = 0.1; }},
      {"oscillators off phase", [](Unit& u) { u.hardware.link.sigma_oscillator_rad = 0.1; }},
      {"oscillators past the meshes in another environment",
       [](Unit& u) {
         u.overdrive = 0.99;
         u.sensitivity = {0.0, 0.0, 0.0}, u.change = {0.1, 5e-12},
         u.hardware.link.oscillators = Oscillators::direct, u.model.sigma_eta_rad = 0.05;
       }},
      {"oscillators of another server off phase, meshes in error",
       [](Unit& u) {
         u.server = 1;
         u.hardware.link.sigma_oscillator_rad = 0.2, u.hardware.link.signed_levels = true,
         u.model.sigma_eta_rad = 0.05;
       }},
      {"receivers with offsets, of another server",
       [](Unit& u) { u.server = 1, u.hardware.receiver.offset_a = 2e-5, u.model.sigma_eta_rad = 0.05; }},
      {"overloaded amplifiers",
       [](Unit& u) {
         u.hardware.receiver.offset_a = 1e-5, u.hardware.receiver.overload_a = 1.5e-4;
         u.model.sigma_eta_rad = 0.05;
       }},
      {"soft limiters", [](Unit& u) { u.hardware.link.limiter_knee = 0.2; }},
      {"limiters, soft and unequal, of a real unit",
       [](Unit& u) {
         u.overdrive = 0.99;
         u.hardware.link.sigma_limiter = 0.1, u.hardware.link.limiter_knee = 0.1,
         u.hardware.modulator.leak = 0.04, u.model.sigma_eta_rad = 0.05;
       }},
      {"level mismatch", [](Unit& u) { u.hardware.link.level_mismatch = 0.05; }},
      {"signed levels", [](Unit& u) { u.hardware.link.signed_levels = true; }},
      {"signed levels of errant meshes",
       [](Unit& u) {
         u.overdrive = 0.99;
         u.hardware.link.signed_levels = true, u.hardware.modulator.leak = 0.04,
         u.hardware.link.level_mismatch = 0.05;
         u.model.sigma_eta_rad = 0.05;
       }},
      {"powers",
       [](Unit& u) { u.hardware.link.launch_power_w = 3e-3, u.hardware.link.signal_full_scale_w = 7e-4; }},
      {"incoherent averaging", [](Unit& u) { without_common_phase(u); }},
      {"incoherent averaging by errant combiners and modulators",
       [](Unit& u) {
         without_common_phase(u);
         u.hardware.link.sigma_combiner = 0.05, u.hardware.link.level_mismatch = 0.05;
         // at full scale a re-modulator's leak, eps sqrt(1 - level^2), has half of the level's digits: into no
         // phase
         u.hardware.modulator.leak = 0.1;
       }},
      {"incoherent averaging by modulators of linear drive",
       [](Unit& u) {
         without_common_phase(u);
         u.hardware.modulator.linearised = false, u.hardware.modulator.leak = 0.1;
         u.model.sigma_eta_rad = 0.05;
       }},
      {"incoherent averages that wait in delay lines",
       [](Unit& u) { without_common_phase(u), u.hardware.link.skew = Skew::delay_lines; }},
      {"other receivers",
       [](Unit& u) {
         u.hardware.receiver.lo_power_w = 1e-2, u.hardware.receiver.photodiode.responsivity_a_per_w = 1.1;
       }},
      {"another server", [](Unit& u) { u.server = 1; }},
      {"converter", [](Unit& u) { u.hardware.converter.bits = 5; }},
      {"triangular meshes", [](Unit& u) { u.triangles = true, u.model.sigma_eta_rad = 0.05; }},
      {"real MZIs", [](Unit& u) { u.kind = MziKind::real, u.model.sigma_eta_rad = 0.05; }},
      {"MZIs of three splitters",
       [](Unit& u) { u.kind = MziKind::three_splitter, u.model.sigma_eta_rad = 0.05; }},
      {"balanced MZIs", [](Unit& u) { u.kind = MziKind::balanced, u.model.sigma_eta_rad = 0.05; }},
      {"all", [](Unit& u) {
         u.overdrive = 0.99;
         u.model = {"custom", 0.02, 0.5, 0.02, 0.3, 0.1, 8, 0.005, true};
         u.calibration = {.policy = CalibrationPolicy::noisy, .sigma_estimate_rad = 0.005};
         u.programming = Programming::corrected, u.recalibrations = 1;
         u.sensitivity = {2e-6, -1e-3, 4e6}, u.change = {1.0, 20e-12};
         u.crosstalk.x0 = 0.02, u.crosstalk.known = 0.9;
         u.hardware.link = {.launch_power_w = four_mw,
                            .signal_full_scale_w = quarter_mw,
                            .oscillators = Oscillators::direct,
                            .oscillator_loop_hz = 1.0,
                            .oscillator_dither_rad = 0.1,
                            .fibre_mismatch_m = 2.0,
                            .sigma_combiner = 0.01,
                            .level_mismatch = 0.03,
                            .signed_levels = true,
                            .skew = Skew::delay_lines};
         u.hardware.modulator.leak = 0.04, u.hardware.receiver.lo_power_w = 1e-2;
         u.hardware.receiver.offset_a = 1e-6, u.hardware.receiver.overload_a = 2e-3;
         u.hardware.laser.rin_db_per_hz = -125;
         u.hardware.splitter.stage_excess_loss_db = 0.7, u.hardware.routing.loss_db_per_cm = 3.0;
         u.hardware.coupler.loss_db = 6.0, u.hardware.fibre.connectors = 12;
       }}};
  return all;
}

Unit all_wrong() {
  Unit u;
  switches().back().on(u);
  return u;
}

const std::vector<Subject>& subjects() {
  constexpr Rounding up = Rounding::half_up;
  static const std::vector<Subject> all = {
      {"plain", random_network({4, 2}, {8, 4})},
      {"plain of 8 servers", random_network({8, 3}, {9, 9, 3}), false},
      {"ceilings", with_ceilings(random_network({4, 2}, {8, 4}, 2))},
      {"carry chain", carry_chain({4, 3, up})},
      {"carry chain with lookahead of 8 servers", carry_chain({8, 3, up}, {.carries = Carries::lookahead}),
       false},
      {"first level of a cascade", carry_chain({4, 2, up, CascadeLevel::first})},
      {"second level of a cascade", carry_chain({4, 2, up, CascadeLevel::second})},
      {"digit sums of 8 servers", digit_sums({8, 3})},
      {"analogue sum of 6 servers", analogue_sum({6, 3})},
      {"full SVD of tall, square and wide layers", random_full_svd({4, 2}, {4, 4}, {1, 2, 3})}};
  return all;
}

/// A chip of which nothing was measured but losses, those of every mesh their own.
ChipErrors measured_losses(const ChipDesign& design) {
  ChipErrors errors = fabricate(design, {}, 1, 0);
  double loss_db = 0.0;
  for (auto& layer : errors.layers)
    for (BlockErrors& block : layer)
      for (MeshErrors* mesh : {&block.mesh, &block.attenuators})
        for (Vector* loss : {&mesh->theta_arm_loss_db, &mesh->phi_arm_loss_db, &mesh->theta_other_loss_db,
                             &mesh->phi_other_loss_db})
          loss->setConstant(loss_db += 0.002);
  return errors;
}

Built built(const Network& network, const Unit& u) {
  Built b{design_chip(network), {}, {}};
  for (LayerDesign& layer : b.design.layers) layer.largest_output /= u.overdrive;
  if (u.triangles) use_triangles(b.design);
  const ChipErrors measured = measured_losses(b.design);
  const CalibratedChip chip = calibrate(b.design, u.model, u.calibration, {1, u.chip, u.recalibrations}, {},
                                        u.losses_measured ? &measured : nullptr);
  b.design = with_known_losses(std::move(b.design), chip.losses);
  const ChipProgram program = program_calibrated(b.design, chip, u.model, u.programming, u.calibration);
  ChipErrors errors = with_phase_noise(chip.errors, u.model, 1, u.chip);
  errors = errors_in(u.change, errors, program, draw_imbalance(b.design, u.sensitivity, 1, u.chip),
                     u.sensitivity, u.hardware);
  if (u.crosstalk.x0 > 0)
    add_crosstalk(b.design, chip_crosstalk(b.design, u.crosstalk, u.hardware), program, errors);
  b.state = settle_chip(b.design, program, errors, u.model);
  b.reference = reference_chip(b.design, program, errors, u.model);
  turn_oscillators(b.state, b.design, u.hardware, settled_lag_rad_per_m(u.change, u.hardware));
  if (u.hardware.link.oscillators == Oscillators::direct && u.hardware.link.oscillator_loop_hz == 0)
    for (std::size_t l = 0; l < b.design.layers.size(); ++l)  // 730 rad/m per K, and -2 pi n_g / lambda^2
      b.reference.oscillator_rad.push_back(
          reference_path_m(b.design, l, u.hardware) * 2 * constants::pi / u.hardware.laser.wavelength_m *
          (u.hardware.routing.index_slope_per_k * u.change.temperature_k -
           group_index(u.hardware.routing.index, u.hardware.laser.wavelength_m) /
               u.hardware.laser.wavelength_m * u.change.wavelength_m));
  if (u.kind != MziKind::standard) replace_mzis(b, program, errors, u);
  return b;
}

Codes random_codes(const Task& task, Eigen::Index words) {
  Stream stream(7, Purpose::test);
  Codes codes(words, task.servers);
  for (std::uint32_t& code : codes.reshaped())
    code = stream.below(1u << (task.symbol_bits() * task.input_digits()));
  codes.row(0).setConstant((1u << (task.symbol_bits() * task.input_digits())) -
                           1);  // every modulator at full scale
  codes.row(1).setZero();
  return codes;
}

double worst_moment(const Samples& y) {
  double worst = 0.0;
  const auto row = [](const Eigen::MatrixXd& of, Eigen::Index m) {
    return Eigen::ArrayXd(of.row(m).transpose());
  };
  const Eigen::MatrixXd fast = y.fast.colwise() - y.fast.rowwise().mean();
  const Eigen::MatrixXd slow = y.slow.colwise() - y.slow.rowwise().mean();
  for (Eigen::Index m = 0; m < y.fast.rows(); ++m) {
    worst = std::max(worst, apart(row(y.fast, m), row(y.slow, m)));
    for (Eigen::Index k = 0; k <= m; ++k)
      worst = std::max(worst, apart(row(fast, m) * row(fast, k), row(slow, m) * row(slow, k)));
  }
  return worst;
}

}  // namespace optinc
