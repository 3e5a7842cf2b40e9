#include "onn/task/block_quantiser.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "physics/core/check.hpp"
#include "physics/random/stream.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// Gradients whose size swings over seven orders of magnitude along the vector.
Eigen::MatrixXf wild_gradients(Eigen::Index elements, Eigen::Index servers) {
  Stream stream(21, Purpose::test);
  Eigen::MatrixXf g(elements, servers);
  for (Eigen::Index n = 0; n < servers; ++n) {
    for (Eigen::Index i = 0; i < elements; ++i) {
      const double size = std::exp(8.0 * std::cos(static_cast<double>(i) / 300.0));
      g(i, n) = static_cast<float>(size * (2.0 * stream.uniform() - 1.0));
    }
  }
  return g;
}

}  // namespace

TEST_CASE("a server's element is off by at most s / (2^B - 2)") {
  const int bits = GENERATE(2, 4, 8, 16);
  const int block = GENERATE(1, 64, 1024, 5000);
  const Eigen::MatrixXf g = wild_gradients(2500, 3);
  const auto q = quantise(g, bits, block);
  REQUIRE(q.codes.rows() == 2500);
  REQUIRE(q.codes.cols() == 3);
  REQUIRE(q.block_scale.size() == (2500 + block - 1) / block);
  double worst = 0.0;
  for (Eigen::Index n = 0; n < 3; ++n) {
    const Eigen::VectorXf back = dequantise(q.codes.col(n).cast<double>(), q.block_scale, bits, block);
    for (Eigen::Index i = 0; i < g.rows(); ++i) {
      const auto scale = static_cast<double>(q.block_scale[i / block]);
      const double bound = scale / (std::ldexp(1.0, bits) - 2.0);
      const double error = std::abs(static_cast<double>(back[i]) - static_cast<double>(g(i, n)));
      // The result's own rounding to float comes on top.
      worst = std::max(worst, error / (bound + scale * 0x1p-24));
    }
  }
  CHECK(worst <= 1.0);
  if (block > 1) CHECK(worst > 0.9);  // the bound is reached: neither it nor the codes are slack
  CHECK(q.codes.minCoeff() >= 1u);
  CHECK(q.codes.maxCoeff() < 1u << bits);
}

TEST_CASE("the scale is the largest magnitude of the block over all servers") {
  Eigen::MatrixXf g(5, 2);
  g << 1.0f, 0.0f, 0.0f, -3.0f, 0.25f, 0.0f, 0.0f, 0.5f, 7.0f, -8.0f;
  const auto q = quantise(g, 8, 2);
  CHECK(q.block_scale == Eigen::Vector3f(3.0f, 0.5f, 8.0f));
  CHECK(q.codes(1, 1) == 1u);    // -s
  CHECK(q.codes(3, 1) == 255u);  // +s
  CHECK(q.codes(0, 0) == 128u + 42u);
  CHECK(q.codes(0, 1) == 128u);
}

TEST_CASE("servers that agree on a scale find the codes that one who sees all finds") {
  const Eigen::MatrixXf g = wild_gradients(2500, 3);
  const auto q = quantise(g, 8, 64);
  Eigen::VectorXf scale = block_maxima(g.col(0), 64);
  for (Eigen::Index n = 1; n < 3; ++n) scale = scale.cwiseMax(block_maxima(g.col(n), 64));
  CHECK(scale == q.block_scale);
  for (Eigen::Index n = 0; n < 3; ++n) CHECK(encode(g.col(n), scale, 8, 64) == q.codes.col(n));
  scale[3] *= 0.5f;
  CHECK(refusal([&] {
          for (Eigen::Index n = 0; n < 3; ++n) encode(g.col(n), scale, 8, 64);
        }).find("in block 3 of scale") != std::string::npos);
  CHECK_THROWS_AS(encode(g.col(0), scale.head(2), 8, 64), Error);
}

TEST_CASE("halves go to the even integer") {
  // s = 127 steps, and every element below is a float exactly, so that each quotient is an exact half.
  const float half_step = GENERATE(0x1p-140f, 0x1p-40f, 1.0f, 3.0f, 50887.0f);
  Eigen::MatrixXf g(127, 2);
  for (int k = 0; k < 127; ++k) {
    g(k, 0) = static_cast<float>(2 * k + 1) * half_step;  // (k + 1/2) steps
    g(k, 1) = -g(k, 0);
  }
  g(126, 0) = 254.0f * half_step;
  const auto q = quantise(g, 8);
  for (int k = 0; k < 126; ++k) {
    const int even = k % 2 == 0 ? k : k + 1;
    CHECK(static_cast<int>(q.codes(k, 0)) - 128 == even);
    CHECK(static_cast<int>(q.codes(k, 1)) - 128 == -even);
  }
}

