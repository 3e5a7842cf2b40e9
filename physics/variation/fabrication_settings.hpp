#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "physics/core/enum_names.hpp"
#include "physics/layout/placement.hpp"
#include "physics/variation/fabrication.hpp"

namespace optinc {

/// What neighbouring devices of a chip have in common.
enum class FabricationProcess {
  independent,  ///< nothing: every device has errors of its own (ErrorModel)
  wafer,        ///< width and height, which vary over the wafer, from die to die and over the die
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<FabricationProcess> = {"fabrication process", {"independent", "wafer"}};

/// The variations that devices share in process_preset(), without its white splitter errors and losses, which
/// an ErrorModel gives.
ProcessModel shared_process(std::string_view preset = "default");

/// How chips are made, besides the errors independent from device to device, which an ErrorModel gives.
struct FabricationSettings {
  FabricationProcess process = FabricationProcess::independent;
  std::string preset = "default";          ///< of `shared`; "custom" once one of its values was changed
  ProcessModel shared = shared_process();  ///< white part and losses are not looked at
  WaferMap wafer;
};

/// The meshes of a chip at their places on a die (place_meshes), in rows as long as the die. Throws Error,
/// naming die_length_m or die_width_m, where they do not fit on it.
DiePlan placed_on_die(std::span<const MeshTopology> meshes, const FloorPlanSettings& layout,
                      const WaferMap& wafer);

/// The whole process: what devices share, and the splitter errors and losses of the model as its white part.
ProcessModel with_white_part(ProcessModel shared, const ErrorModel& white);

/// What the devices of a chip share. Without a die: nothing.
struct SharedVariation {
  std::shared_ptr<const DieProcess> die;  ///< all meshes of the chip at their places; threads may share it
  ProcessModel shared;                    ///< white part and losses are not looked at
};

/// All meshes of chip `chip` as the process left them (fabricate_die), in the order of the die, which must be
/// there. Phase offsets are the static ones.
std::vector<FabricatedMesh> fabricate_die(const SharedVariation& variation, const ErrorModel& white,
                                          std::uint64_t seed, std::uint32_t chip);

}  // namespace optinc
