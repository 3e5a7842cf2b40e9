#include "experiments/models/learning/light_channel.hpp"

#include <cmath>

#include "experiments/models/learning/relative_error.hpp"
#include "onn/network/carry_chain.hpp"

#include "tests/experiments/models/learning/drawn_gradients.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// Codes that are received whatever was sent.
CodeAverager always(std::vector<std::uint32_t> codes) {
  return [codes = std::move(codes)](const Codes&, const StepContext&) {
    return CodeVector(Eigen::Map<const CodeVector>(codes.data(), std::ssize(codes)));
  };
}

Codes all_equal(std::uint32_t code, Eigen::Index words, Eigen::Index servers) {
  return Codes::Constant(words, servers, code);
}

LightChannel ideal(Rounding rounding = Rounding::half_even) {
  LightChannel channel;
  channel.task.rounding = rounding;
  channel.average = ideal_average(channel.task);
  return channel;
}

}  // namespace

// a code is off by half a step at most, at the servers and once more at the mean. Fails when scales of one
// block serve another
TEST_CASE("Through an ideal channel a gradient comes back within one step of its block") {
  LightChannel channel = ideal();
  channel.block = 100;
  Eigen::MatrixXf g = drawn_gradients(1001, 4);
  g.middleRows(300, 100) *= 1e-4f;
  const Eigen::VectorXf received = average_through(channel, g, {}), exact = exact_average(g);
  for (Eigen::Index i = 0; i < g.rows(); ++i) {
    const Eigen::Index first = i / 100 * 100;
    const float scale = g.middleRows(first, std::min<Eigen::Index>(100, 1001 - first)).cwiseAbs().maxCoeff();
    CHECK(std::abs(received[i] - exact[i]) <= scale / 127 * 1.0001f);
  }
  CHECK(channel.errors.words == 1001);
  CHECK(channel.errors.wrong == 0);
}

