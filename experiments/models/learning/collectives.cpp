#include "experiments/models/learning/collectives.hpp"

#include <algorithm>
#include <bit>

#include "physics/core/check.hpp"

namespace optinc {
namespace {

void validate_servers(const Eigen::MatrixXf& gradients) {
  validate(gradients.cols() >= 1, "gradients of 0 servers (there is nothing to average). Pass a column each.");
}

/// The share of all-reduces that keep every wire equally busy.
Traffic balanced(int steps, Eigen::Index servers) {
  const double share = 2.0 * static_cast<double>(servers - 1) / static_cast<double>(servers);
  return {steps, share, share};
}

}  // namespace

Traffic ring_all_reduce(Eigen::MatrixXf& gradients) {
  validate_servers(gradients);
  const Eigen::Index n = gradients.cols(), elements = gradients.rows();
  const auto begin = [&](Eigen::Index piece) { return piece * elements / n; };
  const auto piece_of = [&](Eigen::Index server, Eigen::Index piece) {
    return gradients.col(server).segment(begin(piece), begin(piece + 1) - begin(piece));
  };
  const auto modulo = [n](Eigen::Index i) { return ((i % n) + n) % n; };
  // in one step no piece that is sent is one that is written, so that servers may take turns
  for (Eigen::Index t = 0; t + 1 < n; ++t)
    for (Eigen::Index s = 0; s < n; ++s) {
      const Eigen::Index piece = modulo(s - t);
      piece_of(modulo(s + 1), piece) += piece_of(s, piece);
    }
  for (Eigen::Index s = 0; s < n; ++s) piece_of(s, modulo(s + 1)) /= static_cast<float>(n);
  for (Eigen::Index t = 0; t + 1 < n; ++t)
    for (Eigen::Index s = 0; s < n; ++s) {
      const Eigen::Index piece = modulo(s + 1 - t);
      piece_of(modulo(s + 1), piece) = piece_of(s, piece);
    }
  return balanced(static_cast<int>(2 * (n - 1)), n);
}

Traffic halving_doubling(Eigen::MatrixXf& gradients) {
  validate_servers(gradients);
  const Eigen::Index n = gradients.cols(), elements = gradients.rows();
  validate(std::has_single_bit(static_cast<std::uint64_t>(n)),
           "{} servers (halving pairs them: 1, 2, 4, 8 ..). Choose {}, or the ring.", n,
           std::bit_ceil(static_cast<std::uint64_t>(n)));
  // pieces of 1/N; a server holds those whose numbers agree with its own in the bits already settled
  const auto begin = [&](Eigen::Index piece) { return piece * elements / n; };
  const auto held = [&](Eigen::Index server, Eigen::Index distance) {  // pieces left to it below `distance`
    const Eigen::Index first = server / distance * distance;
    return std::pair{begin(first), begin(first + distance) - begin(first)};
  };
  int steps = 0;
  for (Eigen::Index distance = n / 2; distance >= 1; distance /= 2, ++steps) {
    for (Eigen::Index s = 0; s < n; ++s) {
      const Eigen::Index partner = s ^ distance;
      if (partner < s) continue;
      // each adds the other's to the half it keeps; what it gave away it will not look at again
      for (const auto& [keeper, giver] : {std::pair{s, partner}, std::pair{partner, s}}) {
        const auto [first, count] = held(keeper, distance);
        gradients.col(keeper).segment(first, count) += gradients.col(giver).segment(first, count);
      }
    }
  }
  for (Eigen::Index s = 0; s < n; ++s) {
    const auto [first, count] = held(s, 1);
    gradients.col(s).segment(first, count) /= static_cast<float>(n);
  }
  for (Eigen::Index distance = 1; distance < n; distance *= 2, ++steps)
    for (Eigen::Index s = 0; s < n; ++s) {
      const Eigen::Index partner = s ^ distance;
      const auto [first, count] = held(partner, distance);
      gradients.col(s).segment(first, count) = gradients.col(partner).segment(first, count);
    }
  return balanced(steps, n);
}

Traffic parameter_server(Eigen::MatrixXf& gradients) {
  validate_servers(gradients);
  const Eigen::Index n = gradients.cols();
  for (Eigen::Index s = 1; s < n; ++s) gradients.col(0) += gradients.col(s);
  gradients.col(0) /= static_cast<float>(n);
  for (Eigen::Index s = 1; s < n; ++s) gradients.col(s) = gradients.col(0);
  return {2, static_cast<double>(n - 1), static_cast<double>(n - 1)};
}

}  // namespace optinc
