#include "experiments/fabrics/interconnect/trace.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

IterationResult iteration(const char* network, const char* reconfigure = "on-change") {
  Scenario s;
  s.name = "traced";
  s.network = network;
  s.reconfigure = reconfigure;
  s.job_iterations = 1000;
  return simulate_iteration(s);
}

int count(const nlohmann::ordered_json& trace, const char* phase, std::string_view name = "") {
  int n = 0;
  for (const auto& e : trace["traceEvents"])
    n += e["ph"] == phase && (name.empty() || e["name"] == std::string(name));
  return n;
}

/// Of server 0.
std::pair<double, double> end_and_bytes(const nlohmann::ordered_json& trace) {
  double end_us = 0.0, bytes = 0.0;
  for (const auto& e : trace["traceEvents"])
    if (e["ph"] == "X" && e["pid"] == 0) {
      end_us = std::max(end_us, e["ts"].get<double>() + e["dur"].get<double>());
      if (e["args"].contains("bytes")) bytes += e["args"]["bytes"].get<double>();
    }
  return {end_us, bytes};
}

}  // namespace

TEST_CASE("a trace has the steps of every server, or says what it gathered") {
  const IterationResult r = iteration("switch");
  const auto all = iteration_trace(r);
  CHECK(count(all, "M") == 4 * 3);
  CHECK(count(all, "X") == 4 * (2 + 6));
  CHECK(all["otherData"]["aggregated"] == "nothing");
  CHECK(end_and_bytes(all).first == Approx(1e6 * r.total_s));
  CHECK(end_and_bytes(all).second == Approx(r.sent_bytes));
  CHECK(iteration_trace(r, 45)["otherData"]["aggregated"] == "steps");
  CHECK(count(iteration_trace(r, 45), "X") == 4 * (2 + 1));
  CHECK(iteration_trace(r, 5)["otherData"]["aggregated"] == "steps and servers");
}

// fails when the share of the job's set-up is left out, or all circuits are drawn before the first step
TEST_CASE("a trace of ODDL ends with the iteration, circuits before the steps that wait for them") {
  for (const auto& [reconfigure, sets] : {std::pair{"on-change", 1}, {"every-step", 6}}) {
    const IterationResult r = iteration("oddl", reconfigure);
    const auto trace = iteration_trace(r);
    CHECK(count(trace, "X", "circuits of the job") == 4);
    CHECK(count(trace, "X", "circuits") == 4 * sets);
    CHECK(end_and_bytes(trace).first == Approx(1e6 * r.total_s));
    CHECK(end_and_bytes(iteration_trace(r, 45)).first == Approx(1e6 * r.total_s));
    double last_us = 0.0;  // events of one server's network, none over the one before
    for (const auto& e : trace["traceEvents"])
      if (e["ph"] == "X" && e["pid"] == 0 && e["tid"] == 1) {
        CHECK(e["ts"].get<double>() >= last_us * (1 - 1e-12));
        last_us = e["ts"].get<double>() + e["dur"].get<double>();
      }
  }
}
