// The laws themselves: their closed forms against published numbers, and that a law can fail.

#include "experiments/validate/laws.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

#include <omp.h>

#include "experiments/validate/laws_file.hpp"
#include "experiments/validate/measure.hpp"
#include "experiments/validate/run_laws.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

const Law& law_named(const std::string& name) {
  for (const Law& law : laws())
    if (law.name == name) return law;
  throw Error("no law " + name);
}

/// A Monte-Carlo law of standard normals scaled by x, whose rms is claimed to be `claimed` times x.
Law normal_law(double claimed, int trials) {
  return {.row = "1",
          .name = "normals",
          .kind = LawKind::monte_carlo,
          .formula = "x",
          .quantity = "rms",
          .sample = "one normal",
          .expected = [=](double x) { return claimed * x; },
          .relative_tolerance = 0.05,
          .measure = over_trials(
              Statistic::rms,
              [](double x, const LawTrial& trial) { return x * trial.stream(Purpose::test).normal(); }),
          .axis = {"x", "1", "scale"},
          .points = {{2, trials}}};
}

LawVerdict verdict_of(const Law& law, bool quick = false) {
  return check_law(law, law.points.front(), {quick, 3}).verdict;
}

}  // namespace

// Fails when a closed form loses a term or a factor
TEST_CASE("closed forms of the laws give the numbers published") {
  const auto gives = [](const std::string& name, double x, double published, double relative = 2e-3) {
    CAPTURE(name, x);
    CHECK(law_named(name).expected(x) == Approx(published).epsilon(relative));
  };
  // numbers of an independent NumPy model, with its digits
  gives("E0 uncorrected, 32 ports", 0.02, 0.1575);
  gives("Ec corrected unitary", 16, 0.00527);
  gives("Ec corrected unitary", 32, 0.01048);
  gives("Ec corrected unitary", 64, 0.02091);
  gives("Ec corrected orthogonal", 16, 0.01791);
  gives("Ec corrected orthogonal", 32, 0.03017);
  gives("Ec corrected orthogonal, 16 ports", 0.01, 0.00633);
  gives("clipped MZIs", 16, 0.556, 0.01);  // first order; the law has the next
  gives("clipped MZIs", 64, 33.72, 1e-3);
  gives("coverage", 0.02, 0.573, 0.01);
  gives("phase error", 16, 0.04);
  gives("DAC uniform in phase", 8, 0.02834);
  gives("DAC uniform in voltage", 8, 0.0326);
  gives("Ec three splitters", 16, 0.01275);
  gives("Ec three splitters", 32, 0.01346);
  gives("Ec three splitters", 64, 0.0138, 5e-3);
  gives("growth of Ec three splitters", 64, 1.08, 5e-3);
  gives("clipped MZIs of three splitters", 16, 0.548,
        0.01);  // that model's simulation: the next order
  gives("clipped MZIs of three splitters", 32, 1.256, 0.02);
  gives("clipped MZIs of three splitters", 64, 2.62, 0.01);
  gives("PAM4 symbol errors", 2, 0.03413);
  gives("PAM4 symbol errors", 2.5, 0.009314);
  gives("PAM4 symbol errors", 3, 0.002025);
  gives("ladder of heaters", 0.02, 0.0192379, 1e-6);
  gives("beat noise behind an SOA", -20, 5.664e-5, 1e-4);
  gives("OSNR of an SOA", -20, 31.0);
  gives("laser phase walk", 1e-6, std::sqrt(0.628319), 1e-6);
  gives("Ec corrected, trained 4-bit", 0.01, 0.01800);  // the matrices trained, the law of any
  gives("Ec corrected, trained 8-bit", 0.01, 0.030, 0.02);
  gives("power of unit P", 0.3, 0.9354);
  gives("spread of unit P", 0.3, 0.0304);
}

