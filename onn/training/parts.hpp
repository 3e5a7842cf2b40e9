#pragma once

#include <cstdint>
#include <vector>

#include "onn/training/checkpoint.hpp"
#include "physics/random/stream.hpp"

// What the trainers of a plain network share: its layers in float32 with their optimiser's state, forward and
// backward pass, and the judgement of an epoch.

namespace optinc::training {

using MatrixF = Eigen::MatrixXf;
using VectorF = Eigen::VectorXf;

// A batch is always cut into this many shares, summed in order: the result does not depend on the threads.
inline constexpr int shares = 4;
inline constexpr float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;

/// Adam moments of one parameter array.
struct Moments {
  MatrixF first, second;
  /// All zero.
  explicit Moments(Eigen::Index rows = 0, Eigen::Index cols = 0)
      : first(MatrixF::Zero(rows, cols)), second(MatrixF::Zero(rows, cols)) {}

  /// The step -rate m / (sqrt(v) + eps) for gradient g; `rate` includes the bias corrections.
  MatrixF step(const MatrixF& g, float rate) {
    first = beta1 * first + (1 - beta1) * g;
    second = beta2 * second + (1 - beta2) * g.cwiseAbs2();
    return -rate * (first.array() / (second.array().sqrt() + epsilon)).matrix();
  }
};

/// One square block S U with its optimiser state.
struct Block {
  MatrixF u;
  VectorF s;
  Moments u_moments, s_moments;
  MatrixF met = {};  // what the step's words met in place of u: u and an error
};

/// A layer as trainers see it: blocks Sigma U side by side or one above the other.
struct Layer {
  int outputs, inputs;
  bool tall;
  std::vector<Block> blocks;
  VectorF bias;
  Moments bias_moments;
  MatrixF weight;  // S U of all blocks, rebuilt after every step

  /// Rows of one block.
  int size() const { return std::min(outputs, inputs); }
  /// The part of a matrix (outputs, inputs) that is block b's.
  template <class M>
  auto part(M& w, std::size_t b) const {
    const int n = size(), at = static_cast<int>(b) * n;
    return tall ? w.block(at, 0, n, n) : w.block(0, at, n, n);
  }
};

/// What one share of a batch adds to the gradients.
struct Gradients {
  std::vector<MatrixF> weight;
  std::vector<VectorF> bias;
  double loss = 0.0;
};

/// All words of the task: inputs a - shift and target digits, both (M, words).
struct Dataset {
  MatrixF inputs, targets;
};

inline constexpr float input_shift = 1.5f;  // centre of the digits 0..3

/// Every word of a task.
Dataset all_words(const Task& task);

/// Haar-random matrices and the gain that keeps the variance through ReLU.
std::vector<Layer> initial_layers(const Network& shape, std::uint64_t seed);

/// The layers of a network that is there: its first bias without the shift of the inputs.
std::vector<Layer> layers_of(const Network& network);

/// W of block b from its S and U.
void rebuild_weight(Layer& layer, std::size_t b);

/// An error of an (n, n) orthogonal matrix of relative Frobenius norm `noise`: independent normals of rms
/// noise/sqrt(n).
MatrixF relative_noise(Eigen::Index n, double noise, Stream stream);

/// Noise that receivers add to every value of a layer, rms (layers); none: empty.
struct ReceiverNoise {
  std::vector<float> rms;
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
};

/// Forward and backward pass of one share. Gradients are of the sum over words of the loss per word.
void accumulate(const std::vector<Layer>& layers, const MatrixF& x0, const MatrixF& target, float dead_zone,
                const ReceiverNoise& noise, std::uint32_t share, Gradients& g);

/// Gradients of a batch, share by share on `threads` threads; returns the summed loss of its words.
double accumulate_batch(const std::vector<Layer>& layers, const MatrixF& inputs, const MatrixF& targets,
                        float dead_zone, const ReceiverNoise& noise, int threads,
                        std::vector<Gradients>& shares_of);

/// Room for the gradients of every share.
std::vector<Gradients> room_for_gradients(const std::vector<Layer>& layers);

/// Sum over the shares of the gradient of a layer's W, of a block's part of it, and of the layer's biases.
MatrixF weight_gradient(const std::vector<Gradients>& of, std::size_t l);
MatrixF block_gradient(const std::vector<Layer>& layers, const std::vector<Gradients>& of, std::size_t l,
                       std::size_t b);
VectorF bias_gradient(const std::vector<Gradients>& of, std::size_t l);

/// The step size of Adam number `step` (from 1), its bias corrections included.
float adam_rate(double learning_rate, long step);

/// The float64 network, its input a instead of a - shift: b_0 <- b_0 - W_0 shift.
Network finished(const Network& shape, const std::vector<Layer>& layers);

/// Warm-up, then half a cosine to 0.
double cosine_schedule(const TrainingSettings& s, double epoch);

/// Accuracy and margin of the float32 network on every word.
void judge(const std::vector<Layer>& layers, const Dataset& data, int threads, EpochReport& report);

/// Names the arrays of a layer's or of one parameter array's optimiser.
void name_arrays(StateArrays& arrays, const std::string& name, Moments& moments);

/// One step's words, (M, words) both, and when it is taken.
struct Batch {
  MatrixF inputs, targets;
  double rate;  ///< learning rate
  int epoch;    ///< from 1
  long step;    ///< since the start, from 0
};

/// What a trainer does in the loop below.
struct TrainerSteps {
  std::function<double(const Batch&)> step;            ///< takes a step; returns the summed loss of its words
  std::function<void(int epoch)> before_judging = {};  ///< puts into the layers what an epoch is judged on
  std::function<void(StateArrays&)> arrays = {};  ///< names all that the trainer has from one step to the next
};

/// A trainer's way through its epochs: shuffles, cuts batches, judges `layers`, reports, stops. With `keeping`
/// it starts where an earlier one stood.
struct EpochLoop {
  const Task& task;
  const TrainingSettings& settings;
  std::uint64_t seed;
  int threads;
  const std::function<void(const EpochReport&)>& progress;
  const TrainingKeeping* keeping = nullptr;

  /// Trains `layers` to the end; a report of every epoch.
  std::vector<EpochReport> run(const std::vector<Layer>& layers, const TrainerSteps& trainer) const;
};

/// What a trainer whose layers these are ends with.
TrainingResult result_of(const Network& shape, const std::vector<Layer>& layers,
                         std::vector<EpochReport> curve);

}  // namespace optinc::training
