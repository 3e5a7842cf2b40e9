#pragma once

#include <filesystem>

#include "experiments/models/learning/idx_images.hpp"

namespace optinc {

/// CIFAR-10 (Krizhevsky 2009), binary version: 50,000 + 10,000 colour images of 32 x 32 pixels in 10 classes,
/// from data_batch_1.bin .. data_batch_5.bin and test_batch.bin in `folder`. An image is a label byte and 1024
/// red, 1024 green and 1024 blue bytes; bytes 0..255 become 0..1. Files may hold fewer images.
/// Throws Error for a file that is missing, empty, not a whole number of images or beyond a million of them,
/// and for a label that is no class.
ImageData load_cifar10(const std::filesystem::path& folder);

/// CIFAR-100, from train.bin and test.bin: 100 classes. Its images have two label bytes, coarse and fine; the
/// fine one is taken. Throws Error as load_cifar10.
ImageData load_cifar100(const std::filesystem::path& folder);

}  // namespace optinc
