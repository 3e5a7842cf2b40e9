// The digital twin of a mesh: derivatives against finite differences, what powers can and cannot tell by
// counting gauges, errors that come back exactly without noise and with the scatter that their standard errors
// state with it.
//
// Mutants that fail here: a sign of per_db, `z` in place of `v` at beta, a weight of 1 in place of 0.5 in
// mzi_loss, no `screen_` in the adjoint rows, the lower arm's loss in canonical_losses() left out, a scatter of
// 1, NaN counted as 0, the held-out settings fitted as well.

#include "physics/mesh/twin/twin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/core/check.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/mesh/fidelity.hpp"
#include "physics/mesh/twin/detail/twin_jacobian.hpp"
#include "physics/mesh/twin/fit_twin.hpp"
#include "physics/mesh/twin/identifiability.hpp"
#include "physics/mesh/twin/plan_twin.hpp"
#include "physics/random/haar.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

constexpr TwinKind all_kinds[] = {
    TwinKind::alpha,         TwinKind::beta,          TwinKind::theta_offset, TwinKind::phi_offset,
    TwinKind::theta_scale,   TwinKind::phi_scale,     TwinKind::mzi_loss,     TwinKind::theta_imbalance,
    TwinKind::phi_imbalance, TwinKind::output_offset, TwinKind::input_gain,   TwinKind::output_gain};

/// A chip: splitters and phases off by `sigma` rad, arms that lose 0.1 dB +- `spread_db`, ports by `gain_db`.
MeshTwin drawn_twin(const MeshTopology& t, double sigma, double spread_db, double gain_db, Stream& s) {
  MeshTwin twin = nominal_twin(t);
  twin.errors = random_errors(t, sigma, s);
  for (Vector* arms : {&twin.errors.theta_arm_loss_db, &twin.errors.phi_arm_loss_db,
                       &twin.errors.theta_other_loss_db, &twin.errors.phi_other_loss_db})
    *arms = normal_vector(arms->size(), spread_db, s).array() + 0.1;
  twin.errors.idle_arm_loss_db = 0.1;
  twin.input_gain_db = normal_vector(t.ports, gain_db, s);
  twin.output_gain_db = normal_vector(t.ports, gain_db, s);
  return twin;
}

/// Settings of random phases, light of 1 W in one port after the other.
TwinData bench(const MeshTopology& t, std::size_t settings) {
  TwinData data{t, {}, Matrix::Identity(t.ports, t.ports), {}, {}};
  for (std::uint32_t s = 0; s < settings; ++s) data.settings.push_back(twin_setting(t, 7, s));
  return data;
}

void read_powers(TwinData& data, const MeshTwin& truth, double noise, Stream& s) {
  for (const MeshProgram& setting : data.settings) {
    Eigen::MatrixXd power = twin_fields(data.topology, truth, setting, data.inputs).cwiseAbs2();
    data.powers_w.push_back(power.unaryExpr([&](double p) { return p + noise * s.normal(); }));
  }
}

void read_fields(TwinData& data, const MeshTwin& truth) {
  for (const MeshProgram& setting : data.settings)
    data.fields.push_back(twin_fields(data.topology, truth, setting, data.inputs));
}

/// The parameters of a twin, from a nominal one without losses; imbalances of canonical losses.
Vector values_of(const MeshTopology& t, const TwinParameters& parameters, const MeshTwin& twin) {
  const MeshTwin c = canonical_losses(t, twin);
  Vector values(parameters.size());
  const auto put = [&](TwinKind kind, const Vector& numbers) {
    if (parameters.first(kind) >= 0) values.segment(parameters.first(kind), numbers.size()) = numbers;
  };
  put(TwinKind::alpha, c.errors.alpha);
  put(TwinKind::beta, c.errors.beta);
  put(TwinKind::theta_offset, c.errors.theta_offset);
  put(TwinKind::phi_offset, c.errors.phi_offset);
  put(TwinKind::theta_scale, (c.theta_scale.array() - 1).matrix());
  put(TwinKind::phi_scale, (c.phi_scale.array() - 1).matrix());
  put(TwinKind::theta_imbalance, c.errors.theta_arm_loss_db - c.errors.theta_other_loss_db);
  put(TwinKind::phi_imbalance, c.errors.phi_arm_loss_db - c.errors.phi_other_loss_db);
  put(TwinKind::output_offset, c.errors.output_offset);
  put(TwinKind::input_gain, c.input_gain_db);
  put(TwinKind::output_gain, c.output_gain_db);
  return values;
}

