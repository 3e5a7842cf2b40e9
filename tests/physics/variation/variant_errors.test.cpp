// What is drawn for meshes of other kinds of MZIs: the plain mesh's draws stay, the new sources have streams of
// their own.

#include "physics/variation/variant_errors.hpp"

#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

constexpr MziKind every_kind[] = {MziKind::standard, MziKind::real, MziKind::three_splitter, MziKind::balanced};

ErrorModel splitters(double rho) {
  ErrorModel m = error_preset("doped-heaters");
  m.rho_ab = rho;
  return m;
}

double mean_of_products(const Vector& a, const Vector& b) { return a.dot(b) / static_cast<double>(a.size()); }

}  // namespace

// Fails when gamma is drawn from the stream of alpha and beta, or for a kind without a third splitter
TEST_CASE("a mesh of any kind has the errors of the plain mesh of its number, to the bit") {
  const MeshTopology t = clements_topology(9);
  const MeshAddress address{7, 3, 1};
  const MeshErrors plain = draw_mesh_errors(t, splitters(0.5), address);
  for (const MziKind kind : every_kind) {
    CAPTURE(static_cast<int>(kind));
    const MeshVariantErrors e = draw_variant_errors(t, kind, splitters(0.5), 0.01, address);
    CHECK(e.mzis.alpha == plain.alpha);
    CHECK(e.mzis.beta == plain.beta);
    CHECK(e.mzis.theta_offset == plain.theta_offset);
    CHECK(e.mzis.phi_offset == plain.phi_offset);
    CHECK(e.mzis.theta_arm_loss_db == plain.theta_arm_loss_db);
    CHECK(e.mzis.output_offset == plain.output_offset);
    CHECK(e.gamma.isZero(0.0) == !has_third_splitter(kind));
    CHECK(e.common_offset == draw_variant_errors(t, MziKind::standard, {}, 0.01, address).common_offset);
    CHECK(e.output_offset.isZero(0.0));
    CHECK(draw_variant_errors(t, kind, splitters(0.5), 0.0, address).common_offset.isZero(0.0));
  }
}

// One mesh of 128 ports, n = 8128 MZIs. 5 sigma: spread 5/sqrt(2 n) = 3.9 %, correlation 5/sqrt(n) = 0.055.
// Fails when gamma goes by beta (its correlation with alpha is then rho^2), or sqrt(1 - rho^2) is left out
TEST_CASE("MC: splitters of a block are a chain of correlation rho_ab, common phases independent of them") {
  const MeshTopology t = clements_topology(128);
  const double n = t.mzi_count(), spread = 5 / std::sqrt(2 * n), correlation = 5 / std::sqrt(n);
  for (const double rho : {-0.4, 0.0, 0.5, 1.0}) {
    CAPTURE(rho);
    const MeshVariantErrors e = draw_variant_errors(t, MziKind::balanced, splitters(rho), 0.03, {44, 1, 0});
    const double scale = 0.02 * 0.02;
    CHECK(std::sqrt(mean_of_products(e.gamma, e.gamma)) == Approx(0.02).epsilon(spread));
    CHECK(std::abs(mean_of_products(e.gamma, e.mzis.alpha) / scale - rho) < correlation * 1.5);
    CHECK(std::abs(mean_of_products(e.gamma, e.mzis.beta) / scale - rho * rho) < correlation * 1.5);
    CHECK(std::sqrt(mean_of_products(e.common_offset, e.common_offset)) == Approx(0.03).epsilon(spread));
    for (const Vector* other : {&e.gamma, &e.mzis.alpha, &e.mzis.theta_offset})
      CHECK(std::abs(e.common_offset.normalized().dot(other->normalized())) < correlation);
  }
}

// The same mesh and tolerances. Fails when one draw serves two splitters, or the estimate is drawn where it is
// exact
TEST_CASE("MC: estimates of splitters miss them by sigma_estimate, each by an error of its own") {
  const MeshTopology t = clements_topology(128);
  const double n = t.mzi_count(), spread = 5 / std::sqrt(2 * n), correlation = 5 / std::sqrt(n);
  const MeshAddress address{45, 2, 0};
  const MeshVariantErrors e = draw_variant_errors(t, MziKind::balanced, splitters(0.5), 0.0, address);
  const KnownSplitters exact = estimate_splitters(e, MziKind::balanced, 0.0, address);
  CHECK((exact.alpha == e.mzis.alpha && exact.beta == e.mzis.beta && exact.gamma == e.gamma));
  const KnownSplitters found = estimate_splitters(e, MziKind::balanced, 1e-3, address);
  const Vector misses[] = {found.alpha - e.mzis.alpha, found.beta - e.mzis.beta, found.gamma - e.gamma};
  for (const Vector& miss : misses) {
    CHECK(std::sqrt(mean_of_products(miss, miss)) == Approx(1e-3).epsilon(spread));
    CHECK(std::abs(miss.normalized().dot(e.mzis.alpha.normalized())) < correlation);
  }
  CHECK(std::abs(misses[0].normalized().dot(misses[1].normalized())) < correlation);
  CHECK(std::abs(misses[1].normalized().dot(misses[2].normalized())) < correlation);
  const MeshVariantErrors plain = draw_variant_errors(t, MziKind::standard, splitters(0.5), 0.0, address);
  const KnownSplitters of_plain = estimate_splitters(plain, MziKind::standard, 1e-3, address);
  CHECK(of_plain.alpha == found.alpha);
  CHECK(of_plain.gamma.isZero(0.0));
}

// Fails when a negative rms passes
TEST_CASE("variant errors: an impossible rms is refused") {
  const MeshTopology t = clements_topology(4);
  for (const double bad : {-1e-3, std::nan(""), double(INFINITY)}) {
    CHECK_THROWS_WITH(draw_variant_errors(t, MziKind::real, {}, bad, {}),
                      ContainsSubstring("sigma_common_rad"));
    CHECK_THROWS_WITH(estimate_splitters(no_variant_errors(t), MziKind::real, bad, {}),
                      ContainsSubstring("sigma_estimate_rad"));
  }
}

// Fails when a name stands for another kind
TEST_CASE("kinds of MZIs have names") {
  for (const MziKind kind : every_kind)
    CHECK(value_of_name<MziKind>(names_of<MziKind>()[static_cast<std::size_t>(kind)]) == kind);
  CHECK(value_of_name<MziKind>("three-splitter") == MziKind::three_splitter);
  CHECK(value_of_name<MziKind>("balanced") == MziKind::balanced);
  CHECK_THROWS_WITH(value_of_name<MziKind>("balance"), ContainsSubstring("mean \"balanced\"?"));
}
