#include "onn/training/detail/word_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "physics/random/stream.hpp"

namespace optinc::training {
namespace {

constexpr std::size_t packed_words = 6;  // whose bytes a double holds exactly
constexpr float most_times = 255.0f;     // that a word is in a pass

void shuffle(std::span<std::uint32_t> words, Stream& stream) {
  for (std::size_t i = words.size(); i > 1; --i)
    std::swap(words[i - 1], words[stream.below(static_cast<std::uint32_t>(i))]);
}

}  // namespace

WordOrder::WordOrder(const Dataset& data, const TrainingSettings& settings, std::uint64_t seed)
    : data_(data), settings_(settings), seed_(seed) {
  const auto words = static_cast<std::size_t>(data.words());
  if (settings.chooses_words()) {
    times_.assign(words, 1);
  } else {
    order_.resize(words);
    std::iota(order_.begin(), order_.end(), 0u);
  }
}

void WordOrder::shuffle_all(int epoch) {
  while (shuffled_ < epoch) {
    Stream stream(seed_, Purpose::network_shuffle, 0, static_cast<std::uint32_t>(++shuffled_));
    shuffle(order_, stream);
  }
}

std::vector<std::uint32_t> WordOrder::in_window(int epoch) const {
  const double done = static_cast<double>(epoch - 1) / settings_.epochs;
  const double grown = settings_.window_ramp > 0 ? std::min(1.0, done / settings_.window_ramp) : 1.0;
  const double share = settings_.window + (1 - settings_.window) * grown;
  // of sums 0..3N, |s - 3N/2| <= share 3N/2, doubled; the middle one, or two, always
  const auto full = static_cast<int>(data_.inputs_of_sums.size()) - 1;
  const double reach = std::max(1.0, share * full);
  const Eigen::Index top = std::min<Eigen::Index>(2, data_.sums.rows());
  std::vector<std::uint32_t> words;
  for (Eigen::Index w = 0; w < data_.words(); ++w) {
    bool inside = true;
    for (Eigen::Index m = 0; m < top; ++m) inside = inside && std::abs(2 * data_.sums(m, w) - full) <= reach;
    if (inside) words.push_back(static_cast<std::uint32_t>(w));
  }
  return words;
}

std::span<const std::uint32_t> WordOrder::of_epoch(int epoch, std::size_t words) {
  if (!settings_.chooses_words()) {
    shuffle_all(epoch);
    return std::span(order_).first(words);
  }
  const std::vector<std::uint32_t> window = in_window(epoch);
  const double easy = settings_.hard_error > 0 ? settings_.easy_share : 1.0;
  order_.clear();
  for (std::uint32_t pass = 1; order_.size() < words; ++pass) {
    Stream stream(seed_, Purpose::network_shuffle, pass, static_cast<std::uint32_t>(epoch));
    const std::size_t first = order_.size();
    for (const std::uint32_t word : window)
      if (times_[word] > 0)
        order_.insert(order_.end(), times_[word], word);
      else if (stream.uniform() < easy)
        order_.push_back(word);
    shuffle(std::span(order_).subspan(first), stream);
  }
  return std::span(order_).first(words);
}

std::uint8_t WordOrder::times(float error) const {
  const auto hard = static_cast<float>(settings_.hard_error), power = static_cast<float>(settings_.hard_power);
  if (!(error > hard)) return 0;
  return static_cast<std::uint8_t>(std::min(most_times, std::round(std::pow(error / hard, power))));
}

void WordOrder::learn(const VectorF& errors) {
  if (settings_.hard_error == 0) return;
  const auto memory = static_cast<float>(settings_.hard_memory);
  for (std::size_t w = 0; w < times_.size(); ++w)
    times_[w] =
        std::max(static_cast<std::uint8_t>(memory * times_[w]), times(errors[static_cast<Eigen::Index>(w)]));
}

std::vector<std::uint32_t> WordOrder::places_to_draw() const {
  std::vector<std::uint32_t> places;
  for (std::uint32_t w = 0; w < static_cast<std::uint32_t>(data_.words()); ++w)
    if (w % 2 == 0 || settings_.hard_error == 0 || times_[w] == 0) places.push_back(w);
  return places;
}

void WordOrder::learn_drawn(std::span<const std::uint32_t> places, const VectorF& errors) {
  if (settings_.hard_error == 0) return;
  for (const std::uint32_t w : places) times_[w] = times(errors[w]);
}

void WordOrder::name(StateArrays& arrays) {
  if (settings_.hard_error == 0) return;
  const std::size_t values = (times_.size() + packed_words - 1) / packed_words;
  Eigen::VectorXd packed = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(values));
  const auto of = [&](std::size_t w) -> double& { return packed[static_cast<Eigen::Index>(w / packed_words)]; };
  const auto shift = [](std::size_t w) { return 8 * (w % packed_words); };
  for (std::size_t w = 0; w < times_.size(); ++w)
    of(w) += static_cast<double>(std::uint64_t{times_[w]} << shift(w));
  arrays("times_of_words", packed);
  for (std::size_t w = 0; w < times_.size(); ++w)
    times_[w] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(of(w)) >> shift(w));
}

}  // namespace optinc::training
