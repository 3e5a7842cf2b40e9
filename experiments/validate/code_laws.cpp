#include <cmath>
#include <numbers>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/measure.hpp"
#include "onn/network/network.hpp"
#include "onn/task/codes.hpp"
#include "onn/task/words.hpp"

namespace optinc {
namespace {

const Task eight_bit = {4, 4, Rounding::half_up};

Network eight_bit_network() { return make_network(eight_bit, std::vector{64, 128, 256, 128, 64}); }

/// The 16-bit network with its layers 4 to 6 as single blocks, or as full decompositions, and the others full.
std::int64_t sixteen_bit_mzis(bool approximated) {
  const Network whole = make_network({4, 8}, std::vector{64, 128, 256, 512, 256, 128, 64});
  std::int64_t count = 0;
  for (std::size_t l = 0; l < whole.layers.size(); ++l) {
    const Network layer = {whole.task, {whole.layers[l]}};
    count += approximated && l >= 3 && l <= 5 ? mzi_count(layer) : mzi_count_full_svd(layer);
  }
  return count;
}

Law count_law(std::string row, std::string name, std::string formula, double expected,
              std::function<double()> count) {
  return {.row = std::move(row),
          .name = std::move(name),
          .kind = LawKind::published,
          .formula = std::move(formula),
          .quantity = "count",
          .expected = constant(expected),
          .measure = value_of([count = std::move(count)](double) { return count(); })};
}

/// |mean of the codes - sum_m 4^(M-1-m) a_m| for one word of random codes.
double mean_defect(double, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::words);
  Codes codes(1, eight_bit.servers);
  double mean = 0.0;
  for (auto& code : codes.reshaped()) {
    code = stream.below(256);
    mean += code / 4.0;
  }
  const Eigen::MatrixXd a = digit_averages(eight_bit, codes);
  return std::abs(64 * a(0, 0) + 16 * a(1, 0) + 4 * a(2, 0) + a(3, 0) - mean);
}

/// Words of which this holds.
double words_where(
    const std::function<bool(const Eigen::VectorXd& averages, const Eigen::VectorXd& target)>& holds) {
  const WordTable table = word_table(eight_bit);
  int count = 0;
  for (Eigen::Index w = 0; w < table.averages.cols(); ++w)
    if (holds(table.averages.col(w), table.targets.col(w))) ++count;
  return count;
}

/// Share of a block of equally likely digits decided wrongly behind Gaussian noise of rms 1/(2q) digit.
double pam4_errors(double q, const LawTrial& trial) {
  constexpr int symbols = 10000;
  Stream digits = trial.stream(Purpose::words), noise = trial.stream(Purpose::receiver_noise);
  Eigen::MatrixXd received(1, symbols);
  std::vector<std::uint32_t> sent(symbols);
  for (int i = 0; i < symbols; ++i) {
    sent[static_cast<std::size_t>(i)] = digits.below(4);
    received(0, i) = sent[static_cast<std::size_t>(i)] + noise.normal() / (2 * q);
  }
  const auto decided = decide_digits(received);
  int wrong = 0;
  for (int i = 0; i < symbols; ++i) wrong += decided[i] != sent[static_cast<std::size_t>(i)];
  return static_cast<double>(wrong) / symbols;
}

}  // namespace

std::vector<Law> code_laws() {
  return {
      count_law("6", "MZIs of the 8-bit network", "41,664: 160 + 4160 + 16512, mirrored", 41664,
                [] { return static_cast<double>(mzi_count(eight_bit_network())); }),
      count_law("6", "MZIs of the 8-bit network, full SVD", "106,260", 106260,
                [] { return static_cast<double>(mzi_count_full_svd(eight_bit_network())); }),
      count_law("6", "MZIs of the 16-bit network", "213,512, layers 4 to 6 approximated", 213512,
                [] { return static_cast<double>(sixteen_bit_mzis(true)); }),
      count_law("6", "MZIs of the 16-bit network, full SVD", "433,736", 433736,
                [] { return static_cast<double>(sixteen_bit_mzis(false)); }),
      count_law("6", "MZI depth of the 8-bit network", "5 + 65 + 129 + 129 + 65 + 5", 398,
                [] { return 1.0 * mzi_depth(eight_bit_network()); }),
      count_law("6", "words of the 8-bit task", "(3N+1)^M = 13^4", 28561,
                [] { return static_cast<double>(word_table(eight_bit).targets.cols()); }),
      {.row = "7",
       .name = "digit averages carry the mean",
       .formula = "mean(G) = sum 4^(M-1-m) a_m",
       .quantity = "largest deviation",
       .unit = "LSB",
       .expected = constant(0),
       .measure = largest_of(mean_defect),
       .points = {{0, 10000}}},
      count_law("7", "words on a tie", "3/13 of 28,561", 6591,
                [] {
                  return words_where([](const Eigen::VectorXd& a, const Eigen::VectorXd&) {
                    return std::fmod(64 * a[0] + 16 * a[1] + 4 * a[2] + a[3], 1.0) == 0.5;
                  });
                }),
      count_law("7", "words right by rounding digits", "832, half-up on both sides", 832,
                [] {
                  return words_where([](const Eigen::VectorXd& a, const Eigen::VectorXd& target) {
                    return ((a.array() + 0.5).floor() == target.array()).all();
                  });
                }),
      {.row = "14",
       .name = "PAM4 symbol errors",
       .kind = LawKind::monte_carlo,
       .formula = "(3/4) erfc(q / sqrt 2), equal noise on all levels",
       .quantity = "symbol error rate",
       .sample = "share of 10,000 symbols decided wrongly",
       .expected = [](double q) { return 0.75 * std::erfc(q / std::numbers::sqrt2); },
       .relative_tolerance = 0.05,
       .measure = over_trials(Statistic::mean, pam4_errors),
       .axis = {"q", "1", "half the level spacing over rms noise"},
       .points = {{1.5, 500}, {2, 500}, {2.5, 500}, {3, 1500}}},
  };
}

}  // namespace optinc
