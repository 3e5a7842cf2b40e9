#include "onn/chip_training.hpp"

#include <algorithm>
#include <cmath>

#include "onn/chip_design.hpp"
#include "onn/training_parts.hpp"
#include "onn/transmission.hpp"
#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/power_divider.hpp"
#include "physics/mesh/correction.hpp"
#include "physics/mesh/decomposition.hpp"
#include "physics/variation/chip_errors.hpp"

namespace optinc {
namespace {

using namespace training;

/// A mesh whose internal phases are trained while it stays real orthogonal.
class TrainedMesh {
 public:
  explicit TrainedMesh(const Eigen::MatrixXd& u)
      : topology_(clements_topology(static_cast<int>(u.rows()))),
        engine_(topology_),
        perfect_(topology_),
        program_(decompose_clements(u.cast<Complex>())),
        moments_(topology_.mzi_count(), 1) {}

  /// The real part of the transfer matrix of a fabricated, corrected mesh, its mean loss taken out.
  const MatrixF& settle(const ErrorModel& model, const MeshAddress& address) {
    draw_mesh_errors(topology_, model, address, errors_);
    correct_splitters(engine_.layout(), program_.cast<float>(), errors_.alpha, errors_.beta,
                      Clipping::quadrature, corrected_);
    engine_.settle(corrected_.program, errors_, true);
    nominal_ = static_cast<float>(std::pow(field_ratio_of_loss_db(2 * mean_arm_loss_db(model)),
                                           static_cast<double>(topology_.columns())));
    const Eigen::Index n = topology_.ports;
    unit_ = FieldBatchOf<float>(n, n);
    unit_.re.setIdentity();
    unit_.im.setZero();
    outputs_ = unit_;
    engine_.propagate(outputs_);
    met_ = outputs_.re / nominal_;
    return met_;
  }

  /// One step of Adam for the gradient of the loss with respect to what settle() returned.
  void step(const MatrixF& gradient, float rate) {
    if (topology_.mzi_count() == 0) return;
    FieldBatchOf<float> slope(topology_.ports, topology_.ports);
    slope.re = gradient / nominal_;
    slope.im.setZero();
    const auto g = engine_.backward(unit_, outputs_, slope).parameters;
    follow(moments_.step(along_real(g.theta, g.phi, g.output_phase), rate).col(0));
  }

  /// The perfect mesh's matrix.
  Eigen::MatrixXd matrix() const {
    MeshEngine<double> engine = perfect_;
    engine.settle(program_, no_errors(topology_));
    return engine.transfer_matrix().real();
  }

 private:
  /// d loss / d theta where phi and the screen follow theta: the reverse of follow().
  VectorF along_real(const VectorF& theta, const VectorF& phi, const VectorF& screen) const {
    VectorF total = theta, left = -screen;  // of the phase that each port's light has too much
    for (Eigen::Index k = theta.size(); k-- > 0;) {
      const auto [upper, lower] = topology_.mzis[static_cast<std::size_t>(k)];
      const float out = left[upper] + left[lower];
      total[k] += out / 2;
      left[lower] = out + phi[k];
      left[upper] = -phi[k];
    }
    return total;
  }

  /// Turns theta and takes the phases that this brings off again.
  void follow(const VectorF& theta_step) {
    Vector ahead = Vector::Zero(topology_.ports);  // phase that each port's light has too much
    for (Eigen::Index k = 0; k < theta_step.size(); ++k) {
      const auto [upper, lower] = topology_.mzis[static_cast<std::size_t>(k)];
      const double step = theta_step[k];
      program_.theta[k] += step;
      program_.phi[k] += ahead[lower] - ahead[upper];
      ahead[upper] = ahead[lower] = ahead[lower] + step / 2;
    }
    program_.output_phase -= ahead;
  }

  MeshTopology topology_;
  MeshEngine<float> engine_;
  MeshEngine<double> perfect_;
  MeshProgram program_;
  Moments moments_;
  MeshErrorsOf<float> errors_;
  CorrectedProgramOf<float> corrected_;
  float nominal_ = 1;
  FieldBatchOf<float> unit_, outputs_;
  MatrixF met_;
};

/// rms that shot and amplifier noise add to the values of every layer, at the mean of no and full signal.
std::vector<float> receiver_noise(const ChipDesign& design, const ChipTrainingModel& model) {
  const ReceiverSettings& receiver = model.link.receiver;
  std::vector<double> nominal;
  for (const LayerDesign& layer : design.layers) nominal.push_back(nominal_layer_factor(layer, model.chip));
  const std::vector<double> units = input_fields_per_unit_sqrt_w(design, model.link, nominal);
  std::vector<float> rms;
  for (std::size_t l = 0; l < design.layers.size(); ++l) {
    const bool last = l + 1 == design.layers.size();
    if (!last && model.noise.last_only) {
      rms.push_back(0);
      continue;
    }
    const double field = units[l] * nominal[l] * (last ? split_field_factor(design.task.servers) : 1.0);
    double variance = 0;
    if (model.noise.shot) variance += std::pow(shot_noise_a(receiver, 0.0), 2);
    if (model.noise.tia) variance += std::pow(tia_noise_a(receiver), 2);
    rms.push_back(static_cast<float>(std::sqrt(variance) / (homodyne_current_per_field(receiver) * field)));
  }
  return rms;
}

struct ChipOptimiser {
  std::vector<Layer> layers;
  std::vector<std::vector<TrainedMesh>> meshes;  // [layer][block]
  std::vector<Gradients> share_gradients;
  std::vector<std::pair<std::size_t, std::size_t>> blocks;  // (layer, block), largest first
  long steps = 0;

