#include "experiments/models/learning/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "experiments/models/learning/attention.hpp"
#include "experiments/models/learning/cross_entropy.hpp"
#include "experiments/models/learning/rms_norm.hpp"
#include "experiments/models/learning/rotary.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

/// Where a layer's parts lie in the flat parameter vector. Matrices are (outputs, inputs), column after column.
struct Layer {
  Eigen::Index norm1 = 0, q = 0, k = 0, v = 0, o = 0, norm2 = 0, w1 = 0, w3 = 0, w2 = 0;
};

struct DecoderPlan {
  Eigen::Index embedding = 0, last_norm = 0, output = 0, size = 0;
  std::vector<Layer> layers;
};

DecoderPlan plan_of(const DecoderShape& s) {
  DecoderPlan plan;
  const Eigen::Index d = s.width, f = s.hidden, v = s.vocabulary;
  const auto place = [&](Eigen::Index size) {
    plan.size += size;
    return plan.size - size;
  };
  plan.embedding = place(d * v);
  for (int i = 0; i < s.layers; ++i) {
    Layer l;
    l.norm1 = place(d);
    l.q = place(d * d);
    l.k = place(d * d);
    l.v = place(d * d);
    l.o = place(d * d);
    l.norm2 = place(d);
    l.w1 = place(f * d);
    l.w3 = place(f * d);
    l.w2 = place(d * f);
    plan.layers.push_back(l);
  }
  plan.last_norm = place(d);
  plan.output = place(v * d);
  return plan;
}

template <class Real>
struct LayerWork {
  RmsNormWork<Real> norm1, norm2;
  AttentionWork<Real> attention;  ///< queries and keys after their turn
  MatrixOf<Real> in1, heads;      ///< (width, tokens), what attention makes its inputs of, and what it reads
  MatrixOf<Real> in2, a, b, silu,
      gated;  ///< a = W1 in2, b = W3 in2, both (hidden, tokens); gated = silu(a) * b
};

/// Everything a pass needs, kept from call to call.
template <class Real>
struct DecoderWork {
  MatrixOf<Real> x;  ///< (width, tokens)
  std::vector<LayerWork<Real>> layers;
  RmsNormWork<Real> last;
  MatrixOf<Real> features, logits;
  MatrixOf<Real> dx, dn, dq, dk, dv, dheads, da, db, dgated;  ///< of the backward pass
  RotaryAngles<Real> angles;
};

template <class Real>
DecoderWork<Real>& work_of_this_thread() {
  static thread_local DecoderWork<Real> work;
  return work;
}

template <class Real>
Eigen::Map<const MatrixOf<Real>> matrix_at(const VectorOf<Real>& p, Eigen::Index at, Eigen::Index rows,
                                           Eigen::Index cols) {
  return {p.data() + at, rows, cols};
}

template <class Real>
Eigen::Map<MatrixOf<Real>> matrix_at(VectorOf<Real>& p, Eigen::Index at, Eigen::Index rows, Eigen::Index cols) {
  return {p.data() + at, rows, cols};
}

