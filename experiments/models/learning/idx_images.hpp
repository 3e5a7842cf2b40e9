#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <Eigen/Dense>

namespace optinc {

/// Images with a class each, one column per image.
struct ImageSet {
  Eigen::MatrixXf pixels;  ///< (channels height width, images), 0..1, row after row, channel after channel
  std::vector<std::uint8_t> labels;  ///< class of each image
  int height = 0;                    ///< pixels
  int width = 0;                     ///< pixels
  int channels = 1;                  ///< 3 where the images have colours
};

/// What a learner is trained on, and what it is judged on and never sees in training.
struct ImageData {
  ImageSet train;
  ImageSet test;
};

/// The images of these numbers, in this order. Throws Error for a number that there is not.
ImageSet choose_images(const ImageSet& set, std::span<const std::uint32_t> images);

/// Reads images (IDX magic 0x803: unsigned bytes, three dimensions) and their labels (0x801) from two IDX
/// files, gzipped or not; bytes 0..255 become 0..1. Both headers are checked against the file's size before
/// anything of the claimed size is allocated. Throws Error for a file that is missing, unreadable, damaged,
/// truncated or too long, for a wrong magic number, for impossible sizes, and where images and labels differ in
/// number.
ImageSet load_idx(const std::filesystem::path& images_path, const std::filesystem::path& labels_path);

/// Fashion-MNIST (Xiao, Rasul and Vollgraf 2017): 60,000 + 10,000 images of 28 x 28 pixels in 10 classes, from
/// the four files {train,t10k}-{images-idx3,labels-idx1}-ubyte.gz in `folder`. Any data set under these names
/// will do (MNIST has them too), provided train and test images have one size.
/// Throws Error as load_idx, and for a folder that does not exist.
ImageData load_fashion_mnist(const std::filesystem::path& folder = "/usr/share/datasets/fashion-mnist");

}  // namespace optinc
