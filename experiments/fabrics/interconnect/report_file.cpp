#include <fmt/format.h>

#include "experiments/fabrics/interconnect/report.hpp"

namespace optinc {
namespace {

template <class T>
std::vector<T> column(const InterconnectResults& all, std::size_t field) {
  std::vector<T> values;
  for (const IterationResult& r : all.results) {
    const FieldValue value = scenario_fields(r.scenario)[field].value;
    if constexpr (std::is_same_v<T, std::uint8_t>)
      values.push_back(std::get<bool>(value) ? 1 : 0);
    else
      values.push_back(std::get<T>(value));
  }
  return values;
}

void write_scenarios(const Group& group, const InterconnectResults& all) {
  group.counting_dimension("scenario", all.results.size(), "scenario, in the order of the list");
  const std::vector<FieldEntry> fields = scenario_fields({});
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const Row& info = fields[k].info;
    const FieldValue& type = fields[k].value;
    const std::string long_name = info.source.empty()
                                      ? std::string(info.meaning)
                                      : fmt::format("{}; source: {}", info.meaning, info.source);
    const auto put = [&](const auto& values) {
      group.dataset(info.key, {"scenario"}, values, info.unit, long_name);
    };
    if (std::holds_alternative<bool>(type)) put(column<std::uint8_t>(all, k));
    if (std::holds_alternative<std::int64_t>(type)) put(column<std::int64_t>(all, k));
    if (std::holds_alternative<double>(type)) put(column<double>(all, k));
    if (std::holds_alternative<std::string>(type)) put(column<std::string>(all, k));
  }
  write_iterations(group, all);
  group.dataset("normalised", {"scenario"}, all.normalised, "1", "iteration time over that of the reference");
}

void write_sensitivity(const Group& group, const std::vector<SensitivityPoint>& points) {
  std::vector<std::string> name, subject, reference, key, text;
  std::vector<double> value, ratio;
  std::vector<std::uint8_t> nominal;
  for (const SensitivityPoint& p : points) {
    name.push_back(p.name);
    subject.push_back(p.subject);
    reference.push_back(p.reference);
    key.push_back(p.key);
    text.push_back(p.value_text);
    value.push_back(p.value);
    ratio.push_back(p.ratio);
    nominal.push_back(p.nominal ? 1 : 0);
  }
  group.counting_dimension("point", points.size(), "value of an assumption");
  group.dataset("name", {"point"}, name, "1", "assumption that is varied");
  group.dataset("subject", {"point"}, subject, "1", "scenario that is varied");
  group.dataset("reference", {"point"}, reference, "1", "scenario that the subject is divided by");
  group.dataset("key", {"point"}, key, "1", "key that is varied");
  group.dataset("value_text", {"point"}, text, "1", "value of the key");
  group.dataset("value", {"point"}, value, "1", "value of the key in its SI unit, NaN for a name");
  group.dataset("ratio", {"point"}, ratio, "1", "iteration time of subject over that of reference");
  group.dataset("nominal", {"point"}, nominal, "1", "1 for the nominal value");
}

void write_links(const Group& group, const InterconnectResults& all) {
  std::vector<std::string> names;
  std::vector<std::int64_t> scenario, peak;
  std::vector<double> capacity, bytes, utilisation;
  for (std::size_t i = 0; i < all.results.size(); ++i)
    for (const LinkUse& l : all.results[i].links) {
      names.push_back(l.name);
      scenario.push_back(static_cast<std::int64_t>(i));
      peak.push_back(l.peak_flows);
      capacity.push_back(l.capacity_bytes_per_s);
      bytes.push_back(l.bytes);
      utilisation.push_back(l.utilisation);
    }
  group.counting_dimension("link", names.size(), "directed link of a scenario");
  group.dataset("scenario_of", {"link"}, scenario, "1", "number of the scenario that the link belongs to");
  group.dataset("name", {"link"}, names, "1", "place and direction of the link");
  group.dataset("capacity_bytes_per_s", {"link"}, capacity, "byte/s", "capacity of the link");
  group.dataset("bytes", {"link"}, bytes, "byte", "bytes that crossed the link in an iteration");
  group.dataset("utilisation", {"link"}, utilisation, "1",
                "bytes over what the link could have carried in the same time");
  group.dataset("peak_flows", {"link"}, peak, "1", "largest number of flows at the start of a step");
}

}  // namespace

void write_interconnect(const Group& root, const InterconnectResults& all) {
  write_scenarios(root.group("interconnect"), all);
  if (!all.sensitivity.empty()) write_sensitivity(root.group("sensitivity"), all.sensitivity);
  write_links(root.group("links"), all);
}

}  // namespace optinc
