#include <cmath>

#include "physics/core/units.hpp"
#include "physics/devices/adc.hpp"
#include "physics/devices/detail/part_lists.hpp"
#include "physics/devices/front_end.hpp"
#include "physics/devices/modulator.hpp"

namespace optinc::parts {
namespace {

/// What front ends are known by: A/sqrt(Hz), Hz, A of either sign, W.
struct FrontEndFigures {
  Figure noise, bandwidth, overload, supply, transimpedance;
};

Part front_end(std::string name, std::string what, FrontEndFigures f, std::string source, int year) {
  const std::string preset = cpp_of("receiver", "front end", name);
  return {std::move(name),
          "front end",
          std::move(what),
          {std::move(f.noise), std::move(f.bandwidth), std::move(f.overload), std::move(f.supply),
           std::move(f.transimpedance)},
          std::move(source),
          preset,
          year,
          "one chip"};
}

Figure noise(double a_per_rthz, std::string quoted) {
  return read("noise", a_per_rthz, "A/sqrt(Hz)", "tia_noise_a_per_rthz", std::move(quoted));
}
/// From the rms at the input, over the root of the noise bandwidth of a Bessel-Thomson response.
Figure noise_of_rms(double rms_a, double bandwidth_hz, std::string quoted) {
  FrontEnd unit;
  unit.bandwidth_hz = bandwidth_hz;
  return read("noise", rms_a / std::sqrt(noise_bandwidth_hz(unit)), "A/sqrt(Hz)", "tia_noise_a_per_rthz",
              std::move(quoted) + " | over the root of the noise bandwidth");
}
Figure bandwidth(double hz, std::string quoted) {
  return read("bandwidth", hz, "Hz", "bandwidth_hz", std::move(quoted));
}
Figure largest_current(double a, std::string quoted) {
  return read("largest current", a, "A", "overload_a", std::move(quoted));
}
Figure no_limit(std::string why) { return assumed("largest current", 0.0, "A", "overload_a", std::move(why)); }
Figure supply(double w, std::string quoted) {
  return read("supply", w, "W", "supply_power_w", std::move(quoted));
}
Figure transimpedance(double dbohm, std::string quoted) {
  return read("transimpedance", std::pow(10.0, dbohm / 20), "ohm", "", std::move(quoted));
}

}  // namespace

std::vector<Part> front_ends() {
  const double shi_hz = 37e9, linear_hz = 45e9;
  return {
      front_end(
          "patel-2022-receiver",
          "112 Gb/s PAM4 amplifier, 16 nm CMOS, with its photodiode; the abstract states no largest current "
          "and none is assumed: at 0.9 V, 63 dBohm pass some 0.3 mA.",
          {noise(16.9e-12, "average input-referred current noise density of 16.9 pA/sqrt(Hz)"),
           bandwidth(32e9, "63-dBohm gain, 32-GHz BW"), no_limit("0, any: the abstract states none"),
           supply(47e-3, "operating at 0.9-V supply and consuming 47-mW power"),
           transimpedance(63, "63-dBohm gain")},
          "D. Patel, A. Sharif-Bakhtiar, A. Chan Carusone, IEEE J. Solid-State Circuits (2022), doi "
          "10.1109/JSSC.2022.3218558",
          2022),
      front_end("shi-2019-receiver",
                "112 Gb/s PAM4 receiver of amplifier, equaliser, gain control and buffer, 28 nm CMOS.",
                {noise_of_rms(2.72e-6, shi_hz, "2.72 uArms input-referred noise current"),
                 bandwidth(37e9, "71 dBohm transimpedance gain and 37 GHz bandwidth"),
                 largest_current(0.9e-3, "maximum input overload current of 1.8 mApp | half of it either way"),
                 supply(96.8e-3, "consumes 96.8 mW from 1.5 V supply"),
                 transimpedance(71, "71 dBohm transimpedance gain")},
                "Y. Shi et al., IEEE EDSSC (2019), doi 10.1109/EDSSC.2019.8753978", 2019),
      front_end(
          "linear-28nm-2018-receiver",
          "112 Gb/s PAM4 linear amplifier, 28 nm CMOS; its bandwidth is not in the abstract.",
          {noise_of_rms(4.7e-6, linear_hz, "4.7 uArms input referred noise"),
           assumed("bandwidth", linear_hz, "Hz", "bandwidth_hz",
                   "the band of the group delay: less than 5 ps group delay variation over 45 GHz"),
           largest_current(0.5e-3, "input currents up to 1 mApp with < 5 % THD | half of it either way"),
           supply(107e-3, "while dissipating 107 mW"), transimpedance(65, "65 dBohm trans-impedance gain")},
          "\"A 112 Gb/s PAM4 Linear TIA with 0.96 pJ/bit Energy Efficiency in 28 nm CMOS\" (2018), abstract",
          2018),
      front_end("awny-2018-receiver",
                "32 Gb/s differential amplifier of coherent receivers, 0.13 um SiGe; half of a chip of two.",
                {noise(12.2e-12,
                       "12.2 pA/sqrt(Hz) of average input-referred noise current density with the photodiode"),
                 bandwidth(33e9, "33 GHz of 3-dB bandwidth"),
                 largest_current(
                     0.25e-3,
                     "500 uApp differential input current with less than 1 % of THD | half of it either way"),
                 supply(218e-3, "The dual TIA chip .. dissipates 436 mW of power | half of it a channel"),
                 transimpedance(74, "maximum differential transimpedance of 74 dBohm")},
                "A. Awny et al., IEEE Trans. Microw. Theory Tech. (2018), doi 10.1109/TMTT.2017.2752170", 2018),
      front_end(
          "garcia-lopez-2017-receiver",
          "100 Gb/s differential linear amplifier, 130 nm SiGe (SG13S); the limit is that at its largest gain.",
          {noise(8e-12, "42-GHz 3-dB BW, and 8 pA/sqrt(Hz) averaged input-referred current noise density"),
           bandwidth(42e9, "42-GHz 3-dB BW"),
           largest_current(0.15e-3,
                           "better than 5 % for some 800 mVppd output swing and input currents of some 300 "
                           "uApp | half of it either way"),
           supply(150e-3, "both circuits dissipate 150 mW of power"),
           transimpedance(68.5, "68.5 dBohm differential TI gain")},
          "I. Garcia Lopez et al., IEEE J. Solid-State Circuits (2017), doi 10.1109/JSSC.2017.2782080", 2017),
      front_end("garcia-lopez-2017-wide-receiver",
                "The same amplifier in a faster process (SG13G2); the limit is that at its largest gain.",
                {noise(7.6e-12, "65 dBohm differential TI gain, 66-GHz 3-dB BW, and 7.6 pA/sqrt(Hz)"),
                 bandwidth(66e9, "66-GHz 3-dB BW"),
                 largest_current(0.15e-3,
                                 "better than 5 % for some 800 mVppd output swing and input currents of some "
                                 "300 uApp | half of it either way"),
                 supply(150e-3, "both circuits dissipate 150 mW of power"),
                 transimpedance(65, "65 dBohm differential TI gain")},
                "I. Garcia Lopez et al., IEEE J. Solid-State Circuits (2017), doi 10.1109/JSSC.2017.2782080",
                2017),
      front_end("cao-2024-receiver",
                "Linear amplifier for single-ended coherent receivers, 0.13 um SiGe; its largest current was "
                "not read.",
                {noise(12.5e-12, "12.5-pA/sqrt(Hz) input reference noise (IRN) current density"),
                 bandwidth(42e9, "42-GHz -3-dB BW at 74-dBohm maximum transimpedance gain"),
                 no_limit("0, any: the sentence on distortion was not legible"),
                 supply(237.6e-3, "draws 72-mA current from a 3.3-V voltage supply | their product"),
                 transimpedance(74, "74-dBohm maximum transimpedance gain")},
                "Z. Cao, X. Xiao, Z. Dang, J. He, IEEE Solid-State Circuits Lett. 7, 239 (2024), doi "
                "10.1109/LSSC.2024.3451966",
                2024),
      front_end("zhang-2025-receiver", "100 Gb/s PAM4 amplifier of least power, 28 nm CMOS.",
                {noise(16e-12, "an input referred noise density of 16 pA/sqrt(Hz)"),
                 bandwidth(28e9, "achieves a 28-GHz BW with a 65 dBohm dc transimpedance"),
                 largest_current(0.32e-3, "THD < 5 % up to 640 uApp input current | half of it either way"),
                 supply(32e-3, "consumes 32 mW from a 1.2-V supply"),
                 transimpedance(65, "65 dBohm dc transimpedance")},
                "C. Zhang, L. Wang, F. Chen, C. P. Yue, IEEE Solid-State Circuits Lett. 8, 273 (2025), doi "
                "10.1109/LSSC.2025.3603569",
                2025),
      front_end(
          "typical-linear-receiver",
          "Linear amplifier for 28 to 60 GBd, amid those above; not a specific device.",
          {usual(assumed("noise", 13e-12, "A/sqrt(Hz)", "tia_noise_a_per_rthz", "amid the parts of this kind"),
                 7.6e-12, 22e-12),
           usual(assumed("bandwidth", 37e9, "Hz", "bandwidth_hz", "amid the parts of this kind"), 28e9, 66e9),
           usual(assumed("largest current", 0.4e-3, "A", "overload_a", "amid the parts that state one"),
                 0.15e-3, 0.9e-3),
           usual(assumed("supply", 0.12, "W", "supply_power_w", "amid the parts of this kind"), 0.032, 0.238),
           usual(assumed("transimpedance", 2.5e3, "ohm", "", "amid the parts of this kind"), 1.4e3, 5e3)},
          "range of the parts above", 0)};
}

namespace {

/// A driver whose energy a symbol at its largest swing was read, or assumed.
Part driver(std::string name, std::string what, Figure energy, Figure swing, Figure rate, std::string source,
            int year) {
  const std::string preset = cpp_of("modulator", "driver", name);
  Figure capacitance = usual(assumed("effective load capacitance", 0, "F", "drive_capacitance_f",
                                     "the energy was read for one swing, and is taken for every smaller one"),
                             0, 0);
  return {std::move(name),
          "driver",
          std::move(what),
          {std::move(energy), std::move(swing), std::move(rate), std::move(capacitance)},
          std::move(source),
          preset,
          year,
          year == 0 ? "" : "one chip"};
}

Figure energy(double j, std::string quoted) {
  return read("energy of a symbol", j, "J", "driver_j", std::move(quoted));
}
Figure swing(double volts, std::string quoted) {
  return read("largest swing", volts, "V", "", std::move(quoted));
}
Figure symbol_rate(double bd, std::string quoted) {
  return read("symbol rate", bd, "Bd", "", std::move(quoted));
}

}  // namespace

std::vector<Part> drivers() {
  const MzmSettings by_default;
  Part guess =
      driver("assumed-1pj-driver",
             "1 pJ for a symbol of 4 V: a fourth of the least published for 3 V; not a specific device.",
             assumed("energy of a symbol", 1e-12, "J", "driver_j", "a guess without a source"),
             assumed("largest swing", 4.0, "V", "", "the modulators' half-wave voltage"),
             assumed("symbol rate", 50e9, "Bd", "", "a guess without a source"), "a choice of this project", 0);
  guess.figures[0].key.clear();
  guess.figures.back() = assumed("effective load capacitance", by_default.drive_capacitance_f, "F",
                                 "drive_capacitance_f", "energy of a symbol over its swing squared");
  guess.figures.push_back(
      assumed("energy whatever the swing", 0, "J", "driver_j", "all of it falls with the swing"));
  return {
      std::move(guess),
      driver("zhang-2025-driver",
             "Linear driver of Mach-Zehnder modulators, one of four channels, 130 nm SiGe.",
             energy(225.23e-3 / 56e9,
                    "225.23 mW .. 2 pJ/bit | translated; a channel of 112 Gb/s, two bits a symbol"),
             swing(3.0, "3 Vppd .. 3.5 % | translated: differential output swing, distortion below that"),
             symbol_rate(56e9, "up to 112 Gbps a channel, PAM4"),
             "S. Zhang et al., J. Electron. Inf. Technol. 47, 2945 (2025), doi 10.11999/JEIT250176", 2025),
      driver("breyne-2020-driver",
             "Limiting driver of a modulator of two segments, 55 nm SiGe; PAM4 by two bits, so no linear "
             "amplifier.",
             energy(7.8e-12,
                    "50 Gbaud and 53 Gbaud PAM4 .. power efficiency of 3.9 and 3.6 pJ/bit | two bits a symbol "
                    "at 50 GBd"),
             assumed("largest swing", 4.0, "V", "", "the abstract says tunable; the default half-wave voltage"),
             symbol_rate(50e9, "50 Gbaud and 53 Gbaud PAM4"), "L. Breyne et al., Opt. Express 28, 23950 (2020)",
             2020),
      driver("liao-2022-driver",
             "Distributed limiting driver and clock recovery of a segmented modulator, 40 nm CMOS.",
             energy(682e-3 / 25e9, "50-Gb/s PAM-4 .. corresponds to a 682-mW power | over 25 GBd"),
             assumed("largest swing", 4.0, "V", "", "the abstract states none; the default half-wave voltage"),
             symbol_rate(25e9, "50-Gb/s optical transmitter .. PAM-4"),
             "Q. Liao et al., IEEE J. Solid-State Circuits (2022), doi 10.1109/JSSC.2021.3134874", 2022),
      driver("zhao-2014-driver", "Distributed limiting driver of two levels, 0.18 um SiGe.",
             energy(213e-12,
                    "Total power consumption is 2.13 W operating from -5.2 V and 5 V supplies | over 10 GBd"),
             swing(6.0, "6 Vp-p differential output swing across 50 ohm loads"),
             symbol_rate(10e9, "10 Gb/s .. MZM driver"),
             "Y. Zhao, L. Vera, J. R. Long (2014), \"A 10 Gb/s, 6 Vp-p, Digitally Controlled, Differential "
             "Distributed "
             "Amplifier MZM Driver\", abstract",
             2014),
      driver("wang-2025-transmitter",
             "Wireline transmitter with a three-tap equaliser, 28 nm CMOS; for modulators below 1 V.",
             energy(1.84e-12,
                    "energy efficiency of the proposed TX is 0.92 pJ/b with a 0.9-Vppd DC output swing | two "
                    "bits a symbol"),
             swing(0.9, "0.9-Vppd DC output swing"),
             symbol_rate(56e9, "best level separation mismatch ratios .. at 100-Gb/s and 112-Gb/s"),
             "K. Wang et al., IEEE Trans. Circuits Syst. I 72, 2664 (2025), doi 10.1109/TCSI.2025.3558331",
             2025),
      driver("razavi-2021-transmitter", "Wireline PAM4 transmitter, 45 nm CMOS; for modulators below 1 V.",
             energy(44e-3 / 40e9, "data rates as high as 80 Gb/s .. while drawing 44 mW | over 40 GBd"),
             swing(0.63, "delivers an output swing of 630 mVpp"), symbol_rate(40e9, "PAM4 .. 80 Gb/s"),
             "B. Razavi, \"Design Techniques for High-Speed Wireline Transmitters\", IEEE Open J. Solid-State "
             "Circuits Soc. "
             "(2021), doi 10.1109/OJSSCS.2021.3112398",
             2021),
      driver("typical-linear-driver", "Linear driver of 4 V; not a specific device.",
             usual(assumed("energy of a symbol", 7e-12, "J", "driver_j", "that of 3 V by the swing squared"),
                   4e-12, 14e-12),
             usual(assumed("largest swing", 4.0, "V", "", "usual of linear drivers"), 3.0, 5.0),
             assumed("symbol rate", 56e9, "Bd", "", "as that of 3 V"),
             "range: zhang-2025-driver at 3 V, its energy as it is, to breyne-2020-driver times two", 0)};
}

namespace {

Part converter(std::string name, std::string what, std::vector<Figure> figures, std::string source, int year) {
  const std::string preset = cpp_of("converter", "converter", name);
  figures.push_back(assumed("pipeline delay", AdcSettings().delay_s, "s", "delay_s", "the source states none"));
  return {std::move(name),
          "converter",
          std::move(what),
          std::move(figures),
          std::move(source),
          preset,
          year,
          year == 0 ? "" : "one chip"};
}

Figure rate(double hz, std::string quoted) { return read("sampling rate", hz, "S/s", "", std::move(quoted)); }

}  // namespace

std::vector<Part> converters() {
  const AdcSettings by_default;
  return {
      converter("typical-converter", "Converter for 40 GS/s and more; not a specific device.",
                {usual(assumed("resolution", by_default.bits, "bit", "bits", "usual above 30 GS/s"), 5, 8),
                 usual(assumed("effective bits", by_default.effective_bits, "bit", "effective_bits",
                               "usual above 50 GS/s"),
                       4.5, 5.5),
                 usual(assumed("energy of a conversion step", by_default.step_j, "J", "step_j",
                               "usual above 30 GS/s"),
                       30e-15, 300e-15),
                 assumed("sampling rate", 50e9, "S/s", "", "that of its class")},
                "usual values, not a specific device", 0),
      converter("receiver-56g-converter",
                "Converter of 32 interleaved slices with digital equaliser behind it, 32 nm CMOS: all of a "
                "receiver's "
                "power is counted, so the step's energy is an upper bound.",
                {read("resolution", 6, "bit", "bits",
                      "6-bit time-interleaved successive-approximation analog-to-digital converter"),
                 assumed("effective bits", 5, "bit", "effective_bits",
                         "the abstract states none; one less than the resolution"),
                 assumed("energy of a conversion step", 202.7e-3 / 28e9 / 32, "J", "step_j",
                         "the power consumption of the receiver is 202.7 mW .. 56Gb/s, 4-PAM: over 28 GS/s "
                         "and 2^5 steps"),
                 rate(28e9, "designed to recover data at 56Gb/s, 4-PAM")},
                "\"A 3.6pJ/b 56Gb/s 4-PAM receiver with 6-Bit TI-SAR ADC and quarter-rate speculative "
                "2-tap DFE in 32 nm CMOS\", "
                "IBM Research, abstract",
                0),
      converter("solis-ti-converter",
                "Converter of 32 interleaved slices, 130 nm CMOS: a tenth of the rate of a unit.",
                {read("resolution", 8, "bit", "bits", "4 GS/s, 8-bit resolution, time-interleaved"),
                 read("effective bits", 5.47, "bit", "effective_bits",
                      "peak 7.09 effective number of bits (5.47 ENOB at Nyquist)"),
                 read("energy of a conversion step", 526e-15, "J", "step_j",
                      "peak FOM of 171 fJ/conv-step (526 fJ/conv-step at Nyquist)"),
                 rate(4e9, "4 GS/s"), read("input bandwidth", 1.3e9, "Hz", "", "1.3 GHz input bandwidth")},
                "F. Solis et al., 4 GS/s TI-ADC in 130 nm CMOS, abstract listed under the author", 0),
      converter(
          "ramkaj-2018-converter",
          "One slice, 28 nm CMOS: a unit's rate takes some forty of them, and their interleaving.",
          {read("resolution", 7, "bit", "bits", "1.25-GS/s 7-b single-channel .. analog-to-digital converter"),
           read("effective bits", (40.1 - 1.76) / 6.02, "bit", "effective_bits",
                "SNDR/SFDR at Nyquist is 40.1/52 dB | (40.1 - 1.76)/6.02"),
           read("energy of a conversion step", 34.4e-15, "J", "step_j",
                "Walden figure-of-merit of 34.4 fJ/conversion-step at Nyquist"),
           rate(1.25e9, "1.25-GS/s 7-b single-channel")},
          "A. T. Ramkaj et al., IEEE J. Solid-State Circuits 53, 1889 (2018)", 2018),
      converter("ibm-56g-converter",
                "Converter of 64 interleaved slices, 4 nm CMOS; its effective bits are those at low "
                "frequency, and fewer near 28 GHz.",
                {read("resolution", 8, "bit", "bits", "An 8-bit 56GS/s 64x Time-Interleaved ADC"),
                 read("effective bits", 6.5, "bit", "effective_bits", "low frequency spectrum with 6.5 ENOB"),
                 read("energy of a conversion step", 47e-15, "J", "step_j",
                      "FoM of 47 fJ/conv.step with a total power dissipation of 240mW"),
                 rate(56e9, "8-bit 56GS/s"),
                 read("input bandwidth", 27e9, "Hz", "", "measured bandwidth is greater than 27 GHz")},
                "\"An 8-bit 56GS/s 64x Time-Interleaved ADC with Bootstrapped Sampler and Class-AB Buffer "
                "in 4nm CMOS\", IBM Research, page of the publication",
                0),
      converter("zandieh-2019-converter", "Two interleaved flash slices, 55 nm SiGe BiCMOS.",
                {read("resolution", 5, "bit", "bits", "5-bit Time-Interleaved Flash ADC"),
                 read("effective bits", 4, "bit", "effective_bits",
                      "effective number of bits of 4 bits up to 32-GHz input signals"),
                 read("energy of a conversion step", 1.25 / 128e9 / 16, "J", "step_j",
                      "total power consumption of the ADC is 1.25 W | over 128 GS/s and 2^4 steps"),
                 rate(128e9, "operation at 128 GS/s")},
                "A. Zandieh, P. Schvan, S. P. Voinigescu, IEEE J. Solid-State Circuits 54, 2375 (2019)", 2019)};
}

namespace {

Part clocked(std::string name, std::string what, Figure of_symbol, Figure at, std::string source, int year) {
  const std::string preset = cpp_of("timing", "clocked receiver", name);
  return {std::move(name),
          "clocked receiver",
          std::move(what),
          {std::move(of_symbol), std::move(at)},
          std::move(source),
          preset,
          year,
          year == 0 ? "" : "one chip"};
}

Figure symbol_energy(double j, std::string quoted) {
  return read("energy of a symbol", j, "J", "clocked_receiver_j", std::move(quoted));
}

}  // namespace

std::vector<Part> clocked_receivers() {
  return {
      clocked("typical-wireline-receiver",
              "Whole receivers of one bit a symbol. They decide: no part that holds an analogue value at 40 "
              "GBd, as a "
              "neuron's must, was read.",
              usual(assumed("energy of a symbol", 0.9e-12, "J", "clocked_receiver_j",
                            "upper end of: running at 40 Gb/s to 56 Gb/s and consuming 14 mW to 50 mW"),
                    0.35e-12, 0.9e-12),
              assumed("symbol rate", 56e9, "Bd", "", "upper end of the same"),
              "review: B. Razavi, \"Low-Power Techniques for Wireline Systems\"", 0),
      clocked(
          "emami-2007-wireline-receiver",
          "Receiver with one tap of decision feedback, 90 nm CMOS; clock recovery not counted.",
          symbol_energy(
              0.6e-12,
              "At 10-Gb/s data rate, the receiver consumes less than 6.0 mW from a 1.0-V supply | over 10 GBd"),
          symbol_rate(10e9, "10-Gb/s data rate"),
          "A. Emami-Neyestanak et al., IEEE J. Solid-State Circuits 42, 889 (2007)", 2007),
      clocked("finfet-30g-wireline-receiver", "Receiver data path, 14 nm FinFET; two levels taken.",
              symbol_energy(0.8e-12, "A 30Gb/s 0.8pJ/b 14nm FinFET receiver data-path"),
              symbol_rate(30e9, "30Gb/s"), "\"A 30Gb/s 0.8pJ/b 14nm FinFET receiver data-path\", title", 0),
      clocked("han-2021-wireline-receiver",
              "Quarter-rate PAM4 receiver with one tap of decision feedback, 55 nm CMOS.",
              symbol_energy(83.5e-3 / 28e9,
                            "56-Gbps .. PAM4 .. consumes 83.5 mW over a 55-nm process | over 28 GBd"),
              symbol_rate(28e9, "56-Gbps .. PAM4"),
              "W. Han, Y. Wang, J. Wang, IEICE Electron. Express (2021), doi 10.1587/elex.18.20210302", 2021),
      clocked(
          "pam4-22g-wireline-receiver", "PAM4 receiver with an analogue equaliser, 90 nm CMOS.",
          symbol_energy(207e-3 * 1.1 / 11e9,
                        "22 Gb/s .. measured current consumption is 207 mA from a 1.1-V supply | over 11 GBd"),
          symbol_rate(11e9, "22 Gb/s .. PAM-4"),
          "\"A 22-Gb/s PAM-4 Receiver in 90-nm CMOS SOI Technology\" (2006), abstract", 2006)};
}

}  // namespace optinc::parts
