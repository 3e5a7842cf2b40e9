#include "experiments/models/learning/decoder.hpp"

#include <cmath>

#include "experiments/models/learning/cross_entropy.hpp"
#include "experiments/models/learning/rotary.hpp"
#include "physics/core/check.hpp"

#include "tests/experiments/models/learning/central_difference.hpp"
#include "tests/experiments/models/learning/plain_networks.hpp"
#include "tests/experiments/models/learning/trained.hpp"
#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

const DecoderShape small{7, 2, 8, 2, 6, 5};

Eigen::VectorXd somewhere(const DecoderShape& shape) {
  Stream stream(41, Purpose::test);
  Eigen::VectorXd p = decoder_start(shape, stream).cast<double>();
  for (double& x : p) x += 0.4 * stream.normal();
  return p;
}

std::vector<std::uint16_t> tokens_of(int count, int vocabulary) {
  Stream stream(42, Purpose::test);
  std::vector<std::uint16_t> tokens(static_cast<std::size_t>(count));
  for (auto& t : tokens) t = static_cast<std::uint16_t>(stream.below(static_cast<std::uint32_t>(vocabulary)));
  return tokens;
}

/// Logits less those of token 0, (vocabulary, tokens): what a loss grows by when one target becomes token 0.
Eigen::MatrixXd logits(const Eigen::VectorXd& p, std::span<const std::uint16_t> tokens, Eigen::Index length) {
  std::vector<std::uint16_t> targets(tokens.size(), 0);
  const auto loss = [&] { return decoder_loss<double>(small, p, tokens, targets, length, 1.0, nullptr).loss; };
  const double all_zero = loss();
  Eigen::MatrixXd found(small.vocabulary, static_cast<Eigen::Index>(tokens.size()));
  for (std::size_t t = 0; t < tokens.size(); ++t)
    for (int v = 0; v < small.vocabulary; ++v) {
      targets[t] = static_cast<std::uint16_t>(v);
      found(v, static_cast<Eigen::Index>(t)) = all_zero - loss();
      targets[t] = 0;
    }
  return found;
}

}  // namespace

// Fails when the backward turn has the sign of the forward one, or silu' loses its second term.
TEST_CASE("the decoder's gradient is the loss's derivative") {
  const auto tokens = tokens_of(15, 7);
  std::vector<std::uint16_t> targets(tokens.rbegin(), tokens.rend());
  const Eigen::VectorXd p = somewhere(small);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p.size());
  decoder_loss<double>(small, p, tokens, targets, 5, 1.0 / 15, &gradient);
  check_derivative(
      [&](const Eigen::VectorXd& at) {
        return decoder_loss<double>(small, at, tokens, targets, 5, 1.0, nullptr).loss / 15;
      },
      p, gradient, 1e-3, 1e-8);

  Eigen::VectorXf single = Eigen::VectorXf::Zero(p.size());
  decoder_loss<float>(small, p.cast<float>(), tokens, targets, 5, 1.0f / 15, &single);
  CHECK((single.cast<double>() - gradient).norm() < 1e-5 * gradient.norm());
}

// the decoder is written out in plain_networks.hpp. Fails when positions turn the other way or by another base,
// scores have another scale, or a gain, a norm or the gate is left out
TEST_CASE("the decoder is what its definition says") {
  const Eigen::VectorXd p = somewhere(small);
  const auto tokens = tokens_of(9, 7);
  const Eigen::MatrixXd plain = plain_decoder(small, p, tokens);
  CHECK((logits(p, tokens, 9) - (plain.rowwise() - plain.row(0))).cwiseAbs().maxCoeff() < 1e-12);
}

// Fails when causal_softmax looks at head(t + 2), or leaves the weights beyond the query as they were.
TEST_CASE("no token is told of a later one") {
  const Eigen::VectorXd p = somewhere(small);
  auto tokens = tokens_of(10, 7);
  const Eigen::MatrixXd before = logits(p, tokens, 10);
  tokens[6] = static_cast<std::uint16_t>((tokens[6] + 1) % 7);
  const Eigen::MatrixXd after = logits(p, tokens, 10);
  CHECK((before - after).leftCols(6).cwiseAbs().maxCoeff() < 1e-12);
  for (int t = 6; t < 10; ++t) CHECK((before.col(t) - after.col(t)).norm() > 1e-6);
}

