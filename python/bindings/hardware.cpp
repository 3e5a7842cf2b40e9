#include <variant>

#include <nanobind/nanobind.h>

#include "onn/hardware/unit_hardware.hpp"
#include "onn/link/noise.hpp"

#include "python/bindings/bindings.hpp"
#include "python/bindings/settings.hpp"

namespace nb = nanobind;

namespace optinc::bindings {
namespace {

/// A number inside one of the receiver's devices.
template <class Part>
void of_receiver(nb::class_<ReceiverSettings>& c, const char* name, Part part, const char* meaning) {
  c.def_prop_rw(
      name, [part](ReceiverSettings& r) { return part(r); },
      [part](ReceiverSettings& r, double value) { part(r) = value; }, meaning);
}

}  // namespace

void bind_hardware(nb::module_& m) {
  settings<NoiseSwitches>(
      m, "NoiseSwitches",
      "Noise sources of the link that act. NoiseSwitches(): none; NoiseSwitches.all(): every source.")
      .def(nb::init<>())
      .def_static("all", &NoiseSwitches::all, "Every source of noise.")
      .def_rw("shot", &NoiseSwitches::shot, "Shot noise of the receivers.")
      .def_rw("tia", &NoiseSwitches::tia, "Noise of the transimpedance amplifiers.")
      .def_rw("rin", &NoiseSwitches::rin, "Relative intensity noise of the lasers.")
      .def_rw("lock", &NoiseSwitches::lock,
              "Phase-lock errors of the servers' fibres; linewidth and dither of direct oscillators.")
      .def_rw("converter", &NoiseSwitches::converter,
              "Steps and noise of the servers' converters; off: ideal comparators.")
      .def_rw("last_only", &NoiseSwitches::last_only,
              "Receivers are noisy only at the servers, not at neurons or in unit P.")
      .def_rw("jitter", &NoiseSwitches::jitter, "Jitter of clocked receivers' sampling instants.")
      .def_rw("scale", &NoiseSwitches::scale, "Factor of every rms drawn for a word.");

  const UnitHardware whole;
  settings<LaserSettings>(m, "LaserSettings",
                          "The seed laser: its light feeds all servers and the chip.\n\n"
                          "Where averaging is \"incoherent\", every server has one of its own, too.",
                          whole.laser)
      .def_rw("power_w", &LaserSettings::power_w, "Mean power [W].")
      .def_rw("rin_db_per_hz", &LaserSettings::rin_db_per_hz, "Relative intensity noise [dB/Hz].")
      .def_rw("linewidth_hz", &LaserSettings::linewidth_hz,
              "Lorentzian linewidth, full width at half maximum [Hz].")
      .def_rw("wavelength_m", &LaserSettings::wavelength_m, "Wavelength [m].")
      .def_rw("wall_plug_efficiency", &LaserSettings::wall_plug_efficiency, "Optical over electrical power.");
  settings<MzmSettings>(m, "MzmSettings", "Every modulator.", whole.modulator)
      .def_rw("v_pi_v", &MzmSettings::v_pi_v, "Half-wave voltage [V].")
      .def_rw("insertion_loss_db", &MzmSettings::insertion_loss_db, "Insertion loss at full transmission [dB].")
      .def_rw("leak", &MzmSettings::leak, "Residual field at the null, as a fraction of full scale.")
      .def_rw("bandwidth_hz", &MzmSettings::bandwidth_hz, "3 dB bandwidth [Hz].")
      .def_rw("linearised", &MzmSettings::linearised,
              "Whether the drive undoes the sine; servers set their levels in any case.")
      .def_rw("drive_capacitance_f", &MzmSettings::drive_capacitance_f, "Effective load of the driver [F].");
  auto receiver = settings<ReceiverSettings>(m, "ReceiverSettings", "Every homodyne receiver.", whole.receiver);
  receiver.def_rw("lo_power_w", &ReceiverSettings::lo_power_w, "Power of the local oscillator [W].")
      .def_rw("cmrr_db", &ReceiverSettings::cmrr_db, "Common-mode rejection of the pair of photodiodes [dB].")
      .def_rw("offset_a", &ReceiverSettings::offset_a,
              "rms offset current at each amplifier's input, constant for a chip [A].")
      .def_rw("overload_a", &ReceiverSettings::overload_a,
              "Largest current that an amplifier passes on [A]; 0: any.");
  of_receiver(
      receiver, "responsivity_a_per_w",
      [](ReceiverSettings& r) -> double& { return r.photodiode.responsivity_a_per_w; },
      "Responsivity of a photodiode [A/W].");
  of_receiver(
      receiver, "dark_current_a", [](ReceiverSettings& r) -> double& { return r.photodiode.dark_current_a; },
      "Dark current of a photodiode [A].");
  of_receiver(
      receiver, "bandwidth_hz", [](ReceiverSettings& r) -> double& { return r.front_end.bandwidth_hz; },
      "3 dB bandwidth [Hz].");
  of_receiver(
      receiver, "tia_noise_a_per_rthz",
      [](ReceiverSettings& r) -> double& { return std::get<InputReferredNoise>(r.front_end.noise).a_per_rthz; },
      "Input-referred current noise of the amplifier [A/sqrt(Hz)].");
  of_receiver(
      receiver, "supply_power_w", [](ReceiverSettings& r) -> double& { return r.front_end.supply_power_w; },
      "Supply power of the amplifier [W].");
  settings<AdcSettings>(m, "AdcSettings", "Every server's converter.", whole.converter)
      .def_rw("bits", &AdcSettings::bits, "Nominal resolution over -0.5..3.5 digits [bit].")
      .def_rw("effective_bits", &AdcSettings::effective_bits,
              "Effective number of bits, steps and noise together [bit].")
      .def_rw("step_j", &AdcSettings::step_j, "Energy of a conversion step [J].")
      .def_rw("delay_s", &AdcSettings::delay_s, "Pipeline delay [s].");

  auto link = settings<LinkSettings>(
      m, "LinkSettings", "Light as the operator sets it, and errors that locks and drivers leave.", whole.link);
  link.def_rw("launch_power_w", &LinkSettings::launch_power_w,
              "Power of digit 3 of one server at unit P's input [W].")
      .def_rw("signal_full_scale_w", &LinkSettings::signal_full_scale_w,
              "Re-modulated power per neuron at its layer's largest activation [W].")
      .def_rw("sigma_lock_rad", &LinkSettings::sigma_lock_rad,
              "rms phase-lock error of a server's fibre [rad].")
      .def_rw("sigma_oscillator_rad", &LinkSettings::sigma_oscillator_rad,
              "rms phase of a receiver's oscillator against its light, constant [rad].")
      .def_rw("oscillator_loop_hz", &LinkSettings::oscillator_loop_hz,
              "Bandwidth of a direct oscillator's phase lock; 0: none [Hz].")
      .def_rw("oscillator_dither_rad", &LinkSettings::oscillator_dither_rad,
              "Amplitude of the dither of a direct oscillator's phase lock [rad].")
      .def_rw("fibre_mismatch_m", &LinkSettings::fibre_mismatch_m,
              "Path length of a server's signal minus that of its oscillator [m].")
      .def_rw("sigma_combiner", &LinkSettings::sigma_combiner,
              "rms relative error of each input's weight in unit P's combiners.")
      .def_rw("sigma_limiter", &LinkSettings::sigma_limiter, "rms relative spread of neurons' ceilings.")
      .def_rw("limiter_knee", &LinkSettings::limiter_knee, "Softness of every neuron's ceiling; 0: hard.")
      .def_rw("level_mismatch", &LinkSettings::level_mismatch, "PAM4 level mismatch, 1 - RLM.")
      .def_rw("signed_levels", &LinkSettings::signed_levels,
              "Digits as fields -1, -1/3, 1/3, 1 of full scale in place of 0, 1/3, 2/3, 1.");
  named(link, "oscillators", &LinkSettings::oscillators,
        "How oscillators reach receivers: \"in-phase\" (idealised), \"beside-signal\" or \"direct\".");
  named(link, "skew", &LinkSettings::skew, "Where early light is delayed: \"delay-lines\" or \"at-servers\".");
  named(link, "averaging", &LinkSettings::averaging, "How unit P averages: \"coherent\" or \"incoherent\".");
  auto timing = settings<TimingSettings>(m, "TimingSettings", "Sampling and symbol timing.", whole.timing);
  named(timing, "sampling", &TimingSettings::sampling,
        "When values are taken: \"settled\", \"clocked\" or \"unclocked\".");
  named(timing, "sampler", &TimingSettings::sampler,
        "How a clocked receiver samples: \"track-and-hold\" or \"integrate-and-dump\".");
  timing.def_rw("symbol_rate_bd", &TimingSettings::symbol_rate_bd, "Symbol rate of every lane [Bd].")
      .def_rw("equaliser_taps", &TimingSettings::equaliser_taps,
              "Taps of every clocked receiver's equaliser, odd; 1: none.")
      .def_rw("jitter_s", &TimingSettings::jitter_s,
              "rms jitter of a clocked receiver's sampling instants [s].")
      .def_rw("lane_skew_s", &TimingSettings::lane_skew_s,
              "rms by which each modulator's light is late, constant for a chip [s].")
      .def_rw("layer_skew_s", &TimingSettings::layer_skew_s,
              "rms by which all modulators of a layer, or of a server, are late together [s].")
      .def_rw("clocked_receiver_j", &TimingSettings::clocked_receiver_j,
              "Energy per symbol of a clocked receiver's clock and equaliser [J].");

  settings<UnitHardware>(m, "UnitHardware",
                         "Every device of a unit beside its meshes. Change its parts in place: "
                         "hardware.link.launch_power_w = 2e-3.\n\n"
                         "Values that no device allows raise ValueError where the hardware is used.")
      .def(nb::init<>())
      .def_rw("laser", &UnitHardware::laser, "The seed laser.")
      .def_rw("modulator", &UnitHardware::modulator, "Every modulator.")
      .def_rw("receiver", &UnitHardware::receiver, "Every receiver.")
      .def_rw("converter", &UnitHardware::converter, "Every server's converter.")
      .def_rw("link", &UnitHardware::link, "Light as the operator sets it.")
      .def_rw("timing", &UnitHardware::timing, "Sampling and symbol timing.");
}

}  // namespace optinc::bindings