/// Leaves the logits in w.logits.
template <class Real>
void forward(const DecoderShape& s, const DecoderPlan& plan, const VectorOf<Real>& p,
             std::span<const std::uint16_t> tokens, Eigen::Index length, DecoderWork<Real>& w) {
  const Eigen::Index d = s.width, f = s.hidden, count = std::ssize(tokens);
  validate(length >= 1 && count % length == 0,
           "{} tokens in sequences of {} (they must come out even). Pass whole sequences.", count, length);
  validate(
      p.size() == plan.size,
      "{} parameters for a decoder of {}. Use the vector that decoder_start or training gave for this shape.",
      p.size(), plan.size);
  const int head_width = s.width / s.heads;
  if (w.angles.cosine.rows() != head_width / 2 || w.angles.cosine.cols() != length)
    w.angles = rotary_angles<Real>(head_width, length);
  w.layers.resize(plan.layers.size());
  w.x.resize(d, count);
  for (Eigen::Index t = 0; t < count; ++t) {
    const std::uint16_t token = tokens[static_cast<std::size_t>(t)];
    validate(token < s.vocabulary, "token {} at place {} (the vocabulary ends at {}). Pass the text's own.",
             token, t, s.vocabulary - 1);
    w.x.col(t) = p.segment(plan.embedding + token * d, d);
  }
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    const Layer& at = plan.layers[i];
    LayerWork<Real>& l = w.layers[i];
    rms_norm(p.data() + at.norm1, w.x, l.norm1, l.in1);
    l.attention.q.noalias() = matrix_at(p, at.q, d, d) * l.in1;
    l.attention.k.noalias() = matrix_at(p, at.k, d, d) * l.in1;
    l.attention.v.noalias() = matrix_at(p, at.v, d, d) * l.in1;
    rotary_turn(w.angles, s.heads, Real{1}, l.attention.q);
    rotary_turn(w.angles, s.heads, Real{1}, l.attention.k);
    attend(s.heads, length, l.attention, l.heads);
    w.x.noalias() += matrix_at(p, at.o, d, d) * l.heads;

    rms_norm(p.data() + at.norm2, w.x, l.norm2, l.in2);
    l.a.noalias() = matrix_at(p, at.w1, f, d) * l.in2;
    l.b.noalias() = matrix_at(p, at.w3, f, d) * l.in2;
    l.silu = l.a.array() / (Real{1} + (-l.a.array()).exp());
    l.gated = l.silu.cwiseProduct(l.b);
    w.x.noalias() += matrix_at(p, at.w2, d, f) * l.gated;
  }
  rms_norm(p.data() + plan.last_norm, w.x, w.last, w.features);
  w.logits.noalias() = matrix_at(p, plan.output, s.vocabulary, d) * w.features;
}

/// From d loss / d logits, which stands in w.logits.
template <class Real>
void backward(const DecoderShape& s, const DecoderPlan& plan, const VectorOf<Real>& p,
              std::span<const std::uint16_t> tokens, Eigen::Index length, DecoderWork<Real>& w,
              VectorOf<Real>& g) {
  const Eigen::Index d = s.width, f = s.hidden, count = std::ssize(tokens);
  matrix_at(g, plan.output, s.vocabulary, d).noalias() += w.logits * w.features.transpose();
  w.dn.noalias() = matrix_at(p, plan.output, s.vocabulary, d).transpose() * w.logits;
  w.dx.setZero(d, count);
  rms_norm_backward(p.data() + plan.last_norm, w.last, w.dn, g.data() + plan.last_norm, w.dx);
  for (std::size_t i = plan.layers.size(); i-- > 0;) {
    const Layer& at = plan.layers[i];
    const LayerWork<Real>& l = w.layers[i];
    matrix_at(g, at.w2, d, f).noalias() += w.dx * l.gated.transpose();
    w.dgated.noalias() = matrix_at(p, at.w2, d, f).transpose() * w.dx;
    w.db = w.dgated.cwiseProduct(l.silu);
    // silu' = sigma + silu (1 - sigma), with sigma = 1 / (1 + e^-a)
    w.da = (Real{1} + (-l.a.array()).exp()).inverse();
    w.da = w.dgated.array() * l.b.array() * (w.da.array() + l.silu.array() * (Real{1} - w.da.array()));
    matrix_at(g, at.w1, f, d).noalias() += w.da * l.in2.transpose();
    matrix_at(g, at.w3, f, d).noalias() += w.db * l.in2.transpose();
    w.dn.noalias() = matrix_at(p, at.w1, f, d).transpose() * w.da;
    w.dn.noalias() += matrix_at(p, at.w3, f, d).transpose() * w.db;
    rms_norm_backward(p.data() + at.norm2, l.norm2, w.dn, g.data() + at.norm2, w.dx);

    matrix_at(g, at.o, d, d).noalias() += w.dx * l.heads.transpose();
    w.dheads.noalias() = matrix_at(p, at.o, d, d).transpose() * w.dx;
    attend_backward(s.heads, length, l.attention, w.dheads, w.dq, w.dk, w.dv);
    rotary_turn(w.angles, s.heads, Real{-1}, w.dq);
    rotary_turn(w.angles, s.heads, Real{-1}, w.dk);
    matrix_at(g, at.q, d, d).noalias() += w.dq * l.in1.transpose();
    matrix_at(g, at.k, d, d).noalias() += w.dk * l.in1.transpose();
    matrix_at(g, at.v, d, d).noalias() += w.dv * l.in1.transpose();
    w.dn.noalias() = matrix_at(p, at.q, d, d).transpose() * w.dq;
    w.dn.noalias() += matrix_at(p, at.k, d, d).transpose() * w.dk;
    w.dn.noalias() += matrix_at(p, at.v, d, d).transpose() * w.dv;
    rms_norm_backward(p.data() + at.norm1, l.norm1, w.dn, g.data() + at.norm1, w.dx);
  }
  for (Eigen::Index t = 0; t < count; ++t)
    g.segment(plan.embedding + tokens[static_cast<std::size_t>(t)] * d, d) += w.dx.col(t);
}

}  // namespace

