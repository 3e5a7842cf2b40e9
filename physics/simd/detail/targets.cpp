#include "physics/simd/detail/targets.hpp"

#include <cstdint>
#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "physics/simd/detail/targets.cpp"
#include <hwy/foreach_target.h>  // this file once more for every SIMD target
#include <hwy/highway.h>

// HWY_TARGETS is what the flags of this file let Highway compile: CMakeLists.txt gives it the flags of the
// kernels.

HWY_BEFORE_NAMESPACE();
namespace optinc {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::size_t FloatLanes() { return hn::Lanes(hn::ScalableTag<float>()); }
std::size_t DoubleLanes() { return hn::Lanes(hn::ScalableTag<double>()); }
const char* Name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace optinc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace optinc {

HWY_EXPORT(FloatLanes);
HWY_EXPORT(DoubleLanes);
HWY_EXPORT(Name);

namespace {

std::vector<std::int64_t> available_targets() {
  std::vector<std::int64_t> targets;
  hwy::SetSupportedTargetsForTest(0);  // an earlier choice must not hide the others
  for (std::int64_t bits = hwy::SupportedTargets() & HWY_TARGETS; bits != 0; bits &= bits - 1)
    targets.push_back(bits & -bits);  // lower bits are better targets
  return targets;
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : available_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

// not hwy::SupportedTargets(): it asks the processor anew, which takes microseconds in a virtual machine
std::string chosen_simd_target() { return HWY_DYNAMIC_DISPATCH(Name)(); }

template <>
std::size_t simd_lanes<float>() {
  return HWY_DYNAMIC_DISPATCH(FloatLanes)();
}
template <>
std::size_t simd_lanes<double>() {
  return HWY_DYNAMIC_DISPATCH(DoubleLanes)();
}

void use_simd_target(std::string_view name) {
  for (const std::int64_t target : available_targets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  if (!name.empty()) throw std::invalid_argument("no such SIMD target on this machine: " + std::string(name));
}

}  // namespace optinc
#endif
