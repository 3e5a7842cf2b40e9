// SimGrid against the flow-level engine: one step of a ring over fat-trees, routed D-mod-k, linear and random
// placement. Built where pkg-config finds simgrid (option OPTINC_WITH_SIMGRID); written for 3.32, whose
// fat-tree zones version 4 names otherwise. fails when the engine shares links otherwise than max-min, or
// D-mod-k takes other switches
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "experiments/fabrics/interconnect/fabric.hpp"

namespace {

namespace sg = simgrid::s4u;

optinc::Scenario ring(int radix, const char* placement) {
  optinc::Scenario s;
  s.name = "ring";
  s.network = "fat-tree";
  s.routing = "d-mod-k";
  s.radix = radix;
  s.servers = radix * radix * radix / 4;
  s.rate_bit_per_s = 100e9;
  s.placement = placement;
  s.step_latency_s = 0.0;
  s.hop_latency_s = 1e-9;  // of a link; what little it matters SimGrid counts too
  return s;
}

/// Of the transfer from server i: equal ones end together, unlike ones share anew what others leave.
double size(int i, bool equal) { return equal ? 1e9 : 1e9 * (1 + i % 3); }

}  // namespace

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  // the default model adds what TCP does with windows: 1.6 times slower here
  for (const char* flag : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0"})
    sg::Engine::set_config(flag);
  auto* all = sg::create_full_zone("all");
  struct Case {
    int radix;
    const char* placement;
    bool equal;
    std::vector<sg::Host*> hosts;
    double seconds = 0.0;
  };
  std::vector<Case> cases;
  for (const int radix : {4, 8, 12})
    for (const char* placement : {"linear", "random"})
      for (const bool equal : {true, false}) cases.push_back({radix, placement, equal, {}, 0.0});
  int number = 0;
  for (Case& c : cases) {
    const auto half = static_cast<unsigned>(c.radix / 2), k = static_cast<unsigned>(c.radix);
    c.hosts.resize(half * half * k);
    const auto make_host = [&c](sg::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
      auto* host = zone->create_host("host-" + zone->get_name() + "-" + std::to_string(id), 1e9);
      host->seal();
      c.hosts[id] = host;
      return std::make_pair(host->get_netpoint(), static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
    };
    sg::create_fatTree_zone("tree" + std::to_string(number++), all,
                            {3, {half, half, k}, {1, half, half}, {1, 1, 1}}, sg::ClusterCallbacks(make_host),
                            12.5e9, 1e-9, sg::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
  }
  all->seal();
  sg::Actor::create("driver", cases[0].hosts[0], [&cases] {
    for (Case& c : cases) {
      const auto fabric = optinc::make_fabric(ring(c.radix, c.placement));
      const double start = sg::Engine::get_clock();
      std::vector<sg::CommPtr> flows;
      const std::size_t n = fabric.places.size();
      for (std::size_t s = 0; s < n; ++s)
        flows.push_back(sg::Comm::sendto_async(c.hosts[static_cast<std::size_t>(fabric.places[s])],
                                               c.hosts[static_cast<std::size_t>(fabric.places[(s + 1) % n])],
                                               static_cast<uint64_t>(size(static_cast<int>(s), c.equal))));
      for (const auto& flow : flows) flow->wait();
      c.seconds = sg::Engine::get_clock() - start;
    }
  });
  engine.run();
  bool agree = true;
  for (const Case& c : cases) {
    const optinc::Scenario s = ring(c.radix, c.placement);
    std::vector<optinc::Transfer> transfers;
    const int n = static_cast<int>(s.servers);
    for (int i = 0; i < n; ++i) transfers.push_back({i, (i + 1) % n, size(i, c.equal)});
    const optinc::Step own = optinc::solve_step(s, optinc::make_fabric(s), transfers);
    const double seconds = own.serial_s + own.latency_s, ratio = c.seconds / seconds;
    std::printf("radix %2d, %5d servers, %s, %s sizes: SimGrid %.6f s, own %.6f s, ratio %.6f\n", c.radix, n,
                c.placement, c.equal ? "equal" : "unlike", c.seconds, seconds, ratio);
    agree = agree && std::abs(ratio - 1.0) < 1e-5;
  }
  return agree ? 0 : 1;
}