Vector readings(const Matrix& out, bool fields) {
  if (!fields) return out.cwiseAbs2().reshaped();
  Vector both(2 * out.size());
  both << out.real().reshaped(), out.imag().reshaped();
  return both;
}

/// z-scores of all parameters that the data tell, and their number.
struct Scores {
  double rms = 0.0;
  int count = 0;
};

Scores scores(const TwinFit& fit, const Vector& truth) {
  Scores s;
  for (Eigen::Index p = 0; p < truth.size(); ++p) {
    if (!std::isfinite(fit.deviation[p])) continue;
    s.rms += std::pow((fit.values[p] - truth[p]) / fit.deviation[p], 2);
    ++s.count;
  }
  s.rms = std::sqrt(s.rms / s.count);
  return s;
}

const TwinKindReport& of_kind(const TwinFit& fit, TwinKind kind) {
  return *std::find_if(fit.kinds.begin(), fit.kinds.end(), [&](const auto& r) { return r.kind == kind; });
}

/// Overlap of T with U up to phases of the outputs: sum_i |(T U^H)_ii|.
double fidelity_of_powers(const Matrix& target, const Matrix& found) {
  const double overlap = (found * target.adjoint()).diagonal().cwiseAbs().sum();
  return overlap * overlap / (static_cast<double>(target.rows()) * found.squaredNorm());
}

}  // namespace

TEST_CASE("twin: derivatives of powers and fields are those of finite differences") {
  for (const MeshTopology& t : {clements_topology(5), reck_topology(4), clements_topology(1)}) {
    Stream s = test_stream(1, static_cast<std::uint32_t>(t.ports));
    MeshTwin twin = drawn_twin(t, 0.1, 0.05, 1.0, s);
    twin.theta_scale += normal_vector(t.mzi_count(), 0.05, s);
    twin.phi_scale += normal_vector(t.mzi_count(), 0.05, s);
    const MeshProgram setting = random_program(t, s);
    const Matrix inputs = random_fields(t.ports, 3, s);
    const TwinParameters parameters(t, all_kinds);
    for (const bool fields : {false, true}) {
      Eigen::MatrixXd slopes(t.ports * 3 * (fields ? 2 : 1), parameters.size());
      const Matrix out = twin_jacobian(t, parameters, twin, setting, inputs, fields, slopes);
      REQUIRE(max_abs(out - twin_fields(t, twin, setting, inputs)) < 100 * eps * out.cwiseAbs().maxCoeff());
      for (Eigen::Index p = 0; p < parameters.size(); ++p) {
        // central differences: h^2 / 6 of the third derivative, up to (2 pi)^3 P by a response, and rounding
        // eps P / h
        const double h = 1e-5;
        const auto at = [&](double change) {
          MeshTwin moved = twin;
          parameters.add(change * Vector::Unit(parameters.size(), p), moved);
          return readings(twin_fields(t, moved, setting, inputs), fields);
        };
        CAPTURE(t.ports, fields, p);
        REQUIRE(max_abs((at(h) - at(-h)) / (2 * h) - slopes.col(p)) < 1e-7);
      }
    }
  }
}

TEST_CASE("twin: losses in canonical form, and raised ones, send the same light") {
  for (const MeshTopology& t : {clements_topology(6), reck_topology(5)}) {
    Stream s = test_stream(2, static_cast<std::uint32_t>(t.ports));
    const MeshTwin twin = drawn_twin(t, 0.1, 0.05, 1.0, s);
    const MeshProgram setting = random_program(t, s);
    const Matrix inputs = Matrix::Identity(t.ports, t.ports), out = twin_fields(t, twin, setting, inputs);
    MeshTwin other = canonical_losses(t, twin);
    REQUIRE(max_abs(twin_fields(t, other, setting, inputs) - out) < 1e3 * eps);
    REQUIRE(max_abs(other.errors.phi_arm_loss_db + other.errors.phi_other_loss_db) < 10 * eps);
    const MeshTwin about = canonical_losses(t, twin, 0.2);
    REQUIRE(max_abs(twin_fields(t, about, setting, inputs) - out) < 1e3 * eps);
    const Vector external = about.errors.phi_arm_loss_db + about.errors.phi_other_loss_db;
    REQUIRE(max_abs(external - Vector::Constant(external.size(), 0.4)) < 10 * eps);
    raise_losses(t, other);
    REQUIRE(max_abs(twin_fields(t, other, setting, inputs) - out) < 1e3 * eps);
    REQUIRE(std::min(other.errors.phi_arm_loss_db.minCoeff(), other.errors.theta_other_loss_db.minCoeff()) >=
            0.0);
    REQUIRE(other.errors.idle_arm_loss_db > 0.0);
  }
}