TEST_CASE("every law says what it is") {
  std::set<std::string> names, files;
  for (const Law& law : laws()) {
    CAPTURE(law.name);
    CHECK(names.insert(law.name).second);
    CHECK(files.insert(file_name_of(law.name)).second);
    CHECK_FALSE(law.formula.empty());
    CHECK_FALSE(law.quantity.empty());
    REQUIRE_FALSE(law.points.empty());
    if (law.points.size() > 1) CHECK_FALSE(law.axis.symbol.empty());
    for (const LawPoint& point : law.points) CHECK(std::isfinite(law.expected(point.x)));
    if (law.kind != LawKind::monte_carlo) continue;
    CHECK_FALSE(law.sample.empty());
    CHECK(law.points.size() > 1);  // a figure shows it
    CHECK(law.relative_tolerance + law.absolute_tolerance > 0);
  }
}

TEST_CASE("laws are chosen by row and by words of their names") {
  const auto chosen = [](const std::vector<std::string>& words) {
    std::vector<std::string> names;
    for (const Law* law : choose_laws(words)) names.push_back(law->name);
    return names;
  };
  CHECK(chosen({}).size() == laws().size());
  CHECK(chosen({"2"}) == std::vector<std::string>{"MZI product"});
  CHECK(chosen({"COVER", "mzi product", "2"}) == std::vector<std::string>{"MZI product", "coverage"});
  for (const std::string& name : chosen({"10"})) CHECK(law_named(name).row == "10");  // and not 10b
  CHECK(chosen({"10b"}).size() == 6);
  check_message(refusal([&] { chosen({"covrage"}); }), {"covrage", "\"coverage\""});
  check_message(refusal([&] { chosen({"99"}); }), {"\"99\"", "--list"});
  check_message(refusal([&] { chosen({""}); }), {"--list"});
}

TEST_CASE("a quick run leaves the long training out unless it is asked for") {
  const auto has = [](const std::vector<const Law*>& chosen, const std::string& name) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Law* law) { return law->name == name; });
  };
  CHECK(laws_to_run({}, false).size() == laws().size());
  CHECK(has(laws_to_run({}, true), "Ec corrected, trained 4-bit"));
  CHECK_FALSE(has(laws_to_run({}, true), "Ec corrected, trained 8-bit"));
  CHECK(has(laws_to_run({"trained 8-bit"}, true), "Ec corrected, trained 8-bit"));
}

// Fails when a stated time is added to the timed one, or shared out wrongly
TEST_CASE("a law that trains states its time, others are timed") {
  Law law = normal_law(1, 40);
  law.points = {{0.5, 40}, {2, 25}};
  law.stated_seconds = 3;
  CHECK(estimate_seconds({&law}, {}) == std::vector<double>{1.5, 1.5});
  law.stated_seconds = 0;
  for (const double seconds : estimate_seconds({&law}, {})) CHECK(seconds < 1);
}

TEST_CASE("statistics of a sample are as worked out by hand") {
  const Measured mean = estimate(Statistic::mean, {1, 2, 3, 6});  // squares about 3: 4, 1, 0, 9
  CHECK(mean.value == Approx(3));
  CHECK(mean.standard_error == Approx(std::sqrt(14.0 / 4 / 3)));
  const Measured rms = estimate(Statistic::rms, {1, 1, 1, 3});  // <x^2> = 3, <x^4> = 21
  CHECK(rms.value == Approx(std::sqrt(3.0)));
  CHECK(rms.standard_error == Approx(std::sqrt(12.0 / 4) / (2 * std::sqrt(3.0))));
  const Measured spread = estimate(Statistic::deviation, {4, 6, 4, 6});
  CHECK(spread.value == Approx(1));
  CHECK(spread.standard_error == 0);
  CHECK(spread.samples == std::vector<double>{4, 6, 4, 6});
}

// 400 samples of 200: their rms scatters by 1/sqrt(2 x 200) = 5 %, known to 1/sqrt(800) = 3.5 %; 5 sigma of
// that is 18 %. Fails when the root's 1/2 is left out
TEST_CASE("MC: the standard error of an rms is how far rms values lie apart") {
  const Law law = normal_law(1, 200);
  std::vector<double> found;
  double claimed = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Measured m = law.measure(1, {200, seed});
    found.push_back(m.value);
    claimed += m.standard_error / 400;
  }
  const double scatter = estimate(Statistic::deviation, found).value;
  CAPTURE(scatter, claimed);
  CHECK(claimed == Approx(scatter).epsilon(0.18));
}

