#include "experiments/interconnect/trace.hpp"

#include <algorithm>

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

}  // namespace

Json iteration_trace(const IterationResult& r, std::size_t most) {
  const auto servers = static_cast<std::size_t>(r.scenario.servers);
  std::size_t steps = 0;
  for (const StepRecord& s : r.steps)
    steps += static_cast<std::size_t>(s.repeats) + (s.reconfiguration_s > 0.0);
  // three names and two passes of computing a process, and a step twice: circuits and bytes
  const bool merge_steps = servers * (steps + 5) > most;
  const bool merge_servers = merge_steps && servers * (2 * r.steps.size() + 5) > most;
  const std::size_t processes = merge_servers ? 1 : servers;
  Json events = Json::array();
  const double begin_s = r.time.compute_s() - r.scenario.overlap * r.time.backward_s;
  for (std::size_t p = 0; p < processes; ++p) {
    const auto pid = static_cast<std::int64_t>(p);
    name_process(events, pid,
                 merge_servers ? std::to_string(servers) + " servers" : "server " + std::to_string(p));
    events.push_back(complete("forward", pid, 0, 0.0, r.time.forward_s, Json::object()));
    events.push_back(complete("backward", pid, 0, r.time.forward_s, r.time.backward_s, Json::object()));
    for (const StepRecord& s : r.steps) {
      double at_s = begin_s + s.start_s;
      if (s.reconfiguration_s > 0.0) {
        events.push_back(complete("circuits", pid, 1, at_s, s.reconfiguration_s, Json::object()));
        at_s += s.reconfiguration_s;
      }
      double bytes = 0.0;
      for (std::size_t i = 0; i < servers; ++i)
        if (merge_servers || i == p) bytes += s.server_bytes[i];
      const auto repeats = static_cast<double>(s.repeats);
      if (merge_steps) {
        events.push_back(complete(s.name, pid, 1, at_s, repeats * s.step_s,
                                  {{"bytes", repeats * bytes}, {"steps", s.repeats}}));
        continue;
      }
      for (std::int64_t k = 0; k < s.repeats; ++k)
        events.push_back(complete(s.repeats > 1 ? s.name + " " + std::to_string(k + 1) : s.name, pid, 1,
                                  at_s + static_cast<double>(k) * s.step_s, s.step_s, {{"bytes", bytes}}));
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