TEST_CASE("twin: unseen directions are the phases and gains of the ports") {
  for (const int n : {3, 4, 7}) {
    const MeshTopology t = clements_topology(n);
    Stream s = test_stream(3, static_cast<std::uint32_t>(n));
    const MeshTwin truth = drawn_twin(t, 0.02, 0.05, 0.5, s);
    TwinData powers = bench(t, 25), fields = bench(t, 25);
    read_powers(powers, truth, 0.0, s);
    read_fields(fields, truth);
    // light in one port at a time: a phase of an input is carried through all columns by phi (n, less the
    // common one), and so is its gain by the imbalances of the arms (n)
    const TwinFit by_power = fit_twin(powers, {}, nominal_twin(t));
    REQUIRE(by_power.unseen == 2 * n - 1);
    REQUIRE(of_kind(by_power, TwinKind::phi_offset).unseen == Approx(n - 1).margin(1e-6));
    REQUIRE(of_kind(by_power, TwinKind::theta_offset).unseen == Approx(0).margin(1e-6));
    REQUIRE(of_kind(by_power, TwinKind::alpha).told == t.mzi_count());
    // fields against a known phase tell the phases of the inputs, too
    REQUIRE(fit_twin(fields, {}, nominal_twin(t)).unseen == n);
    TwinSettings without_gains;
    without_gains.losses = TwinLosses::none;
    without_gains.gains = false;
    REQUIRE(fit_twin(powers, without_gains, nominal_twin(t)).unseen == n - 1);
    // words that light all ports at once tell phases of the inputs by powers
    powers.inputs = random_fields(n, n + 2, s);
    powers.powers_w.clear();
    read_powers(powers, truth, 0.0, s);
    REQUIRE(fit_twin(powers, without_gains, nominal_twin(t)).unseen == 0);
  }
}

TEST_CASE("twin: without noise, every parameter that readings tell comes back") {
  const MeshTopology t = clements_topology(6);
  Stream s = test_stream(4);
  MeshTwin truth = drawn_twin(t, 0.02, 0.05, 0.5, s);
  truth.theta_scale += normal_vector(t.mzi_count(), 0.02, s);
  truth.phi_scale += normal_vector(t.mzi_count(), 0.02, s);
  TwinSettings settings;
  settings.heaters = true;
  for (const bool fields : {false, true}) {
    TwinData data = bench(t, 30);
    fields ? read_fields(data, truth) : read_powers(data, truth, 0.0, s);
    const TwinFit fit = fit_twin(data, settings, nominal_twin(t));
    const TwinParameters parameters(t, fitted_kinds(settings, fields));
    const Vector wanted = values_of(t, parameters, truth);
    CAPTURE(fields, fit.iterations);
    REQUIRE(fit.converged);
    int told = 0;
    for (Eigen::Index p = 0; p < wanted.size(); ++p) {
      if (!std::isfinite(fit.deviation[p])) continue;
      ++told;
      REQUIRE(std::abs(fit.values[p] - wanted[p]) < 1e-6);
    }
    REQUIRE(told >= 4 * t.mzi_count());
    REQUIRE(fit.held_out.rms < 1e-8);
    const MeshProgram unseen = twin_setting(t, 8, 0);
    REQUIRE(max_abs(twin_fields(t, fit.twin, unseen, data.inputs).cwiseAbs2() -
                    twin_fields(t, truth, unseen, data.inputs).cwiseAbs2()) < 1e-8);
  }
}

