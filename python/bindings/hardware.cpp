#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "onn/hardware/unit_hardware_rows.hpp"
#include "onn/hardware/unit_parts.hpp"
#include "onn/link/noise_rows.hpp"
#include "physics/devices/adc_rows.hpp"
#include "physics/devices/laser_rows.hpp"
#include "physics/devices/modulator_rows.hpp"
#include "physics/devices/receiver_rows.hpp"

#include "python/bindings/bindings.hpp"
#include "python/bindings/settings.hpp"

namespace nb = nanobind;

namespace optinc::bindings {

void bind_hardware(nb::module_& m) {
  auto noise = settings<NoiseSwitches>(
      m, "NoiseSwitches",
      "Noise sources of the link that act. NoiseSwitches(): none; NoiseSwitches.all(): every source.");
  noise.def(nb::init<>())
      .def_static("all", &NoiseSwitches::all, "Every source of noise.")
      .def_rw("scale", &NoiseSwitches::scale, "Factor of every rms drawn for a word.");
  properties(noise);

  const UnitHardware whole = unit_of_parts();
  auto laser =
      settings<LaserSettings>(m, "LaserSettings",
                              "The seed laser: its light feeds all servers and the chip.\n\n"
                              "Where averaging is \"incoherent\", every server has one of its own, too.",
                              whole.laser);
  properties(laser);
  auto modulator = settings<MzmSettings>(m, "MzmSettings", "Every modulator.", whole.modulator);
  properties(modulator, {{"loss_db", "insertion_loss_db"}});
  auto receiver = settings<ReceiverSettings>(m, "ReceiverSettings", "Every homodyne receiver.", whole.receiver);
  properties(receiver);
  auto converter = settings<AdcSettings>(m, "AdcSettings", "Every server's converter.", whole.converter);
  properties(converter);
  auto link = settings<LinkSettings>(
      m, "LinkSettings", "Light as the operator sets it, and errors that locks and drivers leave.", whole.link);
  properties(link);
  auto neuron = settings<NeuronSettings>(
      m, "NeuronSettings", "Receivers of neurons where they differ from the servers'; 0: as the servers'.",
      whole.neuron);
  properties(neuron);
  auto owner = settings<OwnerSettings>(
      m, "OwnerSettings",
      "Where an owner decides digit sums, and how it sends its answers on; 0: as servers send to it.",
      whole.owner);
  properties(owner);
  auto timing = settings<TimingSettings>(m, "TimingSettings", "Sampling and symbol timing.", whole.timing);
  properties(timing);

  settings<UnitHardware>(
      m, "UnitHardware",
      "Every device of a unit beside its meshes. Change its parts in place: "
      "hardware.link.launch_power_w = 2e-3.\n\n"
      "UnitHardware(): of published parts (parts.set of a study); UnitHardware(\"idealised\"): the parts of "
      "1.0.0-rc.1, which cannot be bought together.\n"
      "Values that no device allows raise ValueError where the hardware is used.")
      .def(
          "__init__",
          [](UnitHardware* unit, const std::string& parts) { new (unit) UnitHardware(unit_of_parts(parts)); },
          nb::arg("parts") = std::string(default_parts))
      .def_rw("laser", &UnitHardware::laser, "The seed laser.")
      .def_rw("modulator", &UnitHardware::modulator, "Every modulator.")
      .def_rw("receiver", &UnitHardware::receiver, "Every receiver.")
      .def_rw("converter", &UnitHardware::converter, "Every server's converter.")
      .def_rw("link", &UnitHardware::link, "Light as the operator sets it.")
      .def_rw("neuron", &UnitHardware::neuron, "Receivers of neurons.")
      .def_rw("owner", &UnitHardware::owner, "An owner of digit sums, and how it sends its answers on.")
      .def_rw("timing", &UnitHardware::timing, "Sampling and symbol timing.");
}

}  // namespace optinc::bindings
