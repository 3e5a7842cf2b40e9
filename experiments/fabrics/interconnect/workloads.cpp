#include "experiments/fabrics/interconnect/workloads.hpp"

#include <array>
#include <numeric>

#include <fmt/format.h>

#include "physics/core/check.hpp"
#include "physics/core/names.hpp"
#include "physics/core/suggestion.hpp"

namespace optinc {
namespace {

constexpr std::array<std::string_view, 6> names = {"resnet50-cifar100-imagenet-stem",
                                                   "resnet50-cifar100-cifar-stem",
                                                   "vgg19",
                                                   "llama-8x384-untied",
                                                   "llama-8x384-tied",
                                                   "llama-32x4096-untied"};

/// A square convolution whose output has `side` x `side` places.
LayerCost convolution(std::string name, int kernel, int in, int out, int side, bool bias) {
  const std::int64_t weights = std::int64_t{1} * kernel * kernel * in * out;
  return {std::move(name), weights + (bias ? out : 0), weights * side * side};
}

LayerCost batch_norm(std::string name, int channels) { return {std::move(name), 2 * channels, 0}; }

LayerCost matrix(std::string name, int in, int out, bool bias) {
  const std::int64_t weights = std::int64_t{in} * out;
  return {std::move(name), weights + (bias ? out : 0), weights};
}

ModelCost resnet50(std::string_view name, bool imagenet_stem, int image, int classes) {
  ModelCost model{std::string(name), "image", {}};
  auto& layers = model.layers;
  const auto convolve = [&](const std::string& what, int kernel, int in, int out, int places) {
    layers.push_back(convolution(what, kernel, in, out, places, false));
    layers.push_back(batch_norm(what + " norm", out));
  };
  int side = image;
  if (imagenet_stem) {
    side /= 2;
    convolve("stem", 7, 3, 64, side);
    side /= 2;  // pooling
  } else {
    convolve("stem", 3, 3, 64, side);
  }
  int in = 64;
  constexpr std::array<int, 4> blocks = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const int width = 64 << stage;
    for (int b = 0; b < blocks[static_cast<std::size_t>(stage)]; ++b) {
      const std::string at = fmt::format("stage {} block {}", stage + 1, b + 1);
      const int before = side;
      if (stage > 0 && b == 0) side /= 2;  // the 3x3 convolution has the stride
      convolve(at + " 1x1", 1, in, width, before);
      convolve(at + " 3x3", 3, width, width, side);
      convolve(at + " 1x1 out", 1, width, 4 * width, side);
      if (b == 0) convolve(at + " shortcut", 1, in, 4 * width, side);
      in = 4 * width;
    }
  }
  layers.push_back(matrix("classes", in, classes, true));
  return model;
}

ModelCost vgg19(int image, int classes) {
  ModelCost model{"vgg19", "image", {}};
  constexpr std::array<std::pair<int, int>, 5> stages = {{{2, 64}, {2, 128}, {4, 256}, {4, 512}, {4, 512}}};
  int side = image, in = 3, stage = 0;
  for (const auto& [count, width] : stages) {
    ++stage;
    for (int c = 0; c < count; ++c) {
      model.layers.push_back(
          convolution(fmt::format("stage {} 3x3 {}", stage, c + 1), 3, in, width, side, true));
      in = width;
    }
    side /= 2;
  }
  model.layers.push_back(matrix("hidden 1", in * side * side, 4096, true));
  model.layers.push_back(matrix("hidden 2", 4096, 4096, true));
  model.layers.push_back(matrix("classes", 4096, classes, true));
  return model;
}

ModelCost llama(std::string_view name, int blocks, int width, int hidden, int words, bool tied,
                std::int64_t context) {
  ModelCost model{std::string(name), "token", {}, width};
  auto& layers = model.layers;
  layers.push_back({"embedding", std::int64_t{words} * width, 0});  // a lookup multiplies nothing
  for (int b = 1; b <= blocks; ++b) {
    const std::string at = fmt::format("block {} ", b);
    const std::size_t first = layers.size();
    for (const char* which : {"queries", "keys", "values", "attention out"})
      layers.push_back(matrix(at + which, width, width, false));
    // d (context + 1): half of 2 d (context + 1), for a token sees on average half of what causality lets the
    // last see
    if (context > 0) layers.push_back({at + "attention", 0, width * (context + 1)});
    for (const char* which : {"gate", "up"}) layers.push_back(matrix(at + which, width, hidden, false));
    layers.push_back(matrix(at + "down", hidden, width, false));
    layers.push_back({at + "norms", 2 * width, 0});
    for (std::size_t l = first; l < layers.size(); ++l) layers[l].block = b;
  }
  layers.push_back({"norm", width, 0});
  LayerCost head = matrix("words", width, words, false);
  if (tied) head.parameters = 0;
  layers.push_back(std::move(head));
  return model;
}

}  // namespace

std::int64_t ModelCost::parameters() const {
  return std::accumulate(layers.begin(), layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const LayerCost& l) { return sum + l.parameters; });
}

std::int64_t ModelCost::macs() const {
  return std::accumulate(layers.begin(), layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const LayerCost& l) { return sum + l.macs; });
}

std::span<const std::string_view> workload_names() { return names; }

ModelCost workload_cost(std::string_view name, std::int64_t context) {
  validate(context >= 0, "context = {} tokens (0 or more). 0 leaves attention's products out.", context);
  if (name == names[0]) return resnet50(name, true, 32, 100);
  if (name == names[1]) return resnet50(name, false, 32, 100);
  if (name == names[2]) return vgg19(224, 1000);
  if (name == names[3]) return llama(name, 8, 384, 1024, 32000, false, context);
  if (name == names[4]) return llama(name, 8, 384, 1024, 32000, true, context);
  if (name == names[5]) return llama(name, 32, 4096, 11008, 32000, false, context);
  throw Error(
      fmt::format("no workload \"{}\" (there are {}). {}", name, join_names(names), suggestion(name, names)));
}

}  // namespace optinc
