#include "experiments/fabrics/interconnect/trace.hpp"

#include <string>

#include <fmt/format.h>

namespace optinc {
namespace {

using Json = nlohmann::ordered_json;

Json complete(const std::string& name, std::int64_t process, int thread, double start_s, double duration_s,
              Json arguments) {
  return {{"name", name},
          {"ph", "X"},
          {"pid", process},
          {"tid", thread},
          {"ts", 1e6 * start_s},
          {"dur", 1e6 * duration_s},
          {"args", std::move(arguments)}};
}

void name_process(Json& events, std::int64_t process, const std::string& name) {
  events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"args", {{"name", name}}}});
  const char* const threads[] = {"compute", "network"};
  for (int t = 0; t < 2; ++t)
    events.push_back(
        {{"name", "thread_name"}, {"ph", "M"}, {"pid", process}, {"tid", t}, {"args", {{"name", threads[t]}}}});
}

/// Steps of one record, circuits before the first of them or before each; `merged`: in one event.
void add_steps(Json& events, const StepRecord& s, std::int64_t process, double at_s, double bytes,
               bool merged) {
  const auto repeats = static_cast<double>(s.repeats);
  if (merged) {
    const double set_s = static_cast<double>(s.times_set) * s.set_s;
    if (set_s > 0.0) events.push_back(complete("circuits", process, 1, at_s, set_s, {{"times", s.times_set}}));
    events.push_back(complete(s.name, process, 1, at_s + set_s, repeats * s.step_s,
                              {{"bytes", repeats * bytes}, {"steps", s.repeats}}));
    return;
  }
  for (std::int64_t k = 0; k < s.repeats; ++k) {
    if (k < s.times_set && s.set_s > 0.0) {
      events.push_back(complete("circuits", process, 1, at_s, s.set_s, Json::object()));
      at_s += s.set_s;
    }
    events.push_back(complete(s.repeats > 1 ? fmt::format("{} {}", s.name, k + 1) : s.name, process, 1, at_s,
                              s.step_s, {{"bytes", bytes}}));
    at_s += s.step_s;
  }
}

}  // namespace

Json iteration_trace(const IterationResult& r, std::size_t most) {
  const auto servers = static_cast<std::size_t>(r.scenario.servers);
  std::size_t steps = 0;
  for (const StepRecord& s : r.steps) steps += static_cast<std::size_t>(s.repeats + s.times_set);
  // three names, two passes of computing and the job's circuits a process, and a step twice: circuits and bytes
  const bool merge_steps = servers * (steps + 6) > most;
  const bool merge_servers = merge_steps && servers * (2 * r.steps.size() + 6) > most;
  const std::size_t processes = merge_servers ? 1 : servers;
  Json events = Json::array();
  const double begin_s = r.time.compute_s() - r.scenario.overlap * r.time.backward_s;
  for (std::size_t p = 0; p < processes; ++p) {
    const auto pid = static_cast<std::int64_t>(p);
    name_process(events, pid, merge_servers ? fmt::format("{} servers", servers) : fmt::format("server {}", p));
    events.push_back(complete("forward", pid, 0, 0.0, r.time.forward_s, Json::object()));
    events.push_back(complete("backward", pid, 0, r.time.forward_s, r.time.backward_s, Json::object()));
    if (r.setup_share_s > 0.0)
      events.push_back(complete("circuits of the job", pid, 1, begin_s, r.setup_share_s, Json::object()));
    for (const StepRecord& s : r.steps) {
      double bytes = 0.0;
      for (std::size_t i = 0; i < servers; ++i)
        if (merge_servers || i == p) bytes += s.server_bytes[i];
      add_steps(events, s, pid, begin_s + s.start_s, bytes, merge_steps);
    }
  }
  return {{"traceEvents", std::move(events)},
          {"displayTimeUnit", "ns"},
          {"otherData",
           {{"scenario", r.scenario.name},
            {"servers", servers},
            {"calibrated", r.scenario.calibrated},
            {"aggregated", merge_servers ? "steps and servers" : (merge_steps ? "steps" : "nothing")}}}};
}

}  // namespace optinc
