#include "onn/network/digit_sums.hpp"

namespace optinc {

Network digit_sums(Task task) {
  task.outputs = Outputs::sums;
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

}  // namespace optinc