  explicit ChipOptimiser(const Network& start)
      : layers(layers_of(start)), share_gradients(room_for_gradients(layers)) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      auto& row = meshes.emplace_back();
      for (std::size_t b = 0; b < layers[l].blocks.size(); ++b) {
        row.emplace_back(start.layers[l].unitary[b]);
        blocks.emplace_back(l, b);
        rebuild_weight(layers[l], b);
      }
    }
    std::stable_sort(blocks.begin(), blocks.end(),
                     [&](auto p, auto q) { return layers[p.first].size() > layers[q.first].size(); });
  }

  double step(const MatrixF& inputs, const MatrixF& targets, double learning_rate,
              const TrainingSettings& settings, const ChipTrainingModel& model, ReceiverNoise noise,
              int threads) {
    const auto chip = static_cast<std::uint32_t>(((model.chips + 1) << 24) + static_cast<std::uint64_t>(steps));
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Block& block = layers[l].blocks[b];
      block.met = meshes[l][b].settle(model.chip, {noise.seed, chip, static_cast<std::uint32_t>(i)});
      if (settings.matrix_noise > 0)
        block.met +=
            relative_noise(block.met.rows(), settings.matrix_noise,
                           Stream(noise.seed, Purpose::training_noise, chip, static_cast<std::uint32_t>(i)));
      layers[l].part(layers[l].weight, b).noalias() = block.s.asDiagonal() * block.met;
    });
    noise.step = static_cast<std::uint32_t>(steps);
    const double loss = accumulate_batch(layers, inputs, targets, static_cast<float>(settings.dead_zone), noise,
                                         threads, share_gradients);
    const float rate = adam_rate(learning_rate, ++steps);
    const float per_output = 1.0f / static_cast<float>(targets.size());
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      Block& block = layers[l].blocks[b];
      const MatrixF g = per_output * block_gradient(layers, share_gradients, l, b);
      const VectorF ds = g.cwiseProduct(block.met).rowwise().sum();
      meshes[l][b].step(block.s.asDiagonal() * g, rate);
      block.s += block.s_moments.step(ds, rate);
    });
    for (std::size_t l = 0; l < layers.size(); ++l)
      layers[l].bias += layers[l].bias_moments.step(per_output * bias_gradient(share_gradients, l), rate);
    return loss;
  }

  /// The perfect meshes' matrices in the layers, which epochs are judged on.
  void show_perfect(int threads) {
    parallel_for(blocks.size(), threads, [&](std::size_t i) {
      const auto [l, b] = blocks[i];
      layers[l].blocks[b].u = meshes[l][b].matrix().cast<float>();
      rebuild_weight(layers[l], b);
    });
  }
};

}  // namespace

TrainingResult train_on_chips(const Network& start, const TrainingSettings& settings,
                              const ChipTrainingModel& model, std::uint64_t seed, int threads,
                              const std::function<void(const EpochReport&)>& progress) {
  validate_training(settings);
  validate_errors(model.chip);
  validate_link(model.link);
  validate(start.plain(),
           "a network that is not plain (chips of trained networks are trained on). Give another.");
  ChipOptimiser optimiser(start);
  const ReceiverNoise noise{receiver_noise(design_chip(start), model), seed, 0};
  TrainingResult result;
  result.curve = EpochLoop{start.task, settings, seed, threads, progress}.run(
      optimiser.layers,
      [&](const MatrixF& inputs, const MatrixF& targets, double rate) {
        return optimiser.step(inputs, targets, rate, settings, model, noise, threads);
      },
      [&] { optimiser.show_perfect(threads); });
  const std::vector<int> widths = start.widths();
  result.network =
      finished(make_network(start.task, std::span(widths).subspan(1, widths.size() - 2)), optimiser.layers);
  result.seconds = result.curve.back().seconds;
  return result;
}

}  // namespace optinc
