#include "experiments/fabrics/interconnect/circuits.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace optinc {
namespace {

/// The transfer of each colour at a sender or receiver.
using Colours = std::map<int, std::size_t>;

int lowest_free(const Colours& used) {
  int colour = 0;
  for (const auto& [taken, transfer] : used) {
    if (taken != colour) break;
    ++colour;
  }
  return colour;
}

/// Each pair of servers once, its bytes added up.
std::vector<Transfer> merged(const std::vector<Transfer>& transfers) {
  std::map<std::pair<int, int>, double> bytes;
  for (const Transfer& t : transfers) bytes[{t.source, t.destination}] += t.bytes;
  std::vector<Transfer> result;
  for (const auto& [pair, sum] : bytes) result.push_back({pair.first, pair.second, sum});
  return result;
}

}  // namespace

std::vector<int> edge_colours(int servers, std::span<const Transfer> transfers) {
  const auto n = static_cast<std::size_t>(servers);
  std::vector<Colours> at(2 * n);  // senders, then receivers
  std::vector<int> colours(transfers.size(), 0);
  const auto sender = [&](std::size_t t) { return static_cast<std::size_t>(transfers[t].source); };
  const auto receiver = [&](std::size_t t) { return n + static_cast<std::size_t>(transfers[t].destination); };
  const auto put = [&](std::size_t t, int colour) {
    colours[t] = colour;
    at[sender(t)][colour] = t;
    at[receiver(t)][colour] = t;
  };
  for (std::size_t t = 0; t < transfers.size(); ++t) {
    const int a = lowest_free(at[sender(t)]), b = lowest_free(at[receiver(t)]);
    // swap a and b along the path that begins at the receiver: it cannot reach the sender, where a is free
    std::vector<std::size_t> path;
    std::size_t node = receiver(t);
    for (int want = a;; want = want == a ? b : a) {
      const auto next = at[node].find(want);
      if (a == b || next == at[node].end()) break;
      path.push_back(next->second);
      node = node < n ? receiver(next->second) : sender(next->second);
    }
    for (const std::size_t p : path) {
      at[sender(p)].erase(colours[p]);
      at[receiver(p)].erase(colours[p]);
    }
    for (const std::size_t p : path) put(p, colours[p] == a ? b : a);
    put(t, a);
  }
  return colours;
}

std::vector<CircuitRound> circuit_rounds(int servers, const std::vector<Transfer>& transfers, int transceivers,
                                         double port_bytes_per_s, double set_s) {
  const std::vector<Transfer> pairs = merged(transfers);
  const std::vector<int> colours = edge_colours(servers, pairs);
  std::vector<CircuitRound> rounds;
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    const auto round = static_cast<std::size_t>(colours[t] / transceivers);
    if (round >= rounds.size()) rounds.resize(round + 1);
    rounds[round].transfers.push_back(pairs[t]);
  }
  double at_s = 0.0;
  for (CircuitRound& round : rounds) {
    round.start_s = at_s;
    round.set_s = set_s;
    round.serial_s = busiest_port_s(servers, round.transfers, port_bytes_per_s);
    at_s += round.set_s + round.serial_s;
  }
  return rounds;
}

double busiest_port_s(int servers, const std::vector<Transfer>& transfers, double port_bytes_per_s) {
  std::vector<double> out(static_cast<std::size_t>(servers), 0.0), in = out;
  for (const Transfer& t : transfers) {
    out[static_cast<std::size_t>(t.source)] += t.bytes;
    in[static_cast<std::size_t>(t.destination)] += t.bytes;
  }
  return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end())) /
         port_bytes_per_s;
}

}  // namespace optinc