Eigen::Index DecoderShape::parameters() const { return plan_of(*this).size; }

void validate_decoder(const DecoderShape& s) {
  validate(s.vocabulary >= 2 && s.vocabulary <= 65536,
           "a vocabulary of {} tokens (there are 2 to 65,536). Take the text's.", s.vocabulary);
  validate(s.layers >= 1 && s.layers <= 64, "{} layers (a decoder here has 1 to 64). Choose 2.", s.layers);
  validate(s.heads >= 1 && s.width >= 2 && s.width <= 4096 && s.width % (2 * s.heads) == 0,
           "width {} for {} heads (positions turn pairs of each head's share: a multiple of {}, up to 4096). "
           "Choose 64 and 4.",
           s.width, s.heads, 2 * s.heads);
  validate(s.hidden >= 1 && s.hidden <= 65536, "feed-forward layers of {} (1 to 65,536). Choose 160.",
           s.hidden);
  validate(s.context >= 1 && s.context <= 4096, "a context of {} tokens (1 to 4096). Choose 64.", s.context);
}

Eigen::VectorXf decoder_start(const DecoderShape& shape, Stream& stream) {
  validate_decoder(shape);
  const DecoderPlan plan = plan_of(shape);
  const Eigen::Index d = shape.width, f = shape.hidden;
  Eigen::VectorXf p = Eigen::VectorXf::Zero(plan.size);
  const auto fill = [&](Eigen::Index at, Eigen::Index count, double deviation) {
    for (float& w : p.segment(at, count)) w = static_cast<float>(deviation * stream.normal());
  };
  constexpr double deviation = 0.02;
  const double inward = deviation / std::sqrt(2.0 * shape.layers);
  fill(plan.embedding, d * shape.vocabulary, deviation);
  for (const Layer& l : plan.layers) {
    for (const Eigen::Index gain : {l.norm1, l.norm2}) p.segment(gain, d).setOnes();
    for (const Eigen::Index at : {l.q, l.k, l.v}) fill(at, d * d, deviation);
    fill(l.o, d * d, inward);
    for (const Eigen::Index at : {l.w1, l.w3}) fill(at, f * d, deviation);
    fill(l.w2, d * f, inward);
  }
  p.segment(plan.last_norm, d).setOnes();
  return p;
}

template <class Real>
DecoderSums decoder_loss(const DecoderShape& shape, const VectorOf<Real>& parameters,
                         std::span<const std::uint16_t> tokens, std::span<const std::uint16_t> targets,
                         Eigen::Index length, Real scale, VectorOf<Real>* gradient) {
  validate(tokens.size() == targets.size(),
           "{} tokens with {} targets (each is followed by one). Pass as many.", tokens.size(), targets.size());
  for (const std::uint16_t target : targets)
    validate(target < shape.vocabulary, "target {} (the vocabulary ends at {}). Pass the text's own.", target,
             shape.vocabulary - 1);
  const DecoderPlan plan = plan_of(shape);
  DecoderWork<Real>& work = work_of_this_thread<Real>();
  forward(shape, plan, parameters, tokens, length, work);
  const CrossEntropy sums = cross_entropy<Real, std::uint16_t>(work.logits, targets, scale);
  if (gradient != nullptr) backward(shape, plan, parameters, tokens, length, work, *gradient);
  return {sums.loss, sums.right};
}