// Fails when sequences of one call see each other.
TEST_CASE("a sequence does not depend on its company") {
  const Eigen::VectorXd p = somewhere(small);
  const auto tokens = tokens_of(15, 7);
  const Eigen::MatrixXd together = logits(p, tokens, 5);
  for (std::size_t n = 0; n < 3; ++n) {
    const auto own = std::span<const std::uint16_t>(tokens).subspan(5 * n, 5);
    const auto there = together.middleCols(static_cast<Eigen::Index>(5 * n), 5);
    CHECK((there - logits(p, own, 5)).cwiseAbs().maxCoeff() < 1e-12);
  }
}

// Fails when the angle is not proportional to the place, or the second of a pair turns the other way.
TEST_CASE("the product of turned queries and keys depends on the difference of their places") {
  const int heads = 2, width = 6;
  const Eigen::Index length = 9;
  Stream stream(44, Purpose::test);
  Eigen::VectorXd q(heads * width), k(heads * width);
  for (double& x : q) x = stream.normal();
  for (double& x : k) x = stream.normal();
  MatrixOf<double> queries = q.replicate(1, 2 * length), keys = k.replicate(1, 2 * length);
  const auto angles = rotary_angles<double>(width, length);
  rotary_turn(angles, heads, 1.0, queries);
  rotary_turn(angles, heads, 1.0, keys);
  for (Eigen::Index difference = 0; difference < length; ++difference) {
    const double score = queries.col(difference).head(width).dot(keys.col(0).head(width));
    for (Eigen::Index place = 0; place + difference < length; ++place)
      CHECK(queries.col(place + difference).head(width).dot(keys.col(place).head(width)) ==
            Approx(score).margin(1e-12));
    if (difference > 0) CHECK(std::abs(score - q.head(width).dot(k.head(width))) > 1e-3);
  }
  CHECK(queries.leftCols(length) == queries.rightCols(length));  // two sequences, one after the other
  rotary_turn(angles, heads, -1.0, queries);
  CHECK((queries - q.replicate(1, 2 * length)).cwiseAbs().maxCoeff() < 1e-14);
}

// Fails when softmax leaves out its division.
TEST_CASE("probabilities add up to one") {
  MatrixOf<double> z(7, 3);
  z << MatrixOf<double>::Random(7, 3) * 50.0;
  const std::vector<std::uint16_t> labels{2, 6};
  const auto sums = cross_entropy<double, std::uint16_t>(z, labels, 0.5);
  CHECK(sums.loss > 0.0);
  z(2, 0) += 0.5;  // what stood for e_label
  z(6, 1) += 0.5;
  CHECK(z.col(0).sum() == Approx(0.5).epsilon(1e-14));
  CHECK(z.col(1).sum() == Approx(0.5).epsilon(1e-14));
  CHECK(z.col(2).isZero(0.0));
}

TEST_CASE("a decoder at its start finds every token equally likely") {
  Stream stream(43, Purpose::test);
  const Eigen::VectorXd p = decoder_start(small, stream).cast<double>();
  const auto tokens = tokens_of(20, 7);
  const auto sums = decoder_loss<double>(small, p, tokens, tokens, 5, 1.0, nullptr);
  CHECK(sums.loss / 20 == Approx(std::log(7.0)).epsilon(1e-12));
}

// variance of n squared normals: relative deviation sqrt(2 / n), 5 of them. Fails when matrices that write into
// x are not smaller, or are so by the layers alone
TEST_CASE("a decoder starts with small matrices, smaller where they add up") {
  DecoderShape shape;
  shape.layers = 3;
  Stream stream(1, Purpose::learner_init);
  const Eigen::VectorXd p = decoder_start(shape, stream).cast<double>();
  const Eigen::Index d = 64, f = 160, first = 96 * d;
  const auto deviation = [&](Eigen::Index at, Eigen::Index count, double expected) {
    CAPTURE(at, count);
    CHECK(p.segment(at, count).squaredNorm() / static_cast<double>(count) ==
          Approx(expected * expected).epsilon(5 * std::sqrt(2.0 / static_cast<double>(count))));
  };
  deviation(0, first, 0.02);
  deviation(first + d, 3 * d * d, 0.02);                                           // Wq, Wk, Wv
  deviation(first + d + 3 * d * d, d * d, 0.02 / std::sqrt(6.0));                  // Wo
  deviation(first + 2 * d + 4 * d * d, 2 * f * d, 0.02);                           // W1, W3
  deviation(first + 2 * d + 4 * d * d + 2 * f * d, f * d, 0.02 / std::sqrt(6.0));  // W2
  CHECK(p.segment(first, d).isOnes(0.0));
  CHECK(p.tail(96 * d).isZero(0.0));
}

TEST_CASE("a decoder has the parameters that its layers add up to") {
  CHECK(DecoderShape{}.parameters() == 2 * 96 * 64 + 2 * (4 * 64 * 64 + 3 * 64 * 160 + 2 * 64) + 64);
}

