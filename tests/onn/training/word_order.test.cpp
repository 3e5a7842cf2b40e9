#include "onn/training/detail/word_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "onn/task/words.hpp"
#include "onn/training/trainer.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;
using namespace optinc::training;

namespace {

/// Digits of every word's answer, by its sums: counted over all tuples of the codes that come in, one integer
/// division each.
std::map<std::vector<int>, std::vector<int>> counted(const Task& task) {
  const int digits = task.input_digits(), divisor = static_cast<int>(task.divisor());
  std::map<std::vector<int>, std::vector<int>> found;
  const long tuples = 1L << (2 * digits * task.servers);
  for (long tuple = 0; tuple < tuples; ++tuple) {
    std::vector<int> sums(static_cast<std::size_t>(digits), 0);
    long rest = tuple, total = 0;
    for (int n = 0; n < task.servers; ++n)
      for (int m = digits - 1; m >= 0; --m, rest /= 4) {
        sums[static_cast<std::size_t>(m)] += static_cast<int>(rest % 4);
        total += (rest % 4) << (2 * (digits - 1 - m));
      }
    long answer = (2 * total + divisor) / (2 * divisor);  // half up
    std::vector<int> wanted(static_cast<std::size_t>(task.output_digits()));
    for (auto digit = wanted.rbegin(); digit != wanted.rend(); ++digit, answer /= 4)
      *digit = static_cast<int>(answer % 4);
    found[sums] = wanted;
  }
  return found;
}

TrainingSettings choosing(double hard_error, double window) {
  TrainingSettings s;
  s.epochs = 20;
  s.hard_error = hard_error;
  s.window = window;
  return s;
}

std::vector<int> column(const Dataset::Bytes& digits, Eigen::Index w) {
  return {digits.col(w).begin(), digits.col(w).end()};
}

}  // namespace

// Fails with targets of the flat level, with digits in the other order, with sums taken modulo 3N
TEST_CASE("every word of a task and its answer are those counted over all codes of the servers") {
  for (const Task& task :
       {Task{2, 2, Rounding::half_up}, Task{3, 2, Rounding::half_up}, Task{6, 1, Rounding::half_up},
        Task{2, 2, Rounding::half_up, CascadeLevel::first}, Task{4, 2, Rounding::half_up, CascadeLevel::first},
        Task{2, 2, Rounding::half_up, CascadeLevel::second},
        Task{3, 2, Rounding::half_up, CascadeLevel::second}}) {
    CAPTURE(task.servers, name_of(task.level));
    const auto wanted = counted(task);
    const Dataset data = all_words(task);
    REQUIRE(static_cast<std::size_t>(data.words()) == wanted.size());
    const MatrixF inputs = data.inputs(Eigen::seqN(Eigen::Index{0}, data.words()));
    bool digits = true, averages = true;
    for (Eigen::Index w = 0; w < data.words(); ++w) {
      const std::vector<int> sums = column(data.sums, w);
      const auto found = wanted.find(sums);
      digits = digits && found != wanted.end() && found->second == column(data.digits, w);
      for (std::size_t m = 0; m < sums.size(); ++m)
        averages = averages && inputs(static_cast<Eigen::Index>(m), w) ==
                                   static_cast<float>(static_cast<double>(sums[m]) / task.servers - 1.5);
    }
    CHECK(digits);
    CHECK(averages);
  }
}

TEST_CASE("without a choice an epoch has every word once, in an order of its own") {
  const Dataset data = all_words({4, 2});
  TrainingSettings s = choosing(0.0, 1.0);
  WordOrder order(data, s, 3);
  const auto first = order.of_epoch(1, 169);
  const std::vector<std::uint32_t> one(first.begin(), first.end());
  const auto second = order.of_epoch(2, 169);
  CHECK(std::set(one.begin(), one.end()).size() == 169);
  CHECK(!std::equal(one.begin(), one.end(), second.begin()));
  WordOrder resumed(data, s, 3);
  CHECK(std::ranges::equal(resumed.of_epoch(2, 169), second));
}

