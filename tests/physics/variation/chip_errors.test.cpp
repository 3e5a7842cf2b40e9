// What is drawn for a chip: spreads, the correlation inside an MZI, and one stream per source.

#include "physics/variation/chip_errors.hpp"

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/meshes.hpp"

using namespace optinc;
using namespace optinc::testing;

namespace {

ErrorModel all_sources() {
  ErrorModel m;
  m.sigma_eta_rad = 0.02;
  m.rho_ab = 0.5;
  m.sigma_cal_rad = 5e-3;
  m.mzi_loss_db = 0.33;
  m.arm_loss_spread_db = 0.01;
  m.sigma_phase_rad = 1e-3;
  return m;
}

double mean_product(const Vector& a, const Vector& b) { return a.dot(b) / static_cast<double>(a.size()); }

}  // namespace

// One mesh of 128 ports: n = 8128 MZIs. 5 sigma: correlation 5 (1 - rho^2)/sqrt(n) = 0.055 at most, spread
// 5/sqrt(2 n) = 3.9 %, mean 5 sigma/sqrt(n). Fails when sqrt(1 - rho^2) is left out (spread of beta), or when
// beta takes its own stream of the same purpose (correlation 1)
TEST_CASE("MC: splitter errors have spread sigma_eta and correlation rho_ab inside an MZI") {
  const MeshTopology t = clements_topology(128);
  const double n = t.mzi_count();
  for (const double rho : {-1.0, -0.4, 0.0, 0.5, 0.9, 1.0}) {
    const MeshAddress address{42, 1, 2};
    CAPTURE(address.seed, rho);
    ErrorModel model = all_sources();
    model.rho_ab = rho;
    const MeshErrors e = draw_mesh_errors(t, model, address);
    CHECK(std::abs(e.alpha.mean()) < 5 * 0.02 / std::sqrt(n));
    CHECK(std::abs(e.beta.mean()) < 5 * 0.02 / std::sqrt(n));
    const double va = mean_product(e.alpha, e.alpha), vb = mean_product(e.beta, e.beta);
    CHECK(std::sqrt(va) == Approx(0.02).epsilon(5 / std::sqrt(2 * n)));
    CHECK(std::sqrt(vb) == Approx(0.02).epsilon(5 / std::sqrt(2 * n)));
    CHECK(std::abs(mean_product(e.alpha, e.beta) / std::sqrt(va * vb) - rho) <
          5 * (1 - rho * rho) / std::sqrt(n) + 1e-12);
  }
}

// the same mesh, the same tolerances. Fails when the two phase sources are added in amplitude instead of
// variance
TEST_CASE("MC: phase offsets have variance sigma_cal^2 + sigma_phase^2 and are independent of each other") {
  const MeshTopology t = clements_topology(128);
  const double n = t.mzi_count();
  ErrorModel model = all_sources();
  model.sigma_cal_rad = 3e-3;
  model.sigma_phase_rad = 4e-3;
  const MeshErrors e = draw_mesh_errors(t, model, {43, 0, 0});
  for (const Vector* v : {&e.theta_offset, &e.phi_offset})
    CHECK(std::sqrt(mean_product(*v, *v)) == Approx(5e-3).epsilon(5 / std::sqrt(2 * n)));
  CHECK(std::sqrt(mean_product(e.output_offset, e.output_offset)) ==
        Approx(5e-3).epsilon(5 / std::sqrt(256.0)));
  const double bound = 5 / std::sqrt(n);
  CHECK(std::abs(mean_product(e.theta_offset, e.phi_offset)) / 25e-6 < bound);
  CHECK(std::abs(mean_product(e.theta_offset, e.alpha)) / (5e-3 * 0.02) < bound);
  CHECK(std::abs(mean_product(e.phi_offset, e.beta)) / (5e-3 * 0.02) < bound);
}