// Fails when targets are the tokens themselves, or one place off.
TEST_CASE("a decoder learns a text that repeats itself") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "abcabd";
  const auto data = std::make_shared<const TextData>(text_data(text));
  const LearningTask task = decoder_task({2, 1, 16, 2, 24, 12}, data);
  DataParallelSettings s;
  s.batch = 8;
  s.steps = 150;
  s.optimiser.rule = OptimiserRule::adamw;
  s.optimiser.learning_rate = 0.01;
  s.optimiser.schedule = RateSchedule::cosine;
  s.optimiser.warm_up_steps = 10;
  const Trained one = trained_on(1, s, task), two = trained_on(2, s, task);
  CHECK(one.losses.front() == Approx(std::log(4.0)).epsilon(1e-5));
  // Only the first tokens of an example leave a doubt: whether an a or b belongs to c or d.
  CHECK(one.test.loss < 0.15);
  CHECK(one.test.accuracy > 0.9);
  CHECK(one.learner.parameters == two.learner.parameters);
  CHECK(one.test.loss == two.test.loss);
}

// examples of 400 characters, computed two at a time; four to train on, four to test. Fails when what is beyond
// the first two is left out, or counted twice
TEST_CASE("a decoder learns from every example that it is asked for, and is judged on all") {
  Stream stream(45, Purpose::test);
  std::string text;
  for (int i = 0; i < 4000; ++i) text += static_cast<char>('a' + stream.below(7));
  const auto data = std::make_shared<const TextData>(text_data(text, 0.5));
  const DecoderShape shape{7, 1, 8, 2, 6, 400};
  const LearningTask task = decoder_task(shape, data);
  REQUIRE(task.examples == 4);
  Eigen::VectorXf p = task.start(stream);
  for (float& x : p) x += 0.3f * static_cast<float>(stream.normal());
  const LossAndGradient all = task.gradient(p, std::vector<std::uint32_t>{2, 0, 3});
  Eigen::VectorXf mean = Eigen::VectorXf::Zero(p.size());
  double loss = 0.0;
  for (const std::uint32_t example : {2u, 0u, 3u}) {
    const LossAndGradient one = task.gradient(p, std::vector<std::uint32_t>{example});
    mean += one.gradient / 3.0f;
    loss += one.loss / 3.0;
  }
  CHECK((all.gradient - mean).norm() < 1e-5f * mean.norm());
  CHECK(all.loss == Approx(loss).epsilon(1e-6));

  DecoderSums sums;
  for (const std::size_t first : {0u, 400u, 800u, 1200u}) {
    const auto test = std::span<const std::uint16_t>(data->test);
    const DecoderSums part = decoder_loss<float>(shape, p, test.subspan(first, 400),
                                                 test.subspan(first + 1, 400), 400, 1.0f, nullptr);
    sums.loss += part.loss;
    sums.right += part.right;
  }
  const Evaluation found = task.evaluate(p);
  CHECK(found.loss == Approx(sums.loss / 1600).epsilon(1e-6));
  CHECK(found.accuracy == static_cast<double>(sums.right) / 1600);
}

TEST_CASE("a decoder that cannot be is refused") {
  const auto refused = [&](auto change) {
    DecoderShape shape = small;
    change(shape);
    CHECK_THROWS_AS(validate_decoder(shape), Error);
  };
  CHECK_NOTHROW(validate_decoder(small));
  refused([](auto& s) { s.vocabulary = 1; });
  refused([](auto& s) { s.layers = 0; });
  refused([](auto& s) { s.heads = 3; });
  refused([](auto& s) { s.width = 6; });
  refused([](auto& s) { s.hidden = 0; });
  refused([](auto& s) { s.context = 0; });
  const Eigen::VectorXd p = somewhere(small);
  const std::vector<std::uint16_t> beyond{0, 1, 7}, good{0, 1, 2};
  const auto loss = [](const Eigen::VectorXd& at, const auto& tokens, const auto& targets,
                       Eigen::Index length) {
    decoder_loss<double>(small, at, tokens, targets, length, 1.0, nullptr);
  };
  CHECK_NOTHROW(loss(p, good, good, 3));
  CHECK_THROWS_AS(loss(p, beyond, good, 3), Error);
  CHECK_THROWS_AS(loss(p, good, good, 2), Error);
  CHECK_THROWS_AS(loss(p.head(5), good, good, 3), Error);
  CHECK_THROWS_AS(loss(p, good, beyond, 3), Error);
  CHECK_THROWS_AS(decoder_task(small, std::make_shared<const TextData>(text_data("abcdef"))), Error);
}
