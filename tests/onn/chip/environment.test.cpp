#include "onn/chip/environment.hpp"

#include "onn/link/transmission.hpp"
#include "physics/core/units.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

struct Operated {
  ChipDesign design;
  ErrorModel model;
  ChipErrors errors;
  ChipProgram program;
};

Operated operated(const char* preset) {
  Operated o{design_chip(random_network({4, 4}, {16, 16})), error_preset(preset), {}, {}};
  o.errors = fabricate(o.design, o.model, 1, 2);
  o.program = program(o.design, o.errors, o.model.dac_bits, Programming::corrected);
  return o;
}

const MeshErrors& first_mesh(const ChipErrors& e) { return e.layers[1][0].mesh; }

}  // namespace

// Fails when only one arm of a shifter is warmed
TEST_CASE("a chip whose arms are equal does not see a uniform temperature") {
  const Operated o = operated("doped-heaters");
  const SensitivitySettings none{.imbalance_m = 0.0, .heater_per_k = 0.0, .splitter_rad_per_m = 0.0};
  const auto imbalance = draw_imbalance(o.design, none, 1, 2);
  const ChipErrors warm = errors_in({10.0, 0.0}, o.errors, o.program, imbalance, none, {});
  CHECK(phase_change_rms(warm, o.errors) == 0.0);
  const ChipState cold = settle_chip(o.design, o.program, o.errors, o.model);
  const ChipState hot = settle_chip(o.design, o.program, warm, o.model);
  for (std::size_t l = 0; l < cold.layers.size(); ++l) CHECK(cold.layers[l].transfer == hot.layers[l].transfer);
}

// 730 rad/(m K) and 2 pi n_g / lambda^2 per m of wavelength. Fails when the index per kelvin or the group index
// is another one
TEST_CASE("phases answer to temperature, wavelength and voltage as the literature says") {
  const Operated o = operated("design-target");
  Eigen::Index k = 0;
  const double phase = o.program.layers[1][0].mesh.phi.maxCoeff(&k);
  const auto change = [&](Environment to, SensitivitySettings settings, double path_m) {
    ChipImbalance imbalance = draw_imbalance(o.design, settings, 1, 2);
    imbalance.meshes[1][0].phi_m[k] = path_m;
    const ChipErrors e = errors_in(to, o.errors, o.program, imbalance, settings, {});
    return first_mesh(e).phi_offset[k] - first_mesh(o.errors).phi_offset[k];
  };
  CHECK_THAT(change({1.0, 0.0}, {}, 200e-6), WithinRel(0.146, 2e-3));
  // 10 um of path, and the heater itself: 2 pi L / lambda times what its heat does to the index
  const double of_heater = -phase * 10e-12 / 1550e-9;
  CHECK_THAT(change({0.0, 10e-12}, {}, 10e-6) - of_heater, WithinRel(-1.1e-3, 5e-3));
  CHECK_THAT(change({0.0, 1e-9}, {}, 0.0), WithinRel(-phase / 1550, 1e-9));
  SensitivitySettings at_voltage;
  at_voltage.heater_per_k = -1e-3;
  REQUIRE(phase > 0.1);
  CHECK_THAT(change({2.0, 0.0}, at_voltage, 0.0), WithinRel(-2e-3 * phase, 1e-9));
  const ChipErrors red =
      errors_in({0.0, 1e-9}, o.errors, o.program, draw_imbalance(o.design, {}, 1, 2), {}, {});
  // 0.4 % of every splitting angle
  const double even = constants::pi / 4, alpha = first_mesh(o.errors).alpha[5],
               beta = first_mesh(o.errors).beta[5];
  REQUIRE(std::abs(alpha - beta) > 1e-4);
  CHECK_THAT(first_mesh(red).alpha[5] - alpha, WithinRel(4e-3 * (even + alpha), 1e-9));
  CHECK_THAT(first_mesh(red).beta[5] - beta, WithinRel(4e-3 * (even + beta), 1e-9));
}