// Fails if only the first digit is kept in the window, if the window grows from epoch 1 on by a whole step
// more, or stops growing
TEST_CASE("the window holds the two top sums, and grows to every word") {
  const Task task{8, 3};
  const Dataset data = all_words(task);
  TrainingSettings s = choosing(0.0, 0.1);
  s.window_ramp = 0.5;
  WordOrder order(data, s, 3);
  for (const int epoch : {1, 4, 11}) {
    const double share = std::min(1.0, 0.1 + 0.9 * (epoch - 1) / 10.0);
    std::size_t inside = 0;
    std::set<std::uint32_t> wanted;
    for (int a = 0; a <= 24; ++a)
      for (int b = 0; b <= 24; ++b)
        for (int c = 0; c <= 24; ++c)
          if (std::abs(a - 12.0) <= 12 * share && std::abs(b - 12.0) <= 12 * share)
            wanted.insert(static_cast<std::uint32_t>((a * 25 + b) * 25 + c));
    const auto words = order.of_epoch(epoch, static_cast<std::size_t>(data.words()));
    CHECK(words.size() == static_cast<std::size_t>(data.words()));
    for (const std::uint32_t word : words) inside += wanted.contains(word);
    CHECK(inside == words.size());
    CHECK(std::set(words.begin(), words.end()) == wanted);
  }
}

TEST_CASE("the window of a few servers holds the middle sums, however narrow") {
  const Dataset data = all_words({1, 1});  // sums 0, 1, 2, 3
  TrainingSettings s = choosing(0.0, 0.01);
  WordOrder order(data, s, 1);
  const auto words = order.of_epoch(1, 4);
  CHECK(std::set(words.begin(), words.end()) == std::set<std::uint32_t>{1, 2});
}

// Fails if hard words are drawn like the others, if all words are hard after learn(), or if easy_share is not
// the chance of the others
TEST_CASE("MC: hard words are in every pass of an epoch, the others in a share of them") {
  const Dataset data = all_words({4, 4});
  const auto words = static_cast<std::size_t>(data.words());
  TrainingSettings s = choosing(0.25, 1.0);
  s.easy_share = 0.2;
  WordOrder order(data, s, 3);
  const auto before = order.of_epoch(1, words);  // nothing is known: all are hard
  CHECK(std::set(before.begin(), before.end()).size() == words);
  VectorF errors = VectorF::Constant(data.words(), 0.25f);  // not larger
  constexpr std::uint32_t hard = 100;
  for (std::uint32_t k = 0; k < hard; ++k) errors[271 * k] = 0.26f;
  order.learn(errors);
  std::vector<int> drawn(words, 0);
  for (const std::uint32_t word : order.of_epoch(2, words)) ++drawn[word];
  double of_hard = 0.0;
  int least = 100;
  for (std::uint32_t k = 0; k < hard; ++k) {
    of_hard += drawn[271 * k] / static_cast<double>(hard);
    least = std::min(least, drawn[271 * k]);
  }
  double all = 0.0;
  for (const int times : drawn) all += times;
  const double easy = static_cast<double>(words - hard), of_easy = (all - hard * of_hard) / easy;
  CHECK(least >= 4);  // a pass has 5,792 words: four whole ones and a part
  const double error = std::hypot(std::sqrt(5 * 0.2 * 0.8 / easy), 0.2 * std::sqrt(0.25 / hard));
  CHECK(std::abs(of_easy - 0.2 * of_hard) < 5 * error);
  const auto pass = order.of_epoch(2, 5000);  // within one pass no word comes twice
  CHECK(std::set(pass.begin(), pass.end()).size() == pass.size());
}