// Fails when two arms share their draws, when an arm has the mean loss, or when a loss is not cut off at 0
TEST_CASE("MC: arms carry half the MZI's loss in each stage, all four a spread of their own, never a gain") {
  const MeshTopology t = clements_topology(128);
  const double n = t.mzi_count();
  const MeshErrors e = draw_mesh_errors(t, all_sources(), {44, 0, 0});
  CHECK(e.idle_arm_loss_db == Approx(0.165).epsilon(1e-14));
  const std::vector<const Vector*> arms = {&e.theta_arm_loss_db, &e.phi_arm_loss_db, &e.theta_other_loss_db,
                                           &e.phi_other_loss_db};
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const Vector excess = arms[i]->array() - 0.165;
    CHECK(std::abs(excess.mean()) < 5 * 0.01 / std::sqrt(n));
    CHECK(std::sqrt(mean_product(excess, excess)) == Approx(0.01).epsilon(5 / std::sqrt(2 * n)));
    for (std::size_t j = 0; j < i; ++j)
      CHECK(std::abs(mean_product(excess, arms[j]->array() - 0.165)) / 1e-4 < 5 / std::sqrt(n));
  }
  ErrorModel wide = all_sources();
  wide.arm_loss_spread_db = 1.0;
  const MeshErrors cut = draw_mesh_errors(t, wide, {44, 0, 0});
  CHECK(cut.theta_arm_loss_db.minCoeff() == 0.0);
  CHECK(cut.phi_arm_loss_db.minCoeff() == 0.0);
  CHECK(cut.theta_other_loss_db.minCoeff() == 0.0);
  CHECK(cut.phi_other_loss_db.minCoeff() == 0.0);
}

// Pins which stream feeds which error, in which order. Fails when chip and mesh change places, or when losses
// are drawn from the stream of another source
TEST_CASE("every source draws from (seed, its purpose, chip, mesh) in topology order") {
  const MeshTopology t = clements_topology(5);
  const int mzis = 10, ports = 5;
  const MeshErrors e = draw_mesh_errors(t, all_sources(), {46, 7, 9});
  const auto drawn = [](Purpose purpose, int count) {
    Stream s(46, purpose, 7, 9);
    return normal_vector(count, 1.0, s);
  };
  const Vector splitters = drawn(Purpose::splitter_error, 2 * mzis);
  CHECK((e.alpha - 0.02 * splitters.head(mzis)).cwiseAbs().maxCoeff() < 1e-16);
  CHECK((e.beta - 0.5 * e.alpha - 0.02 * std::sqrt(0.75) * splitters.tail(mzis)).cwiseAbs().maxCoeff() < 1e-16);
  Vector offsets(2 * mzis + ports);
  offsets << e.theta_offset, e.phi_offset, e.output_offset;
  const Vector calibration = drawn(Purpose::calibration_residual, 2 * mzis + ports);
  const Vector noise = drawn(Purpose::phase_noise, 2 * mzis + ports);
  CHECK((offsets - 5e-3 * calibration - 1e-3 * noise).cwiseAbs().maxCoeff() < 1e-16);
  Vector losses(4 * mzis);
  losses << e.theta_arm_loss_db, e.phi_arm_loss_db, e.theta_other_loss_db, e.phi_other_loss_db;
  const Vector spread = drawn(Purpose::arm_loss, 4 * mzis);
  CHECK(((losses - 0.01 * spread).array() - 0.165).abs().maxCoeff() < 1e-15);
}

// Fails when a source that is off leaves its draws out and another one shares its stream
TEST_CASE("every source has a stream of its own: switching one leaves the draws of the others") {
  const MeshTopology t = clements_topology(9);
  const MeshAddress address{45, 3, 4};
  const MeshErrors all = draw_mesh_errors(t, all_sources(), address);
  const auto without = [&](double ErrorModel::*source) {
    ErrorModel m = all_sources();
    m.*source = 0.0;
    return draw_mesh_errors(t, m, address);
  };
  const MeshErrors no_split = without(&ErrorModel::sigma_eta_rad);
  CHECK(no_split.alpha.isZero(0));
  CHECK(no_split.beta.isZero(0));
  CHECK(no_split.theta_offset == all.theta_offset);
  CHECK(no_split.output_offset == all.output_offset);
  CHECK(no_split.phi_arm_loss_db == all.phi_arm_loss_db);

  const MeshErrors no_cal = without(&ErrorModel::sigma_cal_rad),
                   no_noise = without(&ErrorModel::sigma_phase_rad);
  for (const MeshErrors* e : {&no_cal, &no_noise}) {
    CHECK(e->alpha == all.alpha);
    CHECK(e->beta == all.beta);
    CHECK(e->theta_arm_loss_db == all.theta_arm_loss_db);
    CHECK(e->theta_offset != all.theta_offset);
  }
  // the two phase sources add up to both
  CHECK((no_cal.theta_offset + no_noise.theta_offset - all.theta_offset).cwiseAbs().maxCoeff() < 1e-17);
  CHECK((no_cal.output_offset + no_noise.output_offset - all.output_offset).cwiseAbs().maxCoeff() < 1e-17);

  const MeshErrors no_spread = without(&ErrorModel::arm_loss_spread_db);
  CHECK(no_spread.alpha == all.alpha);
  CHECK(no_spread.phi_offset == all.phi_offset);
  for (const Vector* v : {&no_spread.theta_arm_loss_db, &no_spread.phi_arm_loss_db,
                          &no_spread.theta_other_loss_db, &no_spread.phi_other_loss_db})
    CHECK((v->array() == 0.165).all());
}

