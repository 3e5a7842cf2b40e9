#include "experiments/learning/light_channel.hpp"

#include <cmath>

#include "experiments/learning/relative_error.hpp"
#include "onn/carry_chain.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

Eigen::MatrixXf drawn(Eigen::Index elements, Eigen::Index servers) {
  Stream stream(42, Purpose::test);
  Eigen::MatrixXf gradients(elements, servers);
  for (float& g : gradients.reshaped()) g = static_cast<float>(stream.normal());
  return gradients;
}

CodeMatrix all_equal(std::uint32_t code, Eigen::Index words, Eigen::Index servers) {
  return CodeMatrix::Constant(words, servers, code);
}

LightChannel ideal(Rounding rounding = Rounding::half_even) {
  LightChannel channel;
  channel.average = ideal_average(rounding);
  channel.rounding = rounding;
  return channel;
}

}  // namespace

// a code is off by half a step at most, at the servers and once more at the mean. Fails when scales of one
// block serve another
TEST_CASE("Through an ideal channel a gradient comes back within one step of its block") {
  LightChannel channel = ideal();
  channel.block = 100;
  Eigen::MatrixXf g = drawn(1001, 4);
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
  CodeMatrix codes(20'000, 16);
  for (auto& code : codes.reshaped()) code = stream.below(256);
  const auto map = [](const Task& task) { return map_average(map_network(carry_chain(task, {})), 0); };
  const CodeVector wanted = ideal_average(Rounding::half_up)(codes, {});
  CHECK(cascade_average({map(first), map(first), map(first), map(first)}, map(second))(codes, {}) == wanted);
  const CodeVector twice = cascade_average({map(flat), map(flat), map(flat), map(flat)}, map(flat))(codes, {});
  CHECK(twice != wanted);
  CHECK((twice.cast<int>() - wanted.cast<int>()).cwiseAbs().maxCoeff() == 1);
  check_message(refusal([&] {
                  cascade_average({map(flat), map(flat), map(flat)}, map(flat))(codes, {});
                }),
                {"16 servers", "3 units"});
}

// 200,000 words: shares within 5 sigma of the binomial. Fails when larger errors are as likely as those of one,
// or all go one way
TEST_CASE("MC: injected errors are as many and as large as said, and without bias") {
  const double rate = 0.02, words = 200'000;
  const CodeAverager average = with_injected_errors(ideal_average(Rounding::half_even), rate, 4);
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
  CHECK(average(all_equal(255, 1000, 2), {5, 3}).maxCoeff() <= 255);  // codes stay in range
}

// the sum of what was sent cannot lag behind the sum of what there was by more than one step. Fails when the
// residual is forgotten, or is that of the mean
TEST_CASE("Error feedback sends later what quantisation left out") {
  LightChannel channel = ideal();
  channel.error_feedback = true;
  Eigen::MatrixXf g(2, 1);
  g << 1.0f, 0.001f;  // far below half a step of 1/127
  float sent = 0.0f;
  for (int step = 0; step < 100; ++step)
    sent += average_through(channel, g, {1, static_cast<std::uint32_t>(step)})[1];
  CHECK(std::abs(sent - 0.1f) <= 1.0f / 127);
  LightChannel without = ideal();
  CHECK(average_through(without, g, {})[1] == 0.0f);
}

TEST_CASE("The range guard draws back what server 0 knows to be impossible, and nothing else") {
  LightChannel channel = ideal();
  channel.range_guard = true;
  channel.average = [](const CodeMatrix& codes, const StepContext&) {
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

TEST_CASE("A constant offset moves every element by so many steps") {
  LightChannel channel = ideal(), shifted = ideal();
  shifted.offset_lsb = 2.0;
  const Eigen::MatrixXf g = drawn(50, 4);
  const Eigen::VectorXf moved = average_through(shifted, g, {}) - average_through(channel, g, {});
  CHECK(moved.isApproxToConstant(2.0f * g.cwiseAbs().maxCoeff() / 127, 1e-4f));
}
