#include "onn/task/task.hpp"

#include <cmath>

#include "onn/task/codes.hpp"
#include "onn/task/words.hpp"
#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

TEST_CASE("word counts are (3N+1)^M") {
  CHECK(Task{4, 4}.words() == 28'561);
  CHECK(Task{2, 4}.words() == 2'401);
  CHECK(Task{8, 4}.words() == 390'625);
  CHECK(Task{16, 4}.words() == 5'764'801);
  CHECK(Task{4, 8}.words() == 815'730'721);
}

TEST_CASE("rounding of the mean is exact in every policy") {
  // 5/4 = 1.25, 6/4 = 1.5, 7/4 = 1.75, 10/4 = 2.5: typed from the definition
  const auto all = {Rounding::half_even, Rounding::half_up, Rounding::floor};
  for (const auto r : all) {
    CHECK(rounded_mean(8, 4, r) == 2);
    CHECK(rounded_mean(5, 4, r) == 1);
    CHECK(rounded_mean(255 * 4, 4, r) == 255);  // never overflows
  }
  CHECK(rounded_mean(6, 4, Rounding::half_even) == 2);
  CHECK(rounded_mean(10, 4, Rounding::half_even) == 2);
  CHECK(rounded_mean(6, 4, Rounding::half_up) == 2);
  CHECK(rounded_mean(10, 4, Rounding::half_up) == 3);
  CHECK(rounded_mean(7, 4, Rounding::half_even) == 2);
  CHECK(rounded_mean(7, 4, Rounding::floor) == 1);
}

// A mean of 1.25 is 2 in a quarter of the draws. By the definition; counted over 100,000 words at 5 sigma.
// Fails when draws repeat from word to word or from instant to instant, or answers and decisions draw
// differently
TEST_CASE("MC: stochastic rounding is unbiased, and the same wherever an instant's answers are computed") {
  CHECK(rounded_mean(5, 4, Rounding::stochastic, 0.24) == 2);
  CHECK(rounded_mean(5, 4, Rounding::stochastic, 0.25) == 1);
  CHECK(rounded_mean(8, 4, Rounding::stochastic, 0.0) == 2);
  const Task task{.rounding = Rounding::stochastic, .outputs = Outputs::sums};
  constexpr int words = 100'000;
  Codes codes = Codes::Constant(words, 4, 1);
  codes.col(0).setConstant(2);
  const CodeVector answers = exact_answers(task, codes, 3), others = exact_answers(task, codes, 4);
  const double ups = (answers.array() == 2).count(),
               both = (answers.array() == 2 && others.array() == 2).count();
  CHECK((answers.array() >= 1 && answers.array() <= 2).all());
  CHECK(std::abs(ups - words / 4.0) < 5 * std::sqrt(words * 3.0 / 16));
  CHECK(std::abs(both - words / 16.0) < 5 * std::sqrt(words * 15.0 / 256));
  CHECK(decide(task, digit_averages(task, codes), 3) == answers);
  check_message(refusal([] { validate_task({4, 4, Rounding::stochastic}); }), {"rounding", "stochastic"});
}

// Typed from the definitions. Fails when a sum wraps, a tie falls to the other side, or a vote is the mean
TEST_CASE("other reductions of the sum are exact") {
  const auto reduced = [](Reduction reduction, Rounding rounding, std::uint64_t total) {
    return exact_answer({4, 2, rounding, CascadeLevel::flat, reduction}, total);  // codes of 0 to 15
  };
  CHECK(reduced(Reduction::saturated_sum, Rounding::half_even, 14) == 14);
  CHECK(reduced(Reduction::saturated_sum, Rounding::half_even, 15) == 15);
  CHECK(reduced(Reduction::saturated_sum, Rounding::half_even, 60) == 15);
  for (const auto r : {Rounding::half_even, Rounding::half_up}) {
    CHECK(reduced(Reduction::majority, r, 15) == 0);   // one vote of four
    CHECK(reduced(Reduction::majority, r, 45) == 15);  // three
    CHECK(reduced(Reduction::majority, r, 29) == 0);
    CHECK(reduced(Reduction::majority, r, 31) == 15);
  }
  CHECK(reduced(Reduction::majority, Rounding::half_up, 30) == 15);  // a tie
  CHECK(reduced(Reduction::majority, Rounding::half_even, 30) == 0);
  CHECK(reduced(Reduction::majority, Rounding::floor, 59) == 0);  // all or nothing
  CHECK(reduced(Reduction::majority, Rounding::floor, 60) == 15);
  check_message(refusal([] {
                  validate_task({4, 4, Rounding::half_up, CascadeLevel::first, Reduction::majority});
                }),
                {"reduction", "majority"});
}

TEST_CASE("the digit averages carry all of the mean") {
  // mean(code) = sum_m 4^(M-1-m) a_m, exactly, for random codes (row 7 of `optinc validate`)
  const Task task{4, 4};
  Stream stream(3, Purpose::test);
  Codes codes(500, 4);
  for (auto& c : codes.reshaped()) c = stream.below(256);
  const Eigen::MatrixXd a = digit_averages(task, codes);
  for (Eigen::Index w = 0; w < codes.rows(); ++w) {
    const double from_digits = 64 * a(0, w) + 16 * a(1, w) + 4 * a(2, w) + a(3, w);
    CHECK(from_digits == codes.row(w).cast<double>().mean());
  }
}

TEST_CASE("server codes rebuilt from a word have its digit sums") {
  for (const Task task : {Task{4, 4}, Task{3, 2}, Task{8, 3}}) {
    std::vector<std::uint64_t> words;
    for (std::uint64_t w = 0; w < task.words(); w += 7) words.push_back(w);
    const Codes codes = codes_of_words(task, words);
    const Eigen::MatrixXd a = digit_averages(task, codes);
    const auto answers = exact_answers(task, codes);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto sums = word_sums(task, words[i]);
      for (int m = 0; m < task.digits; ++m)
        REQUIRE(a(m, static_cast<Eigen::Index>(i)) * task.servers == Approx(sums[static_cast<std::size_t>(m)]));
      REQUIRE(answers[static_cast<Eigen::Index>(i)] ==
              rounded_mean(code_total(sums), task.servers, task.rounding));
    }
  }
}

TEST_CASE("decisions fall at the thresholds alone, and NaN counts as wrong") {
  Eigen::MatrixXd y(4, 3);
  y << 0.49, 9.0, std::nan(""),  //
      0.5, -7.0, 1.0,            //
      1.5, 2.49, 1.0,            //
      2.5, 1.49, 1.0;
  const auto codes = decide_digits(y);
  CHECK(codes[0] == 0b00'01'10'11);
  CHECK(codes[1] == 0b11'00'10'01);
  Eigen::MatrixXd target(4, 3);
  target << 0, 3, 0, 1, 0, 1, 2, 2, 1, 3, 1, 1;
  const DecodingScore s = score(y, target);
  CHECK(s.word_accuracy == Approx(1.0 / 3));  // the second: beyond 0 and 3 no other digit is decided
  CHECK(std::isnan(s.margin));
  Eigen::MatrixXd close = target.leftCols(1);
  close(0, 0) += 0.4;
  CHECK(score(close, target.leftCols(1)).word_accuracy == 1.0);
  CHECK(score(close, target.leftCols(1)).margin == Approx(0.1));
  CHECK(digits_of(codes, 4).col(0) == target.col(0));
}

// Fails when words are drawn that no lower units send: half of those of eight, whose mean is no code
TEST_CASE("words of an upper unit are sums of codes") {
  for (const int servers : {2, 3, 4, 8, 16}) {
    const Task task = {.servers = servers, .level = CascadeLevel::second, .outputs = Outputs::sums};
    Stream stream(1, Purpose::test);
    const std::vector<std::uint64_t> words = draw_words(task, 2'000, stream);
    std::uint64_t most = 0;
    for (const std::uint64_t w : words) most = std::max(most, code_total(word_sums(task, w)));
    CAPTURE(servers, most);
    CHECK(most <= 255u * static_cast<unsigned>(servers * servers));
    CHECK(most > 128u * static_cast<unsigned>(servers * servers));
  }
}

TEST_CASE("impossible tasks are refused by name and range") {
  CHECK_THAT(refusal([&] { validate_task({0, 4}); }), ContainsSubstring("servers = 0"));
  CHECK_THAT(refusal([&] { validate_task({.servers = 65}); }), ContainsSubstring("servers <= 64"));
  CHECK_NOTHROW(validate_task({.servers = 256, .adder = Adder::ring}));
  CHECK_THAT(refusal([&] { validate_task({.servers = 257, .adder = Adder::hub}); }),
             ContainsSubstring("servers <= 256"));
  CHECK_THAT(refusal([&] { validate_task({4, 17}); }), ContainsSubstring("bits = 34"));
  CHECK_THAT(refusal([&] { validate_task({8, 16}); }), ContainsSubstring("Give at most 26"));
  CHECK_THAT(refusal([&] {
               validate_task({4, 16, Rounding::half_up, CascadeLevel::first});
             }),
             ContainsSubstring("bits = 32 and a digit between the levels"));
  CHECK_THAT(refusal([&] { validate_task({.digits = 9, .outputs = Outputs::analogue}); }),
             ContainsSubstring("bits = 18 of an analogue sum"));
  CHECK_THAT(refusal([&] { validate_task({.level = CascadeLevel::first, .outputs = Outputs::analogue}); }),
             ContainsSubstring("outputs = \"analogue\" in a cascade"));
  CHECK_THAT(refusal([&] { validate_task({.servers = 5, .level = CascadeLevel::first}); }),
             ContainsSubstring("servers = 5 a unit of a cascade"));
  CHECK_NOTHROW(validate_task({.servers = 16, .level = CascadeLevel::second, .outputs = Outputs::sums}));
  CHECK_THAT(refusal([&] { value_of_name<Rounding>("half-evn"); }), ContainsSubstring("\"half-even\""));
  CHECK_THROWS_AS(word_table({4, 8}), Error);
}
