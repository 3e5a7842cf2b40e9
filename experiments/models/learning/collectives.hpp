#pragma once

#include <Eigen/Dense>

namespace optinc {

/// What a collective moved.
struct Traffic {
  int steps = 0;                ///< rounds of messages one after another
  double sent_share = 0.0;      ///< numbers that the busiest server sent, over the numbers of one gradient
  double received_share = 0.0;  ///< that it received
};

// Averages as networks of electronic switches compute them: `gradients`, (elements, servers), holds what each
// server has, and after the call what each has received. Sums are in float, in the order in which the messages
// arrive, which is all that tells the ways apart. Throw Error without servers.

/// Ring all-reduce: the gradient in N pieces; N - 1 steps in which every server adds its own to the piece that
/// its neighbour passes on, and N - 1 in which finished pieces go round. 2 (N - 1)/N of a gradient is sent.
Traffic ring_all_reduce(Eigen::MatrixXf& gradients);

/// Recursive halving, then doubling: partners at distance N/2, N/4 .. 1 swap halves of what they still hold and
/// add; the way back gathers. As much is sent as by the ring, in 2 log2 N steps. Throws Error unless N is a
/// power of two.
Traffic halving_doubling(Eigen::MatrixXf& gradients);

/// Server 0 receives all gradients, adds them in turn and sends the mean to everyone: 2 steps, and N - 1
/// gradients in and out at server 0.
Traffic parameter_server(Eigen::MatrixXf& gradients);

}  // namespace optinc
