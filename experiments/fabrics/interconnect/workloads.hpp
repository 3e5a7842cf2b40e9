#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace optinc {

/// One layer of a model as a server computes it.
struct LayerCost {
  std::string name;
  std::int64_t parameters = 0;  ///< that gradients travel for; 0 where another layer's are used again
  std::int64_t macs = 0;        ///< multiply-adds of the forward pass, per sample (image or token)
  std::int64_t block = 0;       ///< 1, 2 .. of equal blocks; 0: of none
};

/// Layers of a model that is trained.
struct ModelCost {
  std::string name;
  std::string sample;  ///< "image" or "token"
  std::vector<LayerCost> layers;
  std::int64_t width = 0;  ///< activations between equal blocks, per sample; 0 without such blocks

  /// Weights of all layers.
  std::int64_t parameters() const;
  /// Multiply-adds of one example's forward pass.
  std::int64_t macs() const;
};

/// Size of the buckets in which gradients of 32 bits are averaged. Source: PyTorch DistributedDataParallel.
inline constexpr double ddp_bucket_bytes = 25.0 * (1 << 20);

/// Names that workload_cost knows.
std::span<const std::string_view> workload_names();

/// The layer table of a model:
///   resnet50-cifar100-imagenet-stem  7x7/2 convolution and pooling on 32x32 images, 100 classes
///   resnet50-cifar100-cifar-stem     3x3/1 convolution without pooling
///   vgg19                            224x224 images, 1,000 classes, biases
///   llama-8x384-untied, -tied        8 blocks of width 384, SwiGLU of 1,024, 32,000 words
///   llama-32x4096-untied             32 blocks of width 4,096, SwiGLU of 11,008, 32,000 words: LLaMA-7B
/// Convolutions of ResNet have no bias; batch and RMS norms count their parameters and no multiply-adds.
/// context: tokens that attention looks back over, causal, d (context + 1) multiply-adds a token and block; 0
/// leaves the products of queries, keys and values out, as the rule of six FLOP per parameter and token does.
/// Throws Error for an unknown name or a negative context.
/// Sources: He et al. 2016, table 1; Simonyan & Zisserman 2015, table 1 E; Touvron et al. 2023.
ModelCost workload_cost(std::string_view name, std::int64_t context = 0);

}  // namespace optinc