// fails when the mesh or the chip is left out of the address
TEST_CASE("errors are a function of seed, chip and mesh, scaling sigma scales the draw") {
  const MeshTopology t = clements_topology(6);
  const MeshErrors e = draw_mesh_errors(t, all_sources(), {1, 2, 3});
  CHECK(draw_mesh_errors(t, all_sources(), {1, 2, 3}).alpha == e.alpha);
  CHECK(draw_mesh_errors(t, all_sources(), {2, 2, 3}).alpha != e.alpha);
  CHECK(draw_mesh_errors(t, all_sources(), {1, 3, 2}).alpha != e.alpha);
  CHECK(draw_mesh_errors(t, all_sources(), {1, 3, 3}).alpha != e.alpha);
  CHECK(draw_mesh_errors(t, all_sources(), {1, 2, 2}).alpha != e.alpha);
  const MeshErrors twice = draw_mesh_errors(t, at_splitter_error(all_sources(), 0.04), {1, 2, 3});
  CHECK((twice.alpha - 2 * e.alpha).cwiseAbs().maxCoeff() < 1e-17);
  CHECK((twice.beta - 2 * e.beta).cwiseAbs().maxCoeff() < 1e-17);
  const MeshErrors ideal = draw_mesh_errors(t, error_preset("ideal"), {1, 2, 3});
  for (const Vector* v :
       {&ideal.alpha, &ideal.beta, &ideal.theta_offset, &ideal.phi_offset, &ideal.output_offset,
        &ideal.theta_arm_loss_db, &ideal.phi_arm_loss_db, &ideal.theta_other_loss_db, &ideal.phi_other_loss_db})
    CHECK(v->isZero(0));
}

TEST_CASE("presets: their values, typed") {
  struct Row {
    const char* name;
    double sigma_eta, sigma_cal, loss, spread, phase;
    int bits;
  };
  for (const Row& r : {Row{"ideal", 0, 0, 0, 0, 0, 0}, Row{"design-target", 0.005, 1e-3, 0.1, 0.005, 3e-4, 14},
                       Row{"good-lab", 0.01, 2e-3, 0.2, 0.02, 1e-3, 12},
                       // two couplers of 0.05 dB and two heater stages of 0.23 dB (Harris et al. 2014)
                       Row{"doped-heaters", 0.02, 5e-3, 0.56, 0.13, 1e-3, 12}}) {
    CAPTURE(r.name);
    const ErrorModel m = error_preset(r.name);
    CHECK(m.preset == r.name);
    CHECK(m.sigma_eta_rad == r.sigma_eta);
    CHECK(m.rho_ab == (r.bits == 0 ? 0.0 : 0.5));
    CHECK(m.sigma_cal_rad == r.sigma_cal);
    CHECK(m.mzi_loss_db == Approx(r.loss).epsilon(1e-15));
    CHECK(m.arm_loss_spread_db == r.spread);
    CHECK(m.sigma_phase_rad == r.phase);
    CHECK(m.dac_bits == r.bits);
    CHECK_NOTHROW(validate_errors(m));
  }
  CHECK_THROWS_WITH(error_preset("doped-heater"),
                    ContainsSubstring("doped-heater") && ContainsSubstring("\"doped-heaters\"?"));
}

// each fails when its validate() is taken out
TEST_CASE("error models that cannot be are refused by name") {
  const auto refused = [](double ErrorModel::*field, double value, const char* name) {
    ErrorModel m;
    m.*field = value;
    CHECK_THROWS_WITH(validate_errors(m), ContainsSubstring(name));
  };
  for (const double value : {-0.01, std::nan(""), HUGE_VAL}) {
    refused(&ErrorModel::sigma_eta_rad, value, "sigma_eta_rad");
    refused(&ErrorModel::sigma_cal_rad, value, "sigma_cal_rad");
    refused(&ErrorModel::mzi_loss_db, value, "mzi_loss_db");
    refused(&ErrorModel::arm_loss_spread_db, value, "arm_loss_spread_db");
    refused(&ErrorModel::sigma_phase_rad, value, "sigma_phase_rad");
  }
  for (const double value : {-1.01, 1.01, std::nan("")}) refused(&ErrorModel::rho_ab, value, "rho_ab");
  for (const int bits : {-1, 25}) {
    ErrorModel m;
    m.dac_bits = bits;
    CHECK_THROWS_WITH(validate_errors(m), ContainsSubstring("dac_bits"));
  }
}
