#include <utility>

#include "physics/devices/detail/part_lists.hpp"

// Parts around the meshes that no key of a unit sets yet: for people, and for costs of whole systems.

namespace optinc::parts {
namespace {

Part part(std::string kind, std::string name, std::string what, std::vector<Figure> figures, std::string source,
          int year) {
  std::string preset = "part_of_kind(\"" + kind + "\", \"" + name + "\")";
  return {std::move(name),
          std::move(kind),
          std::move(what),
          std::move(figures),
          std::move(source),
          std::move(preset),
          year};
}

Figure quoted(std::string name, double value, std::string unit, const std::string& words) {
  return read(std::move(name), value, std::move(unit), "", words);
}

}  // namespace

std::vector<Part> phase_locks() {
  return {
      part("phase lock", "fice-2011-lock",
           "Oscillator locked by optical injection and slow electronic feedback, lines of 1.5 MHz in sum.",
           {quoted("residual phase", 0.04472, "rad",
                   "phase-error variance as low as 0.002 rad2 in 10-GHz bandwidth | its root")},
           "M. J. Fice, A. Chiuchiarelli, E. Ciaramella, A. J. Seeds, \"Homodyne Coherent Optical Receiver "
           "Using an "
           "Optical Injection Phase-Lock Loop\"",
           2011),
      part("phase lock", "roberts-2016-lock", "Phased array of fibres with amplifiers of 15 W.",
           {quoted("residual phase", 0.03239, "rad",
                   "demonstrating an output RMS phase stability of lambda/194 | 2 pi over 194; in which band "
                   "is not said")},
           "L. E. Roberts et al., Opt. Express 24, 13467 (2016)", 2016),
      part("phase lock", "coldren-2012-lock", "Loops integrated on indium phosphide.",
           {quoted("loop bandwidth", 1e9, "Hz",
                   "stable OPLLs have been achieved with closed-loop bandwidths >1 GHz | a lower bound")},
           "L. A. Coldren et al., \"Single-chip integrated transmitters and receivers\", Optical Society of "
           "America (2012)",
           2012),
      part("phase lock", "silicon-combiner-2024-lock", "Thermal shifters of a silicon combiner of 32 inputs.",
           {quoted("bandwidth of the shifters", 80e3, "Hz", "a bandwidth in excess of 80 kHz")},
           "\"A Silicon Photonic 32-Input Coherent Combiner for Turbulence Mitigation in Free Space Optics "
           "Links\", "
           "arXiv:2406.02076",
           2024)};
}

std::vector<Part> serialisers() {
  return {
      part("serialiser", "gangasani-2025-serialiser",
           "PAM4 transceiver between chiplets, 5 nm CMOS; upper bound.",
           {quoted("energy of a bit", 1.1e-12, "J",
                   "while consuming <1.1-pJ/b power and 0.22-mm2 area per lane"),
            quoted("bit rate", 113e9, "bit/s", "113-Gb/s PAM4 transceiver in 5-nm CMOS")},
           "G. Gangasani et al., IEEE Solid-State Circuits Lett. 8, 33 (2025), doi 10.1109/LSSC.2025.3526877",
           2025),
      part("serialiser", "ibm-128g-serialiser",
           "PAM4 transmitter with three taps, 14 nm CMOS; its receiver is extra.",
           {quoted("energy of a bit", 1.33e-12, "J", "1.33 pJ/b at 128 Gb/s with 1-Vppd output amplitude"),
            quoted("bit rate", 128e9, "bit/s", "1.33 pJ/b at 128 Gb/s")},
           "\"A 128-Gb/s 1.3-pJ/b PAM-4 Transmitter with Reconfigurable 3-Tap FFE in 14-nm CMOS\", IEEE J. "
           "Solid-State Circuits",
           0),
      part(
          "serialiser", "ibm-56g-deserialiser",
          "PAM4 receiver with converter and digital equaliser, 14 nm CMOS.",
          {quoted("energy of a bit", 270e-3 / 56e9, "J",
                  "dissipating 270mW including the ADC and the DSP data-path | over 56 Gb/s"),
           quoted("bit rate", 56e9, "bit/s", "achieves 56Gb/s data-rate")},
          "\"A 4.8pJ/b 56Gb/s ADC-Based PAM-4 Wireline Receiver Data-Path with Cyclic Prefix in 14nm FinFET\", "
          "A-SSCC (2019)",
          2019)};
}

std::vector<Part> clock_recoveries() {
  return {
      part("clock recovery", "nedovic-2007-clock", "Recovery and 1:16 demultiplexer, two levels, 90 nm CMOS.",
           {quoted("power", 0.910, "W", "operates at 40-44 Gb/s and dissipates 910 mW"),
            quoted("symbol rate", 44e9, "Bd", "40-44 Gb/s | two levels")},
           "N. Nedovic et al., IEEE J. Solid-State Circuits 42, 2726 (2007)", 2007),
      part("clock recovery", "wang-2023-clock",
           "Whole PAM4 receiver with a recovery that compensates jitter, 40 nm CMOS: an upper bound of the "
           "recovery.",
           {quoted("power", 72e-3, "W", "A 60-Gb/s 1.2-pJ/bit 1/4-Rate PAM-4 Receiver | their product"),
            quoted("symbol rate", 30e9, "Bd", "60-Gb/s .. PAM-4 | two bits a symbol")},
           "L. Wang et al., IEEE J. Solid-State Circuits 59 (2024), doi 10.1109/JSSC.2023.3309665", 2024)};
}

std::vector<Part> switches() {
  return {
      part("switch", "tomahawk-5-switch", "Ethernet switch of 51.2 Tb/s; the power is an analyst's estimate.",
           {quoted("power", 500, "W",
                   "We estimate power consumption increases only 10% over the 7nm Tomahawk 4, reaching 500W"),
            quoted("bit rate", 51.2e12, "bit/s", "Overall switching throughput is 51.2Tbps")},
           "J. Byrne, TechInsights, \"Tomahawk 5 Switches At 51.2Tbps\"", 0)};
}

std::vector<Part> modules() {
  const auto module = [](std::string name, std::string what, double w, const char* words, double bits_per_s,
                         const char* rate, std::string source) {
    return part("module", std::move(name), std::move(what),
                {quoted("power", w, "W", words), quoted("bit rate", bits_per_s, "bit/s", rate)},
                std::move(source), 0);
  };
  return {
      module("nvidia-800g-module", "Two ports of 400 Gb/s, single mode, 100 m.", 17,
             "Twin-port single mode OSFP transceivers remain at 17 Watts for all configurations", 800e9,
             "800Gbps Twin-port OSFP 2x400Gb/s Single Mode 100m",
             "NVIDIA, MMS4X00-NS-T, docs.nvidia.com/networking/display/800gmms4x00nst/overview"),
      module("nvidia-400g-module", "One port of 400 Gb/s, single mode.", 9,
             "the transceiver draws 9 Watts maximum or 9 Watts typical", 400e9, "9 Watts typical | at 400 Gb/s",
             "NVIDIA, MMS4X00-NS400, docs.nvidia.com/networking/display/mms4x00ns400/overview"),
      module("nvidia-800g-multimode-module", "Two ports of 400 Gb/s, multimode, 50 m.", 15,
             "Twin-port multimode OSFP transceivers remain at 15 Watts for all configurations", 800e9,
             "Twin-port multimode OSFP transceivers | two ports of 400 Gb/s",
             "NVIDIA, MMA4Z00-NS-T, docs.nvidia.com/networking/display/800gmma4z00nst/overview")};
}

std::vector<Part> published_fibres() {
  const auto fibre = [](std::string name, double db_per_km, const char* loss, double index, const char* group,
                        std::string source, int year) {
    return part("fibre", std::move(name), "Single-mode fibre of ITU-T G.652.D; its loss is an upper bound.",
                {quoted("loss", db_per_km, "dB/km", loss), quoted("group index", index, "", group)},
                std::move(source), year);
  };
  return {
      fibre("prysmian-2020-fibre", 0.21, "Attenuation dB/km .. <= 0.21 | at 1550 nm", 1.468,
            "Effective group index .. 1.467 1.468 1.468 | the second, at 1550 nm",
            "Prysmian, BendBright A1 Single-Mode Fibre, October 2020", 2020),
      fibre("tfo-fibre", 0.21, "1550 nm <= 0.21 dB/km", 1.4675,
            "Effective Group Refractive Index .. 1550 nm 1.4675", "TFO PWP (G.652.D), maker's page", 0),
      fibre("hnk-fibre", 0.20, "1550 nm <=0.20", 1.467, "Effective Group Index of Refraction .. 1550 nm 1.467",
            "HNK, Optical Characteristics for Single Mode 9/125 um (G652D)", 0)};
}

std::vector<Part> samplers() {
  return {part(
      "analogue sampler", "zandieh-2019-sampler",
      "One of two track-and-holds in antiphase with its quantiser of 5 bits, 55 nm SiGe; the power is of both "
      "and "
      "their quantisers: an upper bound.",
      {quoted("sampling rate", 64e9, "S/s",
              "two track-and-hold amplifiers, each driving a 5-bit flash sub-ADC sampled at 64 GHz"),
       quoted("power", 1.25, "W", "The total power consumption of the ADC is 1.25 W"),
       quoted("effective bits", 4, "bit", "the effective number of bits of 4 bits up to 32-GHz input signals")},
      "A. Zandieh, P. Schvan, S. P. Voinigescu, IEEE J. Solid-State Circuits 54, 2375 (2019)", 2019)};
}

}  // namespace optinc::parts