// Fails if hard_power is left out, if times are cut in place of rounded, if their limit is another one, or
// if what an epoch keeps is added to its own or forgotten
TEST_CASE("worse words are in a pass several times, and fewer from epoch to epoch") {
  const Dataset data = all_words({4, 2});  // 169 words
  TrainingSettings s = choosing(0.25, 1.0);
  s.hard_power = 4.0;
  WordOrder order(data, s, 3);
  VectorF errors = VectorF::Constant(data.words(), 0.26f);  // all are hard, 1.17 times
  errors[80] = 0.5f;                                        // 2^4 times
  errors[160] = 0.37f;                                      // 4.8 times
  errors[168] = 3.0f;                                       // 20,736 times, were there no limit
  order.learn(errors);
  std::map<std::uint32_t, int> drawn;
  for (const std::uint32_t word : order.of_epoch(2, 166 + 16 + 5 + 255)) ++drawn[word];  // one pass
  CHECK(drawn.size() == 169);
  CHECK(drawn[0] == 1);
  CHECK(drawn[80] == 16);
  CHECK(drawn[160] == 5);
  CHECK(drawn[168] == 255);
  s.hard_memory = 0.5;
  errors[80] = errors[168] = 0.3f;  // 2.07 times
  errors[160] = 0.24f;              // no longer hard
  order.learn(errors);
  drawn.clear();
  for (const std::uint32_t word : order.of_epoch(3, 166 + 8 + 2 + 127)) ++drawn[word];
  CHECK(drawn[0] == 1);
  CHECK(drawn[80] == 8);
  CHECK(drawn[160] == 2);
  CHECK(drawn[168] == 127);
}

// Fails if a word is put under another number, if every epoch draws the same words, or if digits are drawn
// unevenly
TEST_CASE("MC: words drawn for an epoch are words of the task with their answers, others in every epoch") {
  const Task task{3, 3};
  TrainingSettings s;
  s.words_per_epoch = 4000;
  Dataset drawn = first_words(task, s, 7);
  REQUIRE(drawn.words() == 4000);
  const Dataset all = all_words(task);
  const Dataset::Bytes before = drawn.sums;
  std::vector<int> found(10, 0);
  for (Eigen::Index w = 0; w < drawn.words(); ++w) {
    const auto number = static_cast<Eigen::Index>(drawn.number(w));
    REQUIRE(drawn.sums.col(w) == all.sums.col(number));
    REQUIRE(drawn.digits.col(w) == all.digits.col(number));
    for (const std::uint8_t sum : drawn.sums.col(w)) ++found[sum];
  }
  for (const int times : found) CHECK(std::abs(times - 1200) < 5 * std::sqrt(12000 * 0.1 * 0.9));
  const std::vector<std::uint32_t> places = {5, 1, 7};
  redraw(drawn, task, places, 7, 1);
  const Dataset::Bytes once = drawn.sums;
  CHECK(once.col(0) == before.col(0));
  CHECK(once(Eigen::all, places) != before(Eigen::all, places));
  redraw(drawn, task, places, 7, 2);
  CHECK(drawn.sums(Eigen::all, places) != once(Eigen::all, places));
  redraw(drawn, task, places, 7, 1);
  CHECK(drawn.sums == once);
}

// Fails if hard words leave at once, if they are never drawn anew, or if a new word inherits from the one
// before
TEST_CASE("hard words outlast others among drawn ones, at most half of them") {
  const Dataset data = all_words({4, 2});  // 169 words
  TrainingSettings s = choosing(0.25, 1.0);
  s.hard_memory = 0.9;
  WordOrder order(data, s, 3);
  VectorF errors = VectorF::Constant(data.words(), 0.1f);
  errors[4] = errors[7] = 0.3f;
  order.learn(errors);
  const std::vector<std::uint32_t> places = order.places_to_draw();
  CHECK(places.size() == 168);
  CHECK(std::ranges::count(places, 4u) == 1);
  CHECK(std::ranges::count(places, 7u) == 0);
  errors[9] = 0.3f;
  errors[4] = 0.1f;
  order.learn_drawn(places, errors);
  s.easy_share = 1e-6;
  const auto pass = order.of_epoch(2, 2);
  CHECK(std::set(pass.begin(), pass.end()) == std::set<std::uint32_t>{7, 9});
  TrainingSettings plain;
  CHECK(WordOrder(data, plain, 3).places_to_draw().size() == 169);
}

