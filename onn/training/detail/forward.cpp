#include "onn/training/detail/forward.hpp"

#include <span>

#include "physics/random/stream.hpp"

namespace optinc::training {

std::vector<MatrixF> forward(const std::vector<Layer>& layers, MatrixF x0, const ReceiverNoise& noise,
                             std::uint32_t share) {
  std::vector<MatrixF> x(layers.size() + 1);
  x[0] = std::move(x0);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    x[l + 1].noalias() = layers[l].weight * x[l];
    x[l + 1].colwise() += layers[l].bias;
    if (!noise.rms.empty()) {
      MatrixF drawn(x[l + 1].rows(), x[l + 1].cols());
      Stream(noise.seed, Purpose::chip_training, noise.step, share * 1024 + static_cast<std::uint32_t>(l))
          .normals(std::span(drawn.data(), static_cast<std::size_t>(drawn.size())));
      x[l + 1] += noise.rms[l] * drawn;
    }
    if (l + 1 < layers.size()) x[l + 1] = x[l + 1].cwiseMax(0.0f);
  }
  return x;
}

}  // namespace optinc::training
