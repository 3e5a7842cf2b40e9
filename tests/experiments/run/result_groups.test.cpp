// What is said of a network as a whole.

#include "experiments/run/result_groups.hpp"

#include "onn/network/carry_chain.hpp"
#include "onn/network/weight_noise.hpp"
#include "onn/task/codes.hpp"

#include "tests/support/catch.hpp"

using namespace optinc;

// Fails when a part of the words is left out or counted alone, or the margin is not the least of all parts
TEST_CASE("a network is scored in parts as it is at once") {
  const Task task = {4, 4, Rounding::half_up};  // 13^4 = 28,561 words: two parts
  const Network right = carry_chain(task);
  CHECK(summarise(right).score.word_accuracy == 1.0);
  for (const double error : {0.0, 0.02, 0.1}) {
    CAPTURE(error);
    const Network network = with_matrix_errors(right, error, 0.0, 5, 1);
    const Codes codes = codes_of_words(task, evaluation_words(task));
    const DecodingScore whole = score(forward(network, digit_averages(task, codes)),
                                      digits_of(exact_answers(task, codes), task.output_digits()));
    const DecodingScore found = summarise(network).score;
    CHECK(found.word_accuracy == whole.word_accuracy);
    CHECK(found.margin == whole.margin);
    CHECK((error == 0.0 || whole.word_accuracy < 1.0));
  }
}