// The law of normals: 5 standard errors of the rms are 5/sqrt(2R), 2.5 % at R = 20000, 5.6 % at 4000
TEST_CASE("a law holds within its tolerance, and only where its trials resolve it") {
  CHECK(verdict_of(normal_law(1, 20000)).passed);
  CHECK(verdict_of(normal_law(1, 20000)).tolerance == Approx(0.1));
  CHECK_FALSE(verdict_of(normal_law(1.1, 20000)).passed);
  CHECK_FALSE(verdict_of(normal_law(0.9, 20000)).passed);
  CHECK_FALSE(verdict_of(normal_law(1, 4000)).passed);  // right, but by luck it might have been wrong
  const LawVerdict quick = verdict_of(normal_law(1, 4000), true);
  CHECK(quick.passed);
  CHECK(quick.trials == 400);
  CHECK(quick.tolerance == Approx(5 * quick.standard_error));
  CHECK_FALSE(verdict_of(normal_law(1.5, 4000), true).passed);
  CHECK(trials_of(normal_law(1, 30), {0, 30}, true) == 20);
  CHECK(trials_of(law_named("MZI product"), {0, 1000}, true) == 1000);
}

TEST_CASE("what is no number holds no law") {
  Law law = normal_law(1, 100);
  law.kind = LawKind::exact;
  law.measure =
      largest_of([](double, const LawTrial& trial) { return trial.number == 41 ? std::nan("") : 0.1; });
  CHECK_FALSE(verdict_of(law).passed);
  law.measure = largest_of([](double, const LawTrial& trial) { return trial.number == 41 ? 2.0 : 0.1; });
  CHECK(verdict_of(law).measured == 2.0);
}

TEST_CASE("samples do not depend on threads, and every trial is told") {
  const Law& law = law_named("Ec corrected orthogonal");
  const int before = omp_get_max_threads();
  std::atomic<int> told = 0;
  std::vector<std::vector<double>> samples;
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    samples.push_back(law.measure(8, {30, 1, [&] { ++told; }}).samples);
  }
  omp_set_num_threads(before);
  CHECK(samples[0] == samples[1]);
  CHECK(samples[0].size() == 30);
  CHECK(told == 60);
}

TEST_CASE("a file holds the table, every sample and the line") {
  Law two = normal_law(1, 40);
  two.points = {{0.5, 40}, {2, 25}};
  Law exact = normal_law(1, 1);
  exact.name = "an exact one";
  exact.kind = LawKind::exact;
  exact.unit = "K";
  const LawOptions options{true, 5};
  std::vector<LawResult> results;
  for (const Law* law : {&two, &exact})
    for (const LawPoint& point : law->points) results.push_back(check_law(*law, point, options));
  const File file = File::in_memory("laws");
  write_laws(file.root(), results, options);

  const auto table = read_verdicts(file.root());
  REQUIRE(table.size() == 3);
  CHECK(table[0].name == "normals x=0.5");
  CHECK(table[2].unit == "K");
  for (std::size_t i = 0; i < table.size(); ++i) {
    const LawVerdict& written = results[i].verdict;
    CHECK(table[i].row == written.row);
    CHECK(table[i].kind == written.kind);
    CHECK(table[i].measured == written.measured);
    CHECK(table[i].tolerance == written.tolerance);
    CHECK(table[i].trials == written.trials);
    CHECK(table[i].passed == written.passed);
  }
  CHECK(file.group("series").children() == std::vector<std::string>{"normals"});
  const Group series = file.group("series/normals");
  const auto sample = series.read<double>("sample", {2, 20});
  CHECK(std::vector(sample.begin(), sample.begin() + 20) == results[0].samples);
  const auto line = series.read<double>("line").values;
  CHECK(line.front() == 0.5);
  CHECK(line.back() == Approx(2));
  CHECK(series.read<double>("theory", {line.size()})[50] == Approx(1.0));  // halfway by ratio
  CHECK(file_name_of("in phase, uncorrected N=3") == "in_phase_uncorrected_n_3");
}