// Fails if an epoch judges other words than the 48 drawn after it, if they stay the same, or if threads draw
// their own
TEST_CASE("training on drawn words learns those that it did not draw, with the same bits on any threads") {
  const std::vector<int> hidden = {32, 32, 32};
  const Task task{4, 2, Rounding::half_up};
  TrainingSettings s;
  s.epochs = 1500;
  s.batch = 16;
  s.learning_rate = 1e-2;
  s.words_per_epoch = 48;
  const auto one = train(task, hidden, s, {1, 1});
  const WordTable table = word_table(task);
  CHECK(score(forward(one.network, table.averages), table.targets).word_accuracy >
        0.9);  // 48 words teach no more than themselves
  CHECK(std::ranges::all_of(one.curve, [](const EpochReport& e) {
    return std::abs(e.word_accuracy * 48 - std::round(e.word_accuracy * 48)) < 1e-9;
  }));
  s.epochs = 6;
  s.hard_error = 0.25;
  const auto few = train(task, hidden, s, {1, 1});
  CHECK(few.network.layers[1].weight() == train(task, hidden, s, {1, 2}).network.layers[1].weight());
}

TEST_CASE(
    "a training that chooses its words has the same bits on any threads, and other bits than one that does "
    "not") {
  const std::vector<int> hidden = {16, 16};
  TrainingSettings s = choosing(0.25, 0.3);
  s.epochs = 6;
  s.batch = 16;
  const auto one = train({4, 2}, hidden, s, {5, 1}), two = train({4, 2}, hidden, s, {5, 2});
  TrainingSettings all = s;
  all.hard_error = 0.0;
  all.window = 1.0;
  CHECK(one.network.layers[1].weight() == two.network.layers[1].weight());
  CHECK(one.network.layers[1].weight() != train({4, 2}, hidden, all, {5, 1}).network.layers[1].weight());
}

// Fails if the start is refused or not used
TEST_CASE("training goes on from a network of more servers") {
  const std::vector<int> hidden = {32, 32, 32};
  TrainingSettings s;
  s.epochs = 800;
  s.batch = 16;
  s.learning_rate = 1e-2;
  const Network four = train({4, 2, Rounding::half_up}, hidden, s, {1, 1}).network;
  const Task task{2, 2, Rounding::half_up};  // whose words are among those of 4 servers, with the same answers
  const WordTable table = word_table(task);
  const double right = score(forward(four, table.averages), table.targets).word_accuracy;
  CHECK(right > 0.9);
  s.epochs = 1;
  s.warmup_epochs = 0;
  s.learning_rate = 1e-6;
  const auto two = train(task, hidden, s, {2, 1}, &four);
  CHECK(two.curve.back().word_accuracy == Approx(right).margin(1.0 / 49));
  CHECK(two.network.task == task);
  CHECK_THAT(refusal([&] { train({2, 3}, hidden, s, {2, 1}, &four); }), ContainsSubstring("widths"));
}

TEST_CASE("impossible choices of words are refused by name") {
  const auto said = [](auto change) {
    TrainingSettings s;
    change(s);
    return refusal([&] { validate_training(s); });
  };
  CHECK_THAT(said([](auto& s) { s.hard_error = 0.5; }), ContainsSubstring("hard_error = 0.5"));
  CHECK_THAT(said([](auto& s) { s.easy_share = 0.0; }), ContainsSubstring("easy_share = 0"));
  CHECK_THAT(said([](auto& s) { s.hard_power = -1.0; }), ContainsSubstring("hard_power = -1"));
  CHECK_THAT(said([](auto& s) { s.hard_memory = 1.0; }), ContainsSubstring("hard_memory = 1"));
  CHECK_THAT(said([](auto& s) { s.window = 0.0; }), ContainsSubstring("window = 0"));
  CHECK_THAT(said([](auto& s) { s.window_ramp = 2.0; }), ContainsSubstring("window_ramp = 2"));
  CHECK_THAT(said([](auto& s) { s.words_per_epoch = 5; }), ContainsSubstring("words_per_epoch = 5"));
  CHECK_THAT(said([](auto& s) { s.initial_variance = 0.0; }), ContainsSubstring("initial_variance = 0"));
}
