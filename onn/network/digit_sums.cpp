#include "onn/network/digit_sums.hpp"

#include "physics/core/check.hpp"

namespace optinc {

namespace {

Network bare_lanes(const Task& task) {
  validate_task(task);
  Network network{task, {}};
  for (int lane = 0; lane < task.input_digits(); ++lane) {
    SigmaULayer layer;
    layer.outputs = layer.inputs = 1;
    layer.bias = Eigen::VectorXd::Zero(1);
    layer.ending = LayerEnd::servers;
    layer.unitary = {Eigen::MatrixXd::Identity(1, 1)};
    layer.sigma = {Eigen::VectorXd::Ones(1)};
    layer.reads = {lane};
    layer.attenuated = false;
    network.layers.push_back(std::move(layer));
  }
  return network;
}

}  // namespace

Network digit_sums(Task task) {
  task.outputs = Outputs::sums;
  task.adder = Adder::light;
  return bare_lanes(task);
}

Network analogue_sum(Task task) {
  task.outputs = Outputs::analogue;
  task.adder = Adder::light;
  return bare_lanes(task);
}

Network word_hops(Task task, Adder adder) {
  validate(adder != Adder::light,
           "hops where light adds (words take them between electronics). Use digit_sums().");
  task.outputs = Outputs::answer;
  task.adder = adder;
  return bare_lanes(task);
}

}  // namespace optinc
