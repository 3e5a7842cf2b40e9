#include "physics/random/normals_beyond.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace optinc {
namespace {

double normal_beyond(double reach, Stream& stream) {
  double z = 0.0;
  if (reach < 1) {  // 31 % of all normals at least
    do z = stream.normal();
    while (std::abs(z) <= reach);
    return z;
  }
  do z = std::sqrt(reach * reach - 2 * std::log(stream.uniform()));
  while (stream.uniform() * z > reach);
  return stream.uniform() < 0.5 ? -z : z;
}

}  // namespace

double chance_beyond(double reach, std::size_t count) {
  return -std::expm1(static_cast<double>(count) * std::log1p(-std::erfc(reach / std::numbers::sqrt2)));
}

void normals_beyond(double reach, Stream& stream, std::span<double> out) {
  const double one = chance_beyond(reach, 1), any = chance_beyond(reach, out.size());
  const double place = std::log1p(-any * stream.uniform()) / std::log1p(-one);
  const std::size_t first = std::min(out.size() - 1, static_cast<std::size_t>(place));
  for (std::size_t i = 0; i < out.size(); ++i) {
    do out[i] = i == first ? normal_beyond(reach, stream) : stream.normal();
    while (i < first && std::abs(out[i]) > reach);
  }
}

}  // namespace optinc