template DecoderSums decoder_loss(const DecoderShape&, const VectorOf<float>&, std::span<const std::uint16_t>,
                                  std::span<const std::uint16_t>, Eigen::Index, float, VectorOf<float>*);
template DecoderSums decoder_loss(const DecoderShape&, const VectorOf<double>&, std::span<const std::uint16_t>,
                                  std::span<const std::uint16_t>, Eigen::Index, double, VectorOf<double>*);

LearningTask decoder_task(DecoderShape shape, std::shared_ptr<const TextData> data, std::size_t test_tokens) {
  shape.vocabulary = static_cast<int>(data->characters.size());
  validate_decoder(shape);
  const auto context = static_cast<std::size_t>(shape.context);
  for (const auto& [part, name] : {std::pair{&data->train, "training"}, std::pair{&data->test, "test"}})
    validate(part->size() > context,
             "{} characters of {} text for a context of {} (not one example). Read more.", part->size(), name,
             context);
  LearningTask task;
  task.name = "decoder";
  task.shape = fmt::format("{} layers of {} with {} heads, context {}, {} characters", shape.layers,
                           shape.width, shape.heads, shape.context, shape.vocabulary);
  task.parameters = shape.parameters();
  task.examples = static_cast<std::uint32_t>((data->train.size() - 1) / context);
  task.start = [shape](Stream& stream) { return decoder_start(shape, stream); };
  // Sequences computed at once: enough for the matrix products, few enough for the caches.
  const std::size_t chunk = std::max<std::size_t>(1, 1024 / context);
  task.gradient = [shape, data, context, chunk, examples = task.examples](
                      const Eigen::VectorXf& parameters, std::span<const std::uint32_t> asked) {
    validate(!asked.empty(), "a gradient of 0 examples (it has no mean). Ask for one or more.");
    const double predicted = static_cast<double>(asked.size() * context);
    LossAndGradient result{0.0, Eigen::VectorXf::Zero(shape.parameters())};
    std::vector<std::uint16_t> tokens, targets;
    for (std::size_t first = 0; first < asked.size(); first += chunk) {
      tokens.clear();
      targets.clear();
      for (const std::uint32_t example : asked.subspan(first, std::min(chunk, asked.size() - first))) {
        validate(example < examples, "example {} of {} (they are numbered from 0). Ask for one there is.",
                 example, examples);
        const auto begin = data->train.begin() + static_cast<std::ptrdiff_t>(example * context);
        const auto size = static_cast<std::ptrdiff_t>(context);
        tokens.insert(tokens.end(), begin, begin + size);
        targets.insert(targets.end(), begin + 1, begin + size + 1);
      }
      result.loss += decoder_loss<float>(shape, parameters, tokens, targets, shape.context,
                                         static_cast<float>(1.0 / predicted), &result.gradient)
                         .loss;
    }
    result.loss /= predicted;
    return result;
  };
  task.evaluate = [shape, data, context, chunk, test_tokens](const Eigen::VectorXf& parameters) {
    validate(parameters.size() == shape.parameters(), "{} parameters for a decoder of {}. Pass as many.",
             parameters.size(), shape.parameters());
    const std::size_t sequences =
        std::max<std::size_t>(1, (std::min(data->test.size() - 1, test_tokens)) / context);
    const std::size_t chunks = (sequences + chunk - 1) / chunk;
    std::vector<DecoderSums> parts(chunks);  // summed in one order on any number of threads
#pragma omp parallel for schedule(dynamic) if (!omp_in_parallel())
    for (std::size_t c = 0; c < chunks; ++c) {
      const std::size_t first = c * chunk * context, size = std::min(chunk, sequences - c * chunk) * context;
      const std::span<const std::uint16_t> test(data->test);
      parts[c] = decoder_loss<float>(shape, parameters, test.subspan(first, size),
                                     test.subspan(first + 1, size), shape.context, 1.0f, nullptr);
    }
    DecoderSums sums;
    for (const DecoderSums& part : parts) {
      sums.loss += part.loss;
      sums.right += part.right;
    }
    const auto predicted = static_cast<double>(sequences * context);
    return Evaluation{sums.loss / predicted, static_cast<double>(sums.right) / predicted};
  };
  return task;
}

}  // namespace optinc
