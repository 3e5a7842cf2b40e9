#include "experiments/validate/laws_file.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "experiments/validate/report.hpp"

namespace optinc {
namespace {

constexpr int line_points = 101;

/// One value of every verdict.
template <class Get>
auto column(std::span<const LawResult> results, Get get) {
  std::vector<std::decay_t<decltype(get(results.front().verdict))>> values;
  for (const LawResult& r : results) values.push_back(get(r.verdict));
  return values;
}

/// Places between the ends of the points, even by ratio where all are positive; whole numbers where the points
/// are (ports, bits).
std::vector<double> line_of(const std::vector<double>& x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const bool whole = std::all_of(x.begin(), x.end(), [](double v) { return v == std::round(v); });
  std::vector<double> line;
  for (int i = 0; i < line_points; ++i) {
    const double share = static_cast<double>(i) / (line_points - 1);
    const double place = *low > 0 ? *low * std::pow(*high / *low, share) : *low + share * (*high - *low);
    line.push_back(whole ? std::round(place) : place);
  }
  line.erase(std::unique(line.begin(), line.end()), line.end());
  return line;
}

/// The points of one Monte-Carlo law.
void write_series(const Group& group, std::span<const LawResult> results) {
  const Law& law = *results.front().law;
  const auto x = column(results, [](const LawVerdict& v) { return v.x; });
  const auto line = line_of(x);
  std::size_t most = 1;
  for (const LawResult& r : results) most = std::max(most, r.samples.size());
  std::vector<double> samples, theory;
  for (const LawResult& r : results) {
    samples.insert(samples.end(), r.samples.begin(), r.samples.end());
    samples.resize(samples.size() + most - r.samples.size(), std::numeric_limits<double>::quiet_NaN());
  }
  for (const double place : line) theory.push_back(law.expected(place));

  const Attributes a = group.attributes();
  a.set("row", law.row);
  a.set("name", law.name);
  a.set("formula", law.formula);
  a.set("axis", law.axis.symbol);
  group.dimension("x", x, law.axis.unit, law.axis.long_name);
  group.dimension("line", line, law.axis.unit, law.axis.long_name);
  group.counting_dimension("trial", most, "trial");
  group.dataset("expected", {"x"}, column(results, [](const LawVerdict& v) { return v.expected; }), law.unit,
                "closed form");
  group.dataset("measured", {"x"}, column(results, [](const LawVerdict& v) { return v.measured; }), law.unit,
                law.quantity);
  group.dataset("standard_error", {"x"}, column(results, [](const LawVerdict& v) { return v.standard_error; }),
                law.unit, "standard error of measured");
  group.dataset("tolerance", {"x"}, column(results, [](const LawVerdict& v) { return v.tolerance; }), law.unit,
                "allowed distance of measured from expected");
  group.dataset("theory", {"line"}, theory, law.unit, "closed form between the points");
  group.dataset("sample", {"x", "trial"}, samples, law.unit, law.sample);
}

}  // namespace

std::string file_name_of(std::string_view law) {
  std::string name;
  for (const char c : law) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  return name;
}

void write_laws(const Group& root, std::span<const LawResult> results, const LawOptions& options) {
  root.attributes().set("seed", static_cast<std::int64_t>(options.seed));
  const Group table = root.group("laws");
  table.attributes().set("quick", std::int64_t{options.quick});
  const auto text = [&](const char* name, std::string LawVerdict::*member, const char* long_name) {
    table.dataset(name, {"check"}, column(results, [=](const LawVerdict& v) { return v.*member; }), "1",
                  long_name);
  };
  const auto number = [&](const char* name, double LawVerdict::*member, const char* unit,
                          const char* long_name) {
    table.dataset(name, {"check"}, column(results, [=](const LawVerdict& v) { return v.*member; }), unit,
                  long_name);
  };
  table.dimension("check", column(results, [](const LawVerdict& v) { return v.name; }), "1", "point of a law");
  text("row", &LawVerdict::row, "row of the validation table");
  text("law", &LawVerdict::law, "law that the point is of");
  text("kind", &LawVerdict::kind,
       "what the law rests on: exact, conservation, analytic, published or monte-carlo");
  text("formula", &LawVerdict::formula, "formula of the expected value");
  text("unit", &LawVerdict::unit, "unit of the numbers of this point");
  number("x", &LawVerdict::x, "1", "place on the axis of the law, in that axis' unit; 0 without axis");
  number("expected", &LawVerdict::expected, "1", "closed form or published number, in `unit`");
  number("measured", &LawVerdict::measured, "1", "what the simulator gave, in `unit`");
  number("standard_error", &LawVerdict::standard_error, "1",
         "of measured, in `unit`; 0 where nothing is random");
  number("tolerance", &LawVerdict::tolerance, "1", "allowed distance of measured from expected, in `unit`");
  table.dataset("trials", {"check"},
                column(results, [](const LawVerdict& v) { return static_cast<std::int64_t>(v.trials); }), "1",
                "trials or cases");
  table.dataset("passed", {"check"},
                column(results, [](const LawVerdict& v) { return static_cast<std::uint8_t>(v.passed); }), "1",
                "1 where the law holds; a full run must also resolve it: 5 standard errors <= tolerance");
  number("seconds", &LawVerdict::seconds, "s", "time taken");
  for (std::size_t first = 0, last = 0; first < results.size(); first = last) {
    while (last < results.size() && results[last].law == results[first].law) ++last;
    const Law& law = *results[first].law;
    if (law.kind == LawKind::monte_carlo)
      write_series(root.group("series/" + file_name_of(law.name)), results.subspan(first, last - first));
  }
}

std::vector<LawVerdict> read_verdicts(const Group& root) {
  const Group table = root.open("laws");
  const auto name = table.read<std::string>("check").values;
  const std::size_t n = name.size();
  const auto text = [&](const char* column) { return table.read<std::string>(column, {n}); };
  const auto number = [&](const char* column) { return table.read<double>(column, {n}); };
  const auto row = text("row"), law = text("law"), kind = text("kind"), formula = text("formula"),
             unit = text("unit");
  const auto x = number("x"), expected = number("expected"), measured = number("measured"),
             error = number("standard_error"), tolerance = number("tolerance"), seconds = number("seconds");
  const auto trials = table.read<std::int64_t>("trials", {n});
  const auto passed = table.read<std::uint8_t>("passed", {n});
  std::vector<LawVerdict> verdicts;
  for (std::size_t i = 0; i < n; ++i)
    verdicts.push_back({row[i], law[i], name[i], kind[i], formula[i], unit[i], x[i], expected[i], measured[i],
                        error[i], tolerance[i], static_cast<long>(trials[i]), passed[i] != 0, seconds[i]});
  return verdicts;
}

nlohmann::ordered_json verdicts_json(const Group& root) {
  auto list = nlohmann::ordered_json::array();
  for (const LawVerdict& verdict : read_verdicts(root)) list.push_back(verdict_json(verdict));
  return list;
}

std::string verdicts_text(const Group& root) {
  const std::vector<LawVerdict> verdicts = read_verdicts(root);
  std::string text = verdict_heading();
  for (const LawVerdict& verdict : verdicts) text += verdict_line(verdict);
  return text + verdict_summary(verdicts);
}

}  // namespace optinc
