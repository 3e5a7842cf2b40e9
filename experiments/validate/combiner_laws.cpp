#include <cmath>

#include "experiments/validate/laws.hpp"
#include "experiments/validate/random_mesh.hpp"
#include "onn/network/network.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/mesh/engine/mesh_engine.hpp"
#include "physics/random/haar.hpp"

namespace optinc {
namespace {

constexpr int servers = 4;
const LawAxis phase = {"s", "rad", "rms phase error of a server"};

/// Unit P's output A, over that of servers in phase: equal digits, random phases.
Complex visibility(double s, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::lock_error);
  std::vector<Complex> fields(servers);
  for (Complex& e : fields) e = std::polar(1.0, s * stream.normal());
  return combine(fields) / std::sqrt(1.0 * servers);
}

Law moment(std::string name, std::string formula, std::string quantity, std::function<double(double)> expected,
           Statistic statistic, double (*part)(Complex), int trials) {
  return {.row = "16",
          .name = std::move(name),
          .kind = LawKind::monte_carlo,
          .formula = std::move(formula) + ", N = 4",
          .quantity = std::move(quantity),
          .sample = "output of one draw of phases, over that in phase",
          .expected = std::move(expected),
          .relative_tolerance = 0.02,
          .measure = over_trials(
              statistic, [part](double s, const LawTrial& trial) { return part(visibility(s, trial)); }),
          .axis = phase,
          .points = {{0.1, trials}, {0.2, trials}, {0.3, trials}, {0.5, trials}}};
}

/// Relative change of a network's output over the product of its layers' scales, with biases scaled along.
double homogeneity_defect(double, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::network_init);
  Network network = make_network({servers, 4}, std::vector{8, 16, 8});
  Network scaled = network;
  double total = 1.0;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    SigmaULayer& layer = network.layers[l];
    for (auto& u : layer.unitary) u = haar_orthogonal(layer.block_size(), stream);
    for (auto& sigma : layer.sigma)
      for (double& x : sigma) x = stream.normal();
    for (double& b : layer.bias) b = stream.normal();
    const double scale = 0.1 + 5 * stream.uniform();
    total *= scale;
    scaled.layers[l] = layer;
    for (auto& sigma : scaled.layers[l].sigma) sigma *= scale;
    scaled.layers[l].bias *= total;
  }
  const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(4, 50, [&] { return 3 * stream.uniform(); });
  const Eigen::MatrixXd y = forward(network, a);
  return (forward(scaled, a) / total - y).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() / y.cwiseAbs().maxCoeff();
}

/// What unit P rejects against what its inputs differ by, sum over pairs |E_i - E_j|^2 / N.
double rejection_defect(double, const LawTrial& trial) {
  Stream stream = trial.stream(Purpose::lock_error);
  std::vector<Complex> e(servers);
  for (Complex& field : e) {
    const double re = stream.normal();
    field = Complex(re, stream.normal());
  }
  double differences = 0.0;
  for (std::size_t i = 0; i < e.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) differences += std::norm(e[i] - e[j]) / servers;
  return std::abs(rejected_power_w(e) / differences - 1);
}

/// Loss of a mesh whose every arm loses 0.15 dB, for light into its first port.
double mesh_loss_db(double n) {
  ErrorModel model;
  model.mzi_loss_db = 0.3;
  const RandomMesh m = draw_random_mesh(HaarTarget::unitary, static_cast<int>(n), model, {});
  return -10 * std::log10(transfer_matrix(m.topology, m.program, m.errors).col(0).squaredNorm());
}

}  // namespace

std::vector<Law> combiner_laws() {
  return {
      moment(
          "visibility of unit P", "exp(-s^2/2)", "mean in-phase output",
          [](double s) { return std::exp(-s * s / 2); }, Statistic::mean, [](Complex a) { return a.real(); },
          20000),
      moment(
          "power of unit P", "exp(-s^2) + (1 - exp(-s^2)) / N", "mean output power",
          [](double s) { return std::exp(-s * s) + (1 - std::exp(-s * s)) / servers; }, Statistic::mean,
          [](Complex a) { return std::norm(a); }, 20000),
      moment(
          "spread of unit P", "sqrt((1 + exp(-2 s^2))/2 - exp(-s^2)) / sqrt(N)",
          "deviation of the in-phase output",
          [](double s) { return std::sqrt(((1 + std::exp(-2 * s * s)) / 2 - std::exp(-s * s)) / servers); },
          Statistic::deviation, [](Complex a) { return a.real(); }, 150000),
      {.row = "20",
       .name = "ReLU homogeneity",
       .formula = "W_l -> c_l W_l, b_l -> c_1 .. c_l b_l: y -> c_1 .. c_L y",
       .quantity = "largest relative deviation",
       .expected = constant(0),
       .absolute_tolerance = 1e-12,
       .measure = largest_of(homogeneity_defect),
       .points = {{0, 50}}},
      {.row = "20",
       .name = "power that unit P rejects",
       .kind = LawKind::conservation,
       .formula = "sum over pairs |E_i - E_j|^2 / N",
       .quantity = "largest relative deviation",
       .expected = constant(0),
       .absolute_tolerance = 1e-12,
       .measure = largest_of(rejection_defect),
       .points = {{0, 1000}}},
      {.row = "20",
       .name = "loss in dB adds up",
       .formula = "0.3 dB an MZI, N columns",
       .quantity = "loss of the mesh",
       .unit = "dB",
       .expected = [](double n) { return 0.3 * n; },
       .absolute_tolerance = 1e-9,
       .measure = value_of(mesh_loss_db),
       .axis = {"N", "1", "ports of the mesh"},
       .points = {{4}, {32}, {128}}},
  };
}

}  // namespace optinc
