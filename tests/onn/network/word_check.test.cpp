#include "onn/network/word_check.hpp"

#include <atomic>

#include "onn/network/carry_chain.hpp"
#include "onn/task/words.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/networks.hpp"

using namespace optinc;

namespace {
const Task few = {4, 2, Rounding::half_up};   // 169 words
const Task many = {4, 8, Rounding::half_up};  // 13^8 words

/// Words whose last digit is not 3.
std::uint64_t words_below_3(const Task& task) {
  return static_cast<std::uint64_t>((word_table(task).targets.bottomRows(1).array() < 3).count());
}

}  // namespace

// Fails when a word is left out, asked twice, or judged by another answer
TEST_CASE("every word of a small task is asked once, and each wrong one counted") {
  const Network right = carry_chain(few);
  std::atomic<std::uint64_t> told = 0;
  const WordCheck all = check_words(right, 1000, 1, 2, [&](std::uint64_t words) { told += words; });
  CHECK(all.words == 169);
  CHECK(all.every);
  CHECK(all.wrong == 0);
  CHECK(all.margin == Approx(0.5).margin(1e-9));
  CHECK(told == 169);
  CHECK(words_to_check(few, 1000) == 169);
  // the last digit is one too many: wrong by 1, but where it is 3, above which servers decide nothing else
  Network wrong = right;
  wrong.layers.back().bias[0] += 1;
  const WordCheck none = check_words(wrong, 0, 1);
  CHECK(none.wrong == words_below_3(few));
  CHECK(none.off_by_one == none.wrong);
  CHECK(none.wrong_digits == std::vector<std::uint64_t>{0, none.wrong});
  CHECK(none.margin == Approx(-0.5).margin(1e-9));
}

// 7 digit sums make 7^8 = 5,764,801 edge words. Fails when edges are not asked besides drawn words, or threads
// draw others
TEST_CASE("of a large task edges and drawn words are asked, the same whatever the threads") {
  CHECK(words_to_check(many, 1000) == 5'764'801 + 1000);
  Network wrong = carry_chain({4, 5, Rounding::half_up});  // 371,293 words: all
  CHECK(words_to_check(wrong.task, 1000) == 371'293);
  wrong.layers.back().bias[0] += 0.6;
  const WordCheck found = check_words(wrong, 0, 3, 1);
  CHECK(found == check_words(wrong, 0, 3, 2));
  CHECK(found.wrong == words_below_3(wrong.task));
  CHECK(found.off_by_one == found.wrong);
  CHECK(found.wrong_digits == std::vector<std::uint64_t>{0, 0, 0, 0, found.wrong});
}

// 7^7 = 823,543 edge words, none drawn: no seed plays a part. A network of no use tells words apart by its
// margin. Fails when drawn words stand in for edges
TEST_CASE("edge words are the same for every seed") {
  const Network any = random_network({4, 7}, {7});
  const WordCheck one = check_words(any, 0, 1), two = check_words(any, 0, 2);
  CHECK(one.words == 823'543);
  CHECK(one == two);
}