// Fails when the rest between the levels is dropped: a quarter of all means would round another way
TEST_CASE(
    "A cascade that carries a digit answers as a flat unit of sixteen servers, one that does not does not") {
  const Task flat{4, 4, Rounding::half_up}, first{4, 4, Rounding::half_up, CascadeLevel::first},
      second{4, 4, Rounding::half_up, CascadeLevel::second};
  Stream stream(43, Purpose::test);
  Codes codes(20'000, 16);
  for (auto& code : codes.reshaped()) code = stream.below(256);
  const auto map = [](const Task& task) { return map_average(tabulate_network(carry_chain(task, {})), 0); };
  const CodeVector wanted = ideal_average(flat)(codes, {});
  CHECK(cascade_average({map(first), map(first), map(first), map(first)}, map(second))(codes, {}) == wanted);
  const CodeVector twice = cascade_average({map(flat), map(flat), map(flat), map(flat)}, map(flat))(codes, {});
  CHECK(twice != wanted);
  CHECK((twice.cast<int>() - wanted.cast<int>()).cwiseAbs().maxCoeff() == 1);
  check_message(refusal([&] {
                  cascade_average({map(flat), map(flat), map(flat)}, map(flat))(codes, {});
                }),
                {"16 servers", "3 units"});
}

// Fails when a unit is sent the codes of another, or stands in for another
TEST_CASE("A cascade's units each average their own servers, and the one above what they send") {
  const auto first_plus = [](std::uint32_t add) {
    return [add](const Codes& codes, const StepContext&) { return CodeVector(codes.col(0).array() + add); };
  };
  const CodeAverager above = [](const Codes& codes, const StepContext& step) {
    CHECK(step.step == 7);
    return CodeVector(codes.col(0) * 100 + codes.col(1));
  };
  Codes codes(1, 4);
  codes << 10, 20, 30, 40;
  CHECK(cascade_average({first_plus(1), first_plus(2)}, above)(codes, {1, 7})[0] == 11 * 100 + 32);
}

// noise of half a digit at the receivers of a network's map. Fails when two steps, or two chips, share their
// noise
TEST_CASE("A map has fresh noise at every step") {
  ResponseTable map = tabulate_network(carry_chain({4, 2, Rounding::half_up}, {}));
  for (auto& digit : map.readout) digit.white = 0.25;
  find_reach(map);
  const Codes codes = all_equal(5, 1000, 4);
  const CodeVector received = map_average(map, 3)(codes, {1, 2});
  CHECK(received == map_average(map, 3)(codes, {1, 2}));
  CHECK(received != map_average(map, 3)(codes, {1, 3}));
  CHECK(received != map_average(map, 3)(codes, {2, 2}));
  CHECK(received != map_average(map, 4)(codes, {1, 2}));
}

// 200,000 words: shares within 5 sigma of the binomial. Fails when larger errors are as likely as those of one,
// or all go one way
TEST_CASE("MC: injected errors are as many and as large as said, and without bias") {
  const double rate = 0.02, words = 200'000;
  const CodeAverager average = with_injected_errors(ideal_average({}), rate, 4);
  const CodeVector received = average(all_equal(128, 200'000, 2), {5, 3});
  const Eigen::ArrayXd off = received.cast<double>().array() - 128.0;
  const auto near = [&](double found, double share, double of) {
    CAPTURE(found, share);
    CHECK(std::abs(found - share) < 5 * std::sqrt(share * (1 - share) / of));
  };
  const double wrong = (off != 0.0).cast<double>().sum();
  near(wrong / words, rate, words);
  near((off.abs() == 1.0).cast<double>().sum() / wrong, 0.9, wrong);
  near((off.abs() == 16.0).cast<double>().sum() / wrong, 0.1 / 3, wrong);
  near((off > 0.0).cast<double>().sum() / wrong, 0.5, wrong);
  CHECK(received == average(all_equal(128, 200'000, 2), {5, 3}));
  CHECK(received != average(all_equal(128, 200'000, 2), {5, 4}));
  CHECK(received != average(all_equal(128, 200'000, 2), {6, 3}));
  CHECK(average(all_equal(255, 1000, 2), {5, 3}).maxCoeff() <= 255);  // codes stay in range
}

// the sum of what was sent cannot lag behind the sum of what there was by more than one step. Fails when the
// residual is forgotten, or is that of the mean
TEST_CASE("Error feedback sends later what quantisation left out") {
  LightChannel channel = ideal();
  channel.error_feedback = true;
  Eigen::MatrixXf g(2, 3);
  g.row(0).setOnes();
  g.row(1).setConstant(0.002f);  // far below half a step of 1/127; alike, since Q(mean) has no feedback
  float sent = 0.0f;
  for (int step = 0; step < 100; ++step)
    sent += average_through(channel, g, {1, static_cast<std::uint32_t>(step)})(1, 0);
  CHECK(std::abs(sent - 0.2f) <= 1.0f / 127);
  LightChannel without = ideal();
  CHECK(average_through(without, g, {})(1, 0) == 0.0f);
}

// received 3, 0, 1 and 2 for means of 2 1/2 (half-up 3), 1, 2 and 5. Fails when errors are counted without
// their sign, or against another rounding than the channel's
TEST_CASE("Errors are counted against the channel's own Q(mean)") {
  LightChannel channel = ideal(Rounding::half_up);
  channel.task.digits = 2;
  Eigen::MatrixXf g(4, 2);  // codes are 8 + 7 g
  g << -6, -5, -7, -7, -6, -6, -3, -3;
  g /= 7.0f;
  g.conservativeResize(5, 2);
  g.row(4).setOnes();  // the block's scale
  channel.average = always({3, 0, 1, 2, 15});
  average_through(channel, g, {});
  const CodeErrors& e = channel.errors;
  CHECK(e.words == 5);
  CHECK(e.wrong == 3);
  CHECK(e.off_by_one == 2);
  CHECK(e.error_rate() == Approx(0.6));
  CHECK(e.bias_lsb() == Approx((-1 - 1 - 3) / 5.0));
  CHECK(e.rms_lsb() == Approx(std::sqrt((1 + 1 + 9) / 5.0)));
  channel.task.rounding = Rounding::half_even;
  average_through(channel, g, {});
  CHECK(e.words == 10);
  CHECK(e.wrong == 7);  // the mean of 2 1/2 is 2 now
}

// Three servers of 6 bits, whose sums come back too large by their number. Fails when a server applies what
// another receives, or a sum counts as a mean
TEST_CASE("Servers with copies of their own each receive an analogue sum") {
  LightChannel channel;
  channel.task = {.servers = 3, .digits = 3, .outputs = Outputs::analogue};
  channel.own_copies = true;
  channel.average = [&](const Codes& codes, const StepContext& step) {
    return CodeVector(exact_answers(channel.task, codes).array() + step.server);
  };
  Eigen::MatrixXf g(2, 3);
  g << 1, 1, 1, 0, 0, 1;
  const Eigen::MatrixXf received = average_through(channel, g, {});
  REQUIRE(received.cols() == 3);
  for (Eigen::Index n = 0; n < 3; ++n)
    CHECK(received(1, n) == Approx((31.0 + static_cast<double>(n)) / 3 / 31));
  CHECK(channel.errors.words == 6);
  CHECK(channel.errors.wrong == 4);
  CHECK(channel.errors.bias_lsb() == Approx((0 + 1 + 2) / 3.0 / 3));
}

TEST_CASE("The range guard draws back what server 0 knows to be impossible, and nothing else") {
  LightChannel channel = ideal();
  channel.range_guard = true;
  channel.average = [](const Codes& codes, const StepContext&) {
    return CodeVector(CodeVector::Constant(codes.rows(), 255));
  };
  Eigen::MatrixXf g(3, 4);
  g.row(0).setConstant(-1.0f);  // server 0 sends code 1: the mean of four is at most (1 + 3 255)/4, 192
  g.row(1).setConstant(1.0f);   // code 255: anything from 64 on
  g.row(2) << 1.0f, -1.0f, -1.0f, -1.0f;
  const Eigen::VectorXf received = average_through(channel, g, {});
  CHECK(channel.errors.guarded == 1);
  CHECK(received[0] == Approx((192 - 128) / 127.0));
  CHECK(received[1] == Approx(1.0));
  CHECK(received[2] == Approx(1.0));  // wrong, and not to be known
  CHECK(channel.errors.wrong == 2);
  CHECK(channel.errors.bias_lsb() == Approx((254 + 0 + 255 - 65) / 3.0).margin(0.5));
}

// server 0 sends 255, so that the mean of four is at least 63 3/4, rounded down at worst. Fails when the lower
// end is another
TEST_CASE("The range guard knows the lower end, and lets every rounding pass") {
  LightChannel channel = ideal();
  channel.range_guard = true;
  channel.average = always({0, 62, 63, 64, 255});
  const Eigen::VectorXf received = average_through(channel, Eigen::MatrixXf::Ones(5, 4), {});
  CHECK(channel.errors.guarded == 2);
  for (const Eigen::Index i : {0, 1, 2}) CHECK(received[i] == Approx((63 - 128) / 127.0));
  CHECK(received[3] == Approx((64 - 128) / 127.0));
  CHECK(received[4] == Approx(1.0));
}

TEST_CASE("A constant offset moves every element by so many steps") {
  LightChannel channel = ideal(), shifted = ideal();
  shifted.offset_lsb = 2.0;
  const Eigen::MatrixXf g = drawn_gradients(50, 4);
  const Eigen::VectorXf moved = average_through(shifted, g, {}) - average_through(channel, g, {});
  CHECK(moved.isApproxToConstant(2.0f * g.cwiseAbs().maxCoeff() / 127, 1e-4f));
}