TEST_CASE("twin: losses of an MZI and of idle guides come back where the gains of the ports are known") {
  const MeshTopology t = reck_topology(5);
  Stream s = test_stream(5);
  MeshTwin truth = nominal_twin(t, 0.1);
  truth.errors.alpha = normal_vector(t.mzi_count(), 0.02, s);
  const Vector loss_db = Vector::NullaryExpr(t.mzi_count(), [&] { return 0.3 * s.uniform(); });
  for (Vector* arms : {&truth.errors.theta_arm_loss_db, &truth.errors.phi_arm_loss_db,
                       &truth.errors.theta_other_loss_db, &truth.errors.phi_other_loss_db})
    *arms = loss_db / 2;
  TwinData data = bench(t, 20);
  read_powers(data, truth, 0.0, s);
  TwinSettings settings;
  settings.losses = TwinLosses::mzi;
  settings.gains = false;
  const TwinFit fit = fit_twin(data, settings, nominal_twin(t, 0.1));
  REQUIRE(max_abs(fit.twin.errors.theta_arm_loss_db - loss_db / 2) < 1e-6);
  // The powers of one MZI say which errors its splitters have, not which of them has which: rounding chooses
  const auto &found = fit.twin.errors, &wanted = truth.errors;
  int exchanged = 0;
  for (Eigen::Index i = 0; i < t.mzi_count(); ++i) {
    const bool in_order =
        std::abs(found.alpha[i] - wanted.alpha[i]) + std::abs(found.beta[i] - wanted.beta[i]) < 1e-6;
    REQUIRE((in_order ||
             std::abs(found.alpha[i] - wanted.beta[i]) + std::abs(found.beta[i] - wanted.alpha[i]) < 1e-6));
    exchanged += !in_order;
  }
  REQUIRE(exchanged <= 1);
  const MeshProgram unseen = twin_setting(t, 8, 0);
  REQUIRE(max_abs(twin_fields(t, fit.twin, unseen, data.inputs).cwiseAbs2() -
                  twin_fields(t, truth, unseen, data.inputs).cwiseAbs2()) < 1e-12);
}

TEST_CASE("MC: twin: z-scores of what the data tell have the scatter that standard errors state") {
  const MeshTopology t = clements_topology(8);
  double squares = 0.0;
  int count = 0;
  constexpr double noise = 1e-3;
  for (std::uint32_t chip = 0; chip < 4; ++chip)
    for (const bool known : {true, false}) {
      Stream s = test_stream(6, chip);
      const MeshTwin truth = drawn_twin(t, 5e-3, 0.05, 0.5, s);
      TwinData data = bench(t, 40);
      read_powers(data, truth, noise, s);
      TwinSettings settings;
      settings.noise = known ? noise : 0.0;
      const TwinFit fit = fit_twin(data, settings, nominal_twin(t));
      const TwinParameters parameters(t, fitted_kinds(settings, false));
      const Scores z = scores(fit, values_of(t, parameters, truth));
      REQUIRE(fit.converged);
      REQUIRE(fit.iterations <= 6);
      squares += z.count * z.rms * z.rms;
      count += z.count;
      // held-out readings are off by their noise and by the fit's own error, sqrt(1 + parameters / fitted
      // readings)
      const double held_out = std::sqrt(1 + static_cast<double>(fit.parameters - fit.unseen) /
                                                static_cast<double>(fit.fitted.readings));
      REQUIRE(fit.held_out.rms / noise ==
              Approx(held_out).epsilon(5 / std::sqrt(2.0 * static_cast<double>(fit.held_out.readings))));
    }
  // 8 fits of 4 chips, of which half are independent; scores of a fit are correlated by less than a half
  REQUIRE(count > 800);
  REQUIRE(std::sqrt(squares / count) == Approx(1.0).margin(5 * std::sqrt(1.0 / (2 * count / 4.0))));
}

TEST_CASE("MC: twin: outliers and a port that is missing cost little") {
  const MeshTopology t = clements_topology(6);
  Stream s = test_stream(7);
  const MeshTwin truth = drawn_twin(t, 5e-3, 0.05, 0.5, s);
  TwinData data = bench(t, 60);
  constexpr double noise = 1e-3;
  read_powers(data, truth, noise, s);
  for (Eigen::MatrixXd& power : data.powers_w) {
    power.row(2).setConstant(std::numeric_limits<double>::quiet_NaN());
    for (double& p : power.reshaped())
      if (s.uniform() < 0.02) p += 0.3 * s.uniform();  // 2 % of readings, by up to 300 standard deviations
  }
  TwinSettings settings;
  settings.noise = noise;
  const TwinFit fit = fit_twin(data, settings, nominal_twin(t));
  const TwinParameters parameters(t, fitted_kinds(settings, false));
  const Scores z = scores(fit, values_of(t, parameters, truth));
  REQUIRE(fit.outliers == Approx(0.02 + 0.0027).margin(0.01));
  REQUIRE(z.count > 60);
  REQUIRE(z.rms < 1.6);  // Huber bounds an outlier's pull, which all have in one direction here
  settings.outlier = 1e6;
  const TwinFit plain = fit_twin(data, settings, nominal_twin(t));
  REQUIRE(
      max_abs(plain.values.head(2 * t.mzi_count()) - values_of(t, parameters, truth).head(2 * t.mzi_count())) >
      3 * max_abs(fit.values.head(2 * t.mzi_count()) -
                  values_of(t, parameters, truth).head(2 * t.mzi_count())));
}

