#include "experiments/models/learning/collectives.hpp"

#include "experiments/models/learning/data_parallel.hpp"
#include "experiments/models/learning/relative_error.hpp"

#include "tests/experiments/models/learning/drawn_gradients.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

using Collective = Traffic (*)(Eigen::MatrixXf&);

}  // namespace

// N - 1 float additions of numbers of size 1: 1e-6 relative. Fails when a piece is left out or added twice, or
// the way back stops a step early
TEST_CASE("Every collective leaves all servers the same mean, whatever is left over by pieces") {
  for (const Collective collective : {&ring_all_reduce, &halving_doubling, &parameter_server})
    for (const Eigen::Index servers : {1, 2, 4, 16})
      for (const Eigen::Index elements : {1, 7, 16, 1001}) {
        CAPTURE(servers, elements);
        const Eigen::MatrixXf gradients = drawn_gradients(elements, servers);
        Eigen::MatrixXf held = gradients;
        collective(held);
        for (Eigen::Index s = 1; s < servers; ++s) CHECK(held.col(s) == held.col(0));
        CHECK(relative_error(held.col(0), exact_average(gradients)) < 1e-6);
      }
  Eigen::MatrixXf three = drawn_gradients(100, 3), of_three = three;
  ring_all_reduce(of_three);
  CHECK(relative_error(of_three.col(2), exact_average(three)) < 1e-6);
}

// one column's pieces are exact in float, so that the order of sums shows: 2^24 + 1 - 2^24 is 0 or 1 by the
// order
TEST_CASE("The ring adds in the order in which its pieces travel") {
  Eigen::MatrixXf g(3, 3);               // piece c starts at server c and is added up at c + 1 and c + 2
  g << 16777216.0f, 1.0f, -16777216.0f,  // 2^24, then 1 is lost, then -2^24: 0
      -16777216.0f, 16777216.0f, 3.0f,   // 2^24 + 3 rounds to 2^24 + 4: 4
      1.0f, 16777216.0f, -16777216.0f;   // -2^24 + 1, + 2^24: 1
  ring_all_reduce(g);
  CHECK(g(0, 0) == 0.0f);
  CHECK(g(1, 0) == 4.0f / 3.0f);
  CHECK(g(2, 0) == 1.0f / 3.0f);
}

// (2^24 - 2^24) + (1 + 1) of partners two apart, 0 of neighbours first; 1 + 2^24 loses the 1. Fails when halves
// meet in another order, or the parameter server adds from the last server on
TEST_CASE("Halving and the parameter server add in their orders") {
  Eigen::MatrixXf g = Eigen::RowVector4f(16777216.0f, 1.0f, -16777216.0f, 1.0f).replicate(4, 1);
  halving_doubling(g);
  CHECK(g == Eigen::MatrixXf::Constant(4, 4, 2.0f / 4.0f));
  g = Eigen::RowVector4f(1.0f, 16777216.0f, -16777216.0f, 3.0f).replicate(4, 1);
  parameter_server(g);
  CHECK(g == Eigen::MatrixXf::Constant(4, 4, 3.0f / 4.0f));
}

TEST_CASE("Collectives send what their formulas say") {
  for (const Eigen::Index n : {2, 4, 8, 16}) {
    Eigen::MatrixXf g = Eigen::MatrixXf::Zero(16, n);
    const double share = 2.0 * static_cast<double>(n - 1) / static_cast<double>(n);
    CHECK(ring_all_reduce(g).sent_share == share);  // 1.5, 1.75, 1.875 at 4, 8, 16
    CHECK(ring_all_reduce(g).steps == 2 * (n - 1));
    CHECK(halving_doubling(g).sent_share == share);
    CHECK((1 << (halving_doubling(g).steps / 2)) == n);
    CHECK(parameter_server(g).received_share == static_cast<double>(n - 1));
    CHECK(parameter_server(g).sent_share == static_cast<double>(n - 1));
    CHECK(parameter_server(g).steps == 2);
  }
  Eigen::MatrixXf six = Eigen::MatrixXf::Zero(4, 6), none(4, 0);
  check_message(refusal([&] { halving_doubling(six); }), {"6 servers", "8"});
  check_message(refusal([&] { ring_all_reduce(none); }), {"0 servers"});
}
