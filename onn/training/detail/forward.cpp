#include "onn/training/detail/forward.hpp"

#include "onn/link/detail/electronics.hpp"
#include "physics/random/stream.hpp"

namespace optinc::training {

Stream StepNoise::stream(std::uint32_t share, int layer) const {
  return Stream(seed, Purpose::chip_training, step, share * 1024 + static_cast<std::uint32_t>(layer + 1));
}

Values forward(const std::vector<Layer>& layers, MatrixF x0, const StepNoise& noise, std::uint32_t share) {
  Values values;
  auto& x = values.x;
  x.resize(layers.size() + 1);
  values.driven.resize(layers.size());
  x[0] = std::move(x0);
  if (noise.unit != nullptr) {
    values.slopes.resize(layers.size());
    values.ceilings = noise.unit->ceilings(layers, noise.scale, noise.stream(share, limiters));
    if (!noise.unit->arrival().plain()) {
      Stream arrival = noise.stream(share, arrivals);
      for (std::size_t l = 0; l < layers.size(); ++l)
        values.arrivals.emplace_back(noise.unit->arrival(), l, layers[l].outputs, x[0].cols(), noise.scale,
                                     arrival);
    }
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = layers[l];
    const bool last = l + 1 == layers.size();
    MatrixF& out = x[l + 1];
    out.noalias() = layer.weight * x[l];
    if (noise.unit == nullptr) {
      out.colwise() += layer.bias;
    } else {
      MatrixF light = out;
      if (l == 0) light.colwise() += noise.unit->input_light() * layer.weight.rowwise().sum();
      if (!values.arrivals.empty()) out += values.arrivals[l].values(light) - light;
      out.colwise() += layer.bias;
      Stream stream = noise.stream(share, static_cast<int>(l));
      add_noise(noise.unit->layer(l), {noise.scale, l == 0 ? 1.0f : layers[l - 1].ceiling, layer.gain()}, light,
                stream, out, values.slopes[l]);
      if (last) noise.unit->convert(out, stream);
    }
    if (last) continue;
    if (!values.ceilings.empty()) limit(out, values.ceilings[l], noise.unit->limiter_knee());
    out = out.cwiseMax(0.0f).cwiseMin(layer.ceiling);  // full scale of the modulators
    if (layer.sine) {
      values.driven[l] = out;
      out = layer.ceiling * (quarter_turn / layer.ceiling * out.array()).sin();
    }
  }
  return values;
}

}  // namespace optinc::training