TEST_CASE("twin: a program corrected by the twin is as good as one that knows the chip") {
  const MeshTopology t = clements_topology(8);
  Stream s = test_stream(9);
  const MeshTwin truth = drawn_twin(t, 0.02, 0.0, 0.0, s);
  TwinData data = bench(t, 30);
  data.inputs = random_fields(8, 10, s);  // so that powers tell the phases of the inputs
  read_powers(data, truth, 1e-4, s);
  TwinSettings settings;
  settings.noise = 1e-4;
  const MeshErrors found = fit_twin(data, settings, nominal_twin(t)).twin.errors;
  const Matrix target = haar_unitary(8, s);
  const auto off = [&](const MeshErrors& known) {
    CorrectedProgram set = correct_splitters(t, decompose_clements(target), known.alpha, known.beta);
    set.program.theta -= known.theta_offset;
    set.program.phi -= known.phi_offset;
    return 1 - fidelity_of_powers(target, transfer_matrix(t, set.program, truth.errors));
  };
  const double by_oracle = off(truth.errors), by_twin = off(found), uncorrected = off(no_errors(t));
  CAPTURE(by_oracle, by_twin, uncorrected);
  REQUIRE(uncorrected > 1e-3);
  REQUIRE(by_twin < by_oracle + 1e-6);
}

TEST_CASE("twin: a plan reaches the standard error it is made for, and no sooner") {
  const MeshTopology t = clements_topology(4);
  TwinSettings settings;
  settings.noise = 2e-3;
  TwinPlanSettings wanted;
  wanted.splitter_error_rad = 1e-3;
  const Matrix inputs = Matrix::Identity(4, 4);
  const TwinPlan plan = plan_twin(t, inputs, settings, wanted, nominal_twin(t));
  TwinData data{t, plan.settings, inputs, {}, {}};
  Stream s = test_stream(10);
  read_powers(data, nominal_twin(t), settings.noise, s);
  const TwinFit fit = fit_twin(data, settings, nominal_twin(t));
  REQUIRE(plan.unseen == fit.unseen);
  REQUIRE(plan.settings.size() > 10);
  // random settings differ, and so does the scatter of few readings
  REQUIRE(of_kind(fit, TwinKind::alpha).standard_error == Approx(plan.kinds[0].standard_error).epsilon(0.2));
  REQUIRE(std::max(plan.kinds[0].standard_error, plan.kinds[1].standard_error) == Approx(1e-3).epsilon(0.05));
}

TEST_CASE("twin: what cannot be fitted is refused") {
  const MeshTopology t = clements_topology(3);
  Stream s = test_stream(11);
  TwinData data = bench(t, 3);
  REQUIRE_THROWS_AS(fit_twin(data, {}, nominal_twin(t)), Error);  // neither powers nor fields
  read_powers(data, nominal_twin(t), 0.0, s);
  TwinData short_of_one = data;
  short_of_one.powers_w.pop_back();
  REQUIRE_THROWS_AS(fit_twin(short_of_one, {}, nominal_twin(t)), Error);
  TwinData wide = data;
  wide.powers_w[1].conservativeResize(3, 2);
  REQUIRE_THROWS_AS(fit_twin(wide, {}, nominal_twin(t)), Error);
  TwinSettings none;
  none.splitters = none.offsets = none.gains = false;
  none.losses = TwinLosses::none;
  REQUIRE_THROWS_AS(fit_twin(data, none, nominal_twin(t)), Error);
  TwinSettings wrong;
  wrong.held_out = 1.0;
  REQUIRE_THROWS_AS(fit_twin(data, wrong, nominal_twin(t)), Error);
  REQUIRE_THROWS_AS(plan_twin(t, data.inputs, {}, {}, nominal_twin(t)), Error);  // no noise
  for (Eigen::MatrixXd& power : data.powers_w) power.setConstant(std::numeric_limits<double>::quiet_NaN());
  REQUIRE_THROWS_AS(fit_twin(data, {}, nominal_twin(t)), Error);
}
