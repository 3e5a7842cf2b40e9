#include "experiments/fabrics/cluster/jobs.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include <boost/math/tools/toms748_solve.hpp>

#include "experiments/files/readers/named_columns.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

namespace optinc {

std::vector<int> place_job(const std::vector<bool>& taken, int size, double scattered, std::uint64_t seed,
                           std::uint32_t number) {
  std::vector<int> free;
  for (std::size_t n = 0; n < taken.size(); ++n)
    if (!taken[n]) free.push_back(static_cast<int>(n));
  const auto count = static_cast<std::size_t>(size);
  validate(free.size() >= count, "a job of {} nodes where {} are free (as many or fewer). Lower its nodes.",
           size, free.size());
  Stream stream(seed, Purpose::server_placement, 0, number, 1);
  const auto draw = [&](std::size_t n) { return stream.below(static_cast<std::uint32_t>(n)); };
  const auto moved = static_cast<std::size_t>(std::llround(scattered * size));
  // distinct places of the job lose their nodes; distinct ones of these and the nodes left over take their
  // places
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (std::size_t i = 0; i < moved; ++i) std::swap(places[i], places[i + draw(count - i)]);
  std::vector<int> pool(free.begin() + size, free.end());
  for (std::size_t i = 0; i < moved; ++i) pool.push_back(free[places[i]]);
  for (std::size_t i = 0; i < moved; ++i) {
    std::swap(pool[i], pool[i + draw(pool.size() - i)]);
    free[places[i]] = pool[i];
  }
  free.resize(count);
  return free;
}

std::vector<TrainingJob> read_jobs(const std::filesystem::path& path, int nodes) {
  const NamedColumns table = read_columns_csv(path);
  constexpr std::string_view known[] = {"arrival_s", "nodes", "duration_s"};
  table.require_names(known);
  const std::vector<double>&arrival = table.column("arrival_s", "the arrivals of jobs"),
        duration = table.column("duration_s", "how long jobs train");
  const std::vector<std::int64_t> size = table.indices("nodes", "how many nodes jobs ask for", nodes);
  std::vector<TrainingJob> jobs;
  for (std::size_t j = 0; j < table.rows(); ++j) {
    validate(arrival[j] >= (j == 0 ? 0.0 : arrival[j - 1]),
             "{}: arrival_s = {} (0 or more, and none before the row above). Sort the rows.", table.where(j),
             arrival[j]);
    validate(size[j] >= 1, "{}: nodes = 0 (1..{}). Give the job a node.", table.where(j), nodes);
    validate(duration[j] > 0.0, "{}: duration_s = {} (above 0). Leave the job out.", table.where(j),
             duration[j]);
    jobs.push_back({arrival[j], duration[j], {}, static_cast<int>(size[j])});
  }
  return jobs;
}

std::vector<TrainingJob> helios_like_jobs(int nodes, double load, double horizon_s, std::uint64_t seed) {
  constexpr double mean_size = 3.72, median_s = 206.0, mean_s = 6652.0;
  validate(nodes >= 8 && load > 0.0 && std::isfinite(load) && horizon_s > 0.0 && std::isfinite(horizon_s),
           "jobs on {} nodes, load {}, for {} s (8 or more, above 0). Set nodes = 8, load = 0.7 or horizon_s = "
           "86400.",
           nodes, load, horizon_s);
  const int sizes = std::bit_width(static_cast<unsigned>(nodes));
  const auto mean_of = [&](double q) {
    double sum = 0.0, weighted = 0.0;
    for (int k = 0; k < sizes; ++k) {
      sum += std::pow(q, k);
      weighted += std::pow(2.0 * q, k);
    }
    return weighted / sum;
  };
  std::uintmax_t steps = 100;
  const auto root =
      boost::math::tools::toms748_solve([&](double q) { return mean_of(q) - mean_size; }, 0.0, 1.5,
                                        boost::math::tools::eps_tolerance<double>(50), steps);
  const double q = root.first, sigma = std::sqrt(2.0 * std::log(mean_s / median_s));
  double all = 0.0;
  for (int k = 0; k < sizes; ++k) all += std::pow(q, k);
  const double rate = load * nodes / (mean_of(q) * mean_s);
  validate(rate * horizon_s <= 1e6, "{} jobs drawn for {} s (at most 1e6, for memory). Lower horizon_s.",
           std::round(rate * horizon_s), horizon_s);
  std::vector<TrainingJob> jobs;
  double at_s = 0.0;
  for (std::uint32_t number = 0;; ++number) {
    Stream stream(seed, Purpose::job_arrivals, 0, number);
    at_s -= std::log(stream.uniform()) / rate;
    if (at_s >= horizon_s) return jobs;
    double left = stream.uniform() * all;
    int k = 0;
    while (k + 1 < sizes && left > std::pow(q, k)) left -= std::pow(q, k++);
    jobs.push_back({at_s, median_s * std::exp(sigma * stream.normal()), {}, 1 << k});
  }
}

}  // namespace optinc