// phi (1 - dlambda/lambda) in closed form for every phase of a program, those beyond a turn too. Fails when a
// wavelength leaves the heaters' own phases, or a phase is taken before it is reduced to what its heater makes
TEST_CASE("another wavelength makes other phases of the same heat") {
  Operated o = operated("ideal");
  BlockProgram& block = o.program.layers[1][0];
  block.mesh.phi.array() -= 4 * constants::pi;
  block.attenuators.theta.array() += 2 * constants::pi;
  const SensitivitySettings none{.imbalance_m = 0.0, .heater_per_k = 0.0, .splitter_rad_per_m = 0.0};
  const double change_m = 2e-9;
  const ChipErrors e =
      errors_in({0.0, change_m}, o.errors, o.program, draw_imbalance(o.design, none, 1, 2), none, {});
  const auto check = [&](const Vector& offset, const Vector& phase) {
    for (Eigen::Index k = 0; k < offset.size(); ++k) {
      const double asked = phase[k] - 2 * constants::pi * std::floor(phase[k] / (2 * constants::pi));
      CHECK_THAT(offset[k], WithinAbs(-asked * change_m / 1550e-9, 1e-15));
    }
  };
  const BlockErrors& changed = e.layers[1][0];
  check(changed.mesh.theta_offset, block.mesh.theta);
  check(changed.mesh.phi_offset, block.mesh.phi);
  check(changed.mesh.output_offset, block.mesh.output_phase);
  check(changed.attenuators.theta_offset, block.attenuators.theta);
  check(changed.attenuators.phi_offset, block.attenuators.phi);
}

TEST_CASE("path differences have the spread asked for and belong to their chip") {
  const ChipDesign design = design_chip(random_network({4, 4}, {64, 64}));
  const auto rms = [](const Vector& v) { return std::sqrt(v.squaredNorm() / static_cast<double>(v.size())); };
  const auto one = draw_imbalance(design, {}, 1, 7), again = draw_imbalance(design, {}, 1, 7),
             other = draw_imbalance(design, {}, 1, 8);
  const Vector& theta = one.meshes[1][0].theta_m;
  CHECK(theta == again.meshes[1][0].theta_m);
  CHECK(theta != other.meshes[1][0].theta_m);
  CHECK(theta != one.meshes[1][0].phi_m);
  const double tolerance = 5 / std::sqrt(2.0 * static_cast<double>(theta.size()));  // 5 sigma of an rms
  CHECK_THAT(rms(theta), WithinRel(1e-6, tolerance));
  CHECK_THAT(refusal([&] { draw_imbalance(design, {.imbalance_m = -1.0}, 1, 0); }),
             ContainsSubstring("imbalance_m = -1"));
}

// Fails when the instant is left out of the streams' coordinates
TEST_CASE("receiver noise is drawn anew at every instant") {
  const Operated o = operated("ideal");
  const ChipState chip = settle_chip(o.design, o.program, o.errors, o.model);
  const std::vector<std::uint64_t> words = {1, 2, 3, 28000};
  const Codes codes = codes_of_words(o.design.task, words);
  const UnitHardware hardware;
  const auto at = [&](std::uint32_t instant) {
    return transmit({o.design, chip, hardware, NoiseSwitches::all()}, codes, {1, 2, 0, instant});
  };
  CHECK(at(0) == at(0));
  CHECK(at(0) != at(1));
  CHECK(at(1) == at(1));
  // instants are a coordinate of their own, which does not wrap
  CHECK(at(2048) != at(0));
  CHECK(at(4294967295u) != at(0));
}

// Fails when a chip counts its meshes from 1, or a third splitter keeps its angle at another wavelength
TEST_CASE("a mesh of its own changes as the first mesh of a chip does, and a third splitter with the others") {
  const Operated o = operated("doped-heaters");
  const Environment change{3.0, 2e-9};
  const SensitivitySettings settings{.heater_per_k = -1e-3};
  const MeshTopology& topology = o.design.layers[0].blocks[0].mesh;
  const MeshImbalance imbalance = draw_mesh_imbalance(topology, settings, {1, 2, 0});
  const MeshProgram& phases = o.program.layers[0][0].mesh;
  const MeshErrors& before = o.errors.layers[0][0].mesh;
  const MeshErrors mesh = errors_in(change, before, phases, imbalance, settings, {});
  const ChipErrors chip =
      errors_in(change, o.errors, o.program, draw_imbalance(o.design, settings, 1, 2), settings, {});
  const MeshErrors& of_chip = chip.layers[0][0].mesh;
  CHECK(mesh.theta_offset == of_chip.theta_offset);
  CHECK(mesh.phi_offset == of_chip.phi_offset);
  CHECK(mesh.output_offset == of_chip.output_offset);
  CHECK(mesh.beta == of_chip.beta);
  MeshVariantErrors variant = no_variant_errors(topology);
  variant.mzis = before;
  for (const MziKind kind : {MziKind::standard, MziKind::balanced}) {
    const MeshVariantErrors changed = errors_in(change, variant, kind, phases, imbalance, settings, {});
    CHECK(changed.mzis.alpha == of_chip.alpha);
    CHECK_THAT(changed.gamma[3], WithinAbs(kind == MziKind::balanced ? constants::pi / 4 * 8e-3 : 0.0, 1e-12));
  }
}