TEST_CASE("the mean of dequantised codes is the dequantised mean of the codes") {
  const Eigen::MatrixXf g = wild_gradients(3000, 4);
  const auto q = quantise(g, 8);
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(3000);
  for (Eigen::Index n = 0; n < 4; ++n) {
    mean += dequantise(q.codes.col(n).cast<double>(), q.block_scale, 8).cast<double>() / 4.0;
  }
  const Eigen::VectorXf of_mean = dequantise(q.codes.cast<double>().rowwise().mean(), q.block_scale, 8);
  for (Eigen::Index i = 0; i < 3000; ++i) {
    const auto scale = static_cast<double>(q.block_scale[i / 1024]);
    REQUIRE(std::abs(static_cast<double>(of_mean[i]) - mean[i]) <= scale * 0x1p-23);  // two roundings to float
  }
}

TEST_CASE("a block of zeros is sent as zeros") {
  Eigen::MatrixXf g = Eigen::MatrixXf::Zero(6, 2);
  g(0, 1) = std::numeric_limits<float>::denorm_min();
  const auto q = quantise(g, 8, 2);
  CHECK(q.block_scale[1] == 0.0f);
  CHECK((q.codes.bottomRows(4).array() == 128u).all());
  CHECK(q.codes(0, 1) == 255u);  // the smallest float is not zero
  const Eigen::VectorXf back = dequantise(q.codes.col(1).cast<double>(), q.block_scale, 8, 2);
  CHECK(back == g.col(1));
  // Noise on the codes of a zero block stays without effect.
  CHECK(dequantise(Eigen::VectorXd::Constant(2, 200.5), Eigen::VectorXf::Zero(1), 8, 2).isZero(0.0f));
}

TEST_CASE("no gradient, no words") {
  const auto q = quantise(Eigen::MatrixXf(0, 3), 8);
  CHECK(q.codes.rows() == 0);
  CHECK(dequantise(Eigen::VectorXd(0), q.block_scale, 8).size() == 0);
}

TEST_CASE("what has no code is refused by name") {
  Eigen::MatrixXf g = Eigen::MatrixXf::Ones(9, 3);
  g(7, 2) = std::numeric_limits<float>::quiet_NaN();
  CHECK(refusal([&] { quantise(g, 8); }).starts_with("gradient element 7 of server 2 is nan"));
  g(7, 2) = 0.0f;
  g(3, 1) = -std::numeric_limits<float>::infinity();
  CHECK(refusal([&] { quantise(g, 8); }).starts_with("gradient element 3 of server 1 is -inf"));
  g(3, 1) = 0.0f;
  CHECK_NOTHROW(quantise(g, 8));
  CHECK_THROWS_AS(quantise(g, 1), Error);
  CHECK_THROWS_AS(quantise(g, 17), Error);
  CHECK_THROWS_AS(quantise(g, 8, 0), Error);
  CHECK_THROWS_AS(quantise(Eigen::MatrixXf(4, 0), 8), Error);

  const Eigen::VectorXd codes = Eigen::VectorXd::Constant(9, 128.0);
  CHECK_THROWS_AS(dequantise(codes, Eigen::VectorXf::Ones(1), 8, 4), Error);
  CHECK_THROWS_AS(dequantise(codes * std::numeric_limits<double>::quiet_NaN(), Eigen::VectorXf::Ones(1), 8),
                  Error);
}

TEST_CASE("scales cost 0.390625 % of the payload at 8 bits and K = 1024") {
  CHECK(overhead_share(8, 1024) == 0.00390625);
  CHECK(overhead_share(8, 512, 16) == 0.00390625);
  CHECK(overhead_share(16, 512, 32) == 0.00390625);
  CHECK(overhead_share(4, 64) == 0.125);
  CHECK_THROWS_AS(overhead_share(8, 1024, 0), Error);
}

// 100,000 elements, 5 sigma of a binomial: 0.3 of a step goes up in 3 of 10 cases. Fails when servers share
// draws, or a step of training repeats those of another
TEST_CASE("MC: stochastic codes are unbiased, with draws for every server and instant") {
  constexpr Eigen::Index words = 100'000;
  Eigen::MatrixXf g = Eigen::MatrixXf::Constant(words, 2, -0.3f / 31);
  g.row(0).setOnes();
  g.row(1).setConstant(-1.0f);
  const auto q = quantise(g, 6, words, {.stochastic = true, .seed = 3, .instant = 5});
  CHECK(q.codes(0, 0) == 63);
  CHECK(q.codes(1, 1) == 1);
  const double below = (q.codes.array() == 31u).cast<double>().mean();
  CHECK(std::abs(below - 0.3) < 5 * std::sqrt(0.3 * 0.7 / (2.0 * words)));
  CHECK(((q.codes.array() == 31u) || (q.codes.array() == 32u)).cast<double>().sum() == 2.0 * words - 4);
  CHECK(q.codes.col(0) != q.codes.col(1));
  CHECK(q.codes.col(1) == encode(g.col(1), q.block_scale, 6, words, {true, 3, 5}, 1));
  CHECK(q.codes != quantise(g, 6, words, {.stochastic = true, .seed = 3, .instant = 6}).codes);
  const Task analogue{.rounding = Rounding::stochastic, .outputs = Outputs::analogue};
  CHECK(code_rounding(analogue, 3, 5).stochastic);
  CHECK(!code_rounding({.rounding = Rounding::stochastic, .outputs = Outputs::sums}, 3, 5).stochastic);
}
