#include "experiments/models/learning/idx_images.hpp"

#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {

void images(Bytes bytes) {
  Feed feed(bytes);  // the first two bytes say where the images end and the labels begin
  const std::size_t cut = feed.below(bytes.size());
  const Bytes both = feed.rest();
  const auto images = written(both.first(std::min(cut, both.size())), "images"),
             labels = written(both.subspan(std::min(cut, both.size())), "labels");
  accepted([&] {
    const ImageSet set = load_idx(images, labels);
    demand(set.labels.size() == static_cast<std::size_t>(set.pixels.cols()), "a label for every image");
  });
}

}  // namespace optinc::fuzz
