#include "physics/core/units.hpp"
#include "physics/devices/detail/part_lists.hpp"
#include "physics/devices/fibre_coupler.hpp"
#include "physics/devices/laser.hpp"
#include "physics/devices/modulator.hpp"
#include "physics/devices/photodiode.hpp"
#include "physics/devices/splitter_tree.hpp"
#include "physics/devices/waveguide.hpp"

namespace optinc::parts {
namespace {

constexpr const char* silent = "the abstract states none; the default";

Part optical(std::string kind, const std::string& settings, std::string name, std::string what,
             std::vector<Figure> figures, std::string source, int year) {
  const std::string preset = cpp_of(settings, kind, name);
  return {std::move(name),
          std::move(kind),
          std::move(what),
          std::move(figures),
          std::move(source),
          preset,
          year,
          ""};
}

Part on(std::string measured_on, Part part) {
  part.measured_on = std::move(measured_on);
  return part;
}

Part photodiode(std::string name, std::string what, Figure responsivity, Figure dark, std::string source,
                int year, std::vector<Figure> more = {}) {
  std::vector<Figure> figures = {std::move(responsivity), std::move(dark)};
  figures.insert(figures.end(), more.begin(), more.end());
  return optical("photodiode", "receiver", std::move(name), std::move(what), std::move(figures),
                 std::move(source), year);
}

Figure responsivity(double a_per_w, std::string quoted) {
  return read("responsivity", a_per_w, "A/W", "responsivity_a_per_w", std::move(quoted));
}
Figure dark_current(double a, std::string quoted) {
  return read("dark current", a, "A", "dark_current_a", std::move(quoted));
}
Figure default_dark_current() {
  return assumed("dark current", PhotodiodeSettings().dark_current_a, "A", "dark_current_a", silent);
}
Figure optical_bandwidth(double hz, std::string quoted) {
  return read("bandwidth", hz, "Hz", "", std::move(quoted));
}

}  // namespace

std::vector<Part> photodiodes() {
  const PhotodiodeSettings by_default;
  return {
      photodiode("typical-germanium-photodiode", "Germanium on silicon at 1550 nm; not a specific device.",
                 usual(assumed("responsivity", by_default.responsivity_a_per_w, "A/W", "responsivity_a_per_w",
                               "usual of germanium on silicon"),
                       0.6, 1.1),
                 usual(assumed("dark current", by_default.dark_current_a, "A", "dark_current_a",
                               "usual of germanium on silicon"),
                       1e-9, 200e-9),
                 "usual values, not a specific device", 0),
      photodiode("shi-2024-photodiode", "Vertical germanium photodiode with a U-shaped electrode.",
                 responsivity(0.95, "an optical responsivity of 0.95 A/W at 1550 nm"),
                 dark_current(1.3e-9, "a dark current as low as 1.3 nA"),
                 "Y. Shi et al., Photonics Res. 12, 1 (2024), doi 10.1364/PRJ.495958", 2024,
                 {optical_bandwidth(103e9, "a large bandwidth of 103 GHz")}),
      photodiode(
          "priel-2026-photodiode", "Germanium photodiode with two optical inputs, for much light; O band.",
          responsivity(0.91, "high responsivity of some 0.91 A/W (for O-band wavelengths)"),
          default_dark_current(), "I.-M. Priel et al., Micromachines 17, 386 (2026), doi 10.3390/mi17030386",
          2026, {optical_bandwidth(58e9, "large electro-optic bandwidth (EOBW) of some 58 GHz")}),
      photodiode(
          "strained-c-l-band-photodiode", "Strained germanium photodiode; the responsivity is that at 1625 nm.",
          responsivity(1.1, "high responsivity of over 1.1 A/W is achieved at 1625 nm"), default_dark_current(),
          "\"PIC-Integrable High-Responsivity Germanium Waveguide Photodetector in the C + L Band\", abstract",
          0, {optical_bandwidth(50e9, "a high 3 dB bandwidth (f3dB) of over 50 GHz can be obtained")}),
      photodiode("large-core-photodiode",
                 "Germanium on a silicon guide 3 um thick: too slow above 12 GBd; fibre coupling counted.",
                 responsivity(0.5, "0.5 A/W for TE polarization, even with fiber coupling loss included"),
                 dark_current(200e-9, "a low dark current of 0.2 uA at -0.5 V bias"),
                 "\"Vertical p-i-n germanium photodetector with high external responsivity integrated with "
                 "large core Si "
                 "waveguides\", abstract",
                 0, {optical_bandwidth(12e9, "3 dB bandwidths of 12 GHz and 8.3 GHz at -2.5 V bias")})};
}

namespace {

Part modulator(std::string name, std::string what, std::vector<Figure> figures, std::string source, int year) {
  return optical("modulator", "modulator", std::move(name), std::move(what), std::move(figures),
                 std::move(source), year);
}

/// Of electrodes 5 mm long.
Figure v_pi_of_5_mm(double v_pi_v, std::string quoted) {
  return assumed("half-wave voltage", v_pi_v, "V", "v_pi_v",
                 std::move(quoted) + "; electrodes of 5 mm assumed");
}
Figure insertion_loss(double db, std::string quoted) {
  return read("loss", db, "dB", "loss_db", std::move(quoted));
}
Figure default_insertion_loss() {
  return assumed("loss", MzmSettings().insertion_loss_db, "dB", "loss_db", silent);
}
Figure electro_optic_bandwidth(double hz, std::string quoted) {
  return read("bandwidth", hz, "Hz", "bandwidth_hz", std::move(quoted));
}

}  // namespace

std::vector<Part> modulators() {
  const MzmSettings by_default, weigel = weigel_2018_modulator(), valdez = valdez_2022_modulator();
  return {
      modulator(
          "typical-modulator", "Mach-Zehnder of silicon or thin-film lithium niobate; not a specific device.",
          {usual(assumed("half-wave voltage", by_default.v_pi_v, "V", "v_pi_v", "usual"), 1.2, 7),
           usual(assumed("loss", by_default.insertion_loss_db, "dB", "loss_db", "usual of silicon"), 0.5, 6),
           usual(assumed("bandwidth", by_default.bandwidth_hz, "Hz", "bandwidth_hz", "usual"), 20e9, 110e9)},
          "usual values, not a specific device", 0),
      modulator("weigel-2018-modulator", "Lithium niobate bonded to silicon, Mach-Zehnder; 5 mm assumed.",
                {v_pi_of_5_mm(weigel.v_pi_v, "VpiL = 6.6 V.cm"), default_insertion_loss(),
                 electro_optic_bandwidth(102e9, "achieves 102 GHz 3-dB electrical bandwidth")},
                "P. O. Weigel et al., Opt. Express 26, 23728 (2018), arXiv:1803.10365", 2018),
      modulator("he-2019-modulator", "Hybrid of silicon and lithium niobate; 5 mm assumed.",
                {v_pi_of_5_mm(4.4, "voltage-length product of 2.2 Vcm"),
                 insertion_loss(2.5, "an insertion loss of 2.5 dB"),
                 electro_optic_bandwidth(70e9, "electro-optic bandwidth of at least 70 GHz")},
                "M. He et al., Nat. Photonics (2019), doi 10.1038/s41566-019-0378-6", 2019),
      modulator(
          "low-voltage-2020-modulator",
          "Thin-film lithium niobate with structured electrodes; 1.8 dB down at 50 GHz, which is taken as its "
          "bandwidth.",
          {read("half-wave voltage", 1.3, "V", "v_pi_v", "low RF half-wave voltage of 1.3 V"),
           default_insertion_loss(),
           electro_optic_bandwidth(50e9, "maintaining electro-optic response with 1.8-dB roll-off at 50 GHz")},
          "\"Breaking voltage-bandwidth limits in integrated lithium niobate modulators using micro-structured "
          "electrodes\", arXiv:2011.13422 (2020)",
          2020),
      modulator("valdez-2022-modulator",
                "Thin-film lithium niobate on silicon, Mach-Zehnder; 5 mm and 2.5 V cm assumed.",
                {v_pi_of_5_mm(valdez.v_pi_v, "about 2-3 V.cm figure-of-merit"), default_insertion_loss(),
                 electro_optic_bandwidth(100e9, "100 GHz EO bandwidth (referenced to 1 GHz)")},
                "F. Valdez et al., arXiv:2211.05208 (2022)", 2022),
      modulator("tao-2024-modulator",
                "Packaged thin-film lithium niobate; its half-wave voltage is not in the abstract.",
                {assumed("half-wave voltage", by_default.v_pi_v, "V", "v_pi_v", silent),
                 insertion_loss(2, "low on-chip losses of < 2 dB"),
                 electro_optic_bandwidth(51.2e9, "a 3 dB electro-optical bandwidth of 51.2 GHz"),
                 read("extinction ratio", 15, "dB", "", "a high extinction ratio of 15 dB")},
                "J. Tao et al., Photonics 11, 325 (2024), doi 10.3390/photonics11040325", 2024)};
}

std::vector<Part> boosters() {
  const LaserSettings by_default;
  const auto booster = [](std::string name, std::string what, Figure output, Figure efficiency,
                          std::string source, int year) {
    return optical("booster", "laser", std::move(name), std::move(what),
                   {std::move(output), std::move(efficiency)}, std::move(source), year);
  };
  return {
      booster(
          "juodawlkis-2009-booster",
          "Packaged semiconductor amplifier with a slab-coupled guide, 13.8 dB of gain; the efficiency is its "
          "largest.",
          read("output", 0.8, "W", "booster_w", "a record 0.8-W saturation output power"),
          read("efficiency", 0.11, "", "booster_efficiency",
               "a maximum electrical-to-optical conversion efficiency of 11%"),
          "P. W. Juodawlkis et al., IEEE Photon. Technol. Lett. 21, 1208 (2009), doi 10.1109/LPT.2009.2023332",
          2009),
      booster("glhc-booster",
              "Erbium module of a maker's sheet; both are limits, so the efficiency is a lower bound.",
              read("output", 0.1122, "W", "booster_w", "Output Power Range -7 .. 20.5 dBm | in W"),
              read("efficiency", 0.0112, "", "booster_efficiency",
                   "Power consumption .. Max 10 W | over the output"),
              "GLHC Optical, C and C+ EDFA SPEC, module EX3 (OLA20/G20V)", 0),
      booster("no-booster", "None: lasers are taken to give all the light that a unit asks for.",
              assumed("output", 0, "W", "booster_w", "0: any"),
              assumed("efficiency", by_default.booster_efficiency, "", "booster_efficiency", "not used"),
              "a choice of this project", 0),
      booster("typical-fibre-booster", "Erbium-doped fibre amplifier of one watt; not a specific device.",
              usual(assumed("output", 1, "W", "booster_w", "30 dBm, usual of boosters"), 0.2, 5),
              usual(assumed("efficiency", 0.05, "", "booster_efficiency",
                            "light over electrical power, pump, its cooling and electronics included"),
                    0.02, 0.1),
              "usual values, not a specific device", 0)};
}

namespace {

Part laser(std::string name, std::string what, Figure power, Figure linewidth, std::string source, int year) {
  const LaserSettings by_default;
  return optical(
      "laser", "laser", std::move(name), std::move(what),
      {std::move(power), std::move(linewidth),
       assumed("intensity noise", by_default.rin_db_per_hz, "dB/Hz", "rin_db_per_hz", silent),
       assumed("wall-plug efficiency", by_default.wall_plug_efficiency, "", "wall_plug_efficiency", silent)},
      std::move(source), year);
}

Figure light(double w, std::string quoted) { return read("power", w, "W", "power_w", std::move(quoted)); }
Figure linewidth(double hz, std::string quoted) {
  return read("linewidth", hz, "Hz", "linewidth_hz", std::move(quoted));
}

}  // namespace

std::vector<Part> lasers() {
  const LaserSettings by_default;
  Part typical = laser(
      "typical-dfb-laser", "Distributed-feedback laser of transceivers at 1550 nm; not a specific device.",
      usual(assumed("power", by_default.power_w, "W", "power_w", "usual"), 10e-3, 100e-3),
      usual(assumed("linewidth", by_default.linewidth_hz, "Hz", "linewidth_hz", "usual"), 10e3, 5e6),
      "usual values, not a specific device", 0);
  typical.figures[2] = usual(typical.figures[2], -160, -140);
  typical.figures[3] = usual(typical.figures[3], 0.05, 0.3);
  return {
      std::move(typical),
      laser("van-rees-2019-laser",
            "Hybrid of an indium phosphide amplifier and a silicon nitride cavity, around 1540 nm.",
            light(24e-3, "a maximum output of 24 mW"),
            linewidth(2.2e3, "lowest intrinsic linewidth of 2.2 kHz"),
            "A. van Rees et al., arXiv:1912.09455 (2019)", 2019),
      laser("li-2021-laser",
            "Distributed-feedback laser locked to a silicon nitride ring; the power is in the fibre.",
            light(14.8e-3, "a high fiber-coupled output power of 11.7 dBm | in W"),
            linewidth(34.2, "a low intrinsic linewidth of 34.2 Hz"),
            "J. Li et al., Photonics Res. 9, 558 (2021), doi 10.1364/PRJ.412284", 2021),
      laser(
          "piezo-2024-laser",
          "Hybrid integrated laser on silicon nitride; its line is 3 Hz where white, 4.3 kHz with slow wander.",
          light(30e-3, "an output power of 30 mW"),
          linewidth(3, "an integrated linewidth of 4.3 kHz and an intrinsic linewidth of 3 Hz"),
          "\"Monolithic piezoelectrically tunable hybrid integrated laser with sub-fiber laser coherence\", "
          "arXiv:2411.19264 (2024)",
          2024),
      laser("wire-bond-2021-laser",
            "External-cavity laser joined by photonic wire bonds; its power was not read.",
            assumed("power", by_default.power_w, "W", "power_w", silent),
            linewidth(105e3, "an instantaneous linewidth of .. 105 kHz is extracted"),
            "\"Hybrid external-cavity lasers (ECL) using photonic wire bonds as coupling elements\", Sci. Rep. "
            "(2021), doi "
            "10.1038/s41598-021-95981-w",
            2021)};
}

namespace {

Part coupler(std::string name, std::string what, Figure loss, std::string source, int year,
             std::vector<Figure> more = {}) {
  more.insert(more.begin(), std::move(loss));
  return optical("fibre coupler", "coupler", std::move(name), std::move(what), std::move(more),
                 std::move(source), year);
}
Figure loss(double db, std::string quoted) { return read("loss", db, "dB", "loss_db", std::move(quoted)); }
Figure one_db_band(double m, std::string quoted) {
  return read("1-dB bandwidth", m, "m", "", std::move(quoted));
}

}  // namespace

std::vector<Part> fibre_couplers() {
  const FibreCoupler edge = typical_edge_coupler(), grating = typical_grating_coupler();
  return {
      coupler("typical-edge-coupler", "Facet coupler, flat in wavelength; not a specific device.",
              usual(assumed("loss", edge.loss_db, "dB", "loss_db", "usual"), 1, 2),
              "usual values, not a specific device", 0),
      coupler("typical-grating-coupler",
              "Grating coupler with a Gaussian band, of which a unit sees the middle; not a specific device.",
              usual(assumed("loss", grating.loss_db, "dB", "loss_db", "usual"), 3, 5),
              "usual values, not a specific device", 0,
              {assumed("1-dB bandwidth", grating.one_db_bandwidth_m, "m", "", "usual")}),
      coupler("wan-2025-edge-coupler", "Facet coupler of two layers and two tips for a lensed fibre; O band.",
              loss(1.52, "coupling losses of < 1.52 dB/facet for TE mode .. 1260 to 1360 nm"),
              "Y. Wan, Y. Zhang, J. Wang, Adv. Photon. Nexus 4, 026004 (2025), doi 10.1117/1.APN.4.2.026004",
              2025),
      coupler(
          "duv-inverse-grating-coupler", "Inversely designed grating of one etch, 248 nm lithography.",
          loss(2.77,
               "the GC with 180 nm MFS fabricated using 248 nm deep ultraviolet (DUV) lithography is -2.77 dB"),
          "adjoint-based inverse design of a grating coupler at 1550 nm, abstract (researching.cn "
          "OJ2fa8b7bc6b9a6673)",
          0),
      coupler("vertical-grating-coupler",
              "Grating for light at normal incidence from a commercial foundry: the best of its kind.",
              loss(0.69, "maximum coupling efficiency of 85.4 % (-0.69 dB)"),
              "\"Three-Wave Interaction Grating Coupler with Sub-Decibel Insertion Loss at Normal Incidence\", "
              "arXiv:2506.19242 "
              "(2025)",
              2025, {one_db_band(20e-9, "a 1 dB bandwidth of 20 nm at a central wavelength of 1546 nm")}),
      coupler("zhou-2024-grating-coupler",
              "Two-dimensional grating for both polarisations, 193 nm lithography.",
              loss(2.54, "An experimental peak coupling efficiency of -2.54 dB"),
              "W. Zhou, Y. Tong, arXiv:2407.14432 (2024)", 2024),
      coupler("taillaert-2006-grating-coupler", "Plain grating on standard wafers.",
              loss(5.2, ">30% coupling efficiency | 10 log10(1/0.3)"),
              "D. Taillaert et al., Jpn. J. Appl. Phys. 45, 6071 (2006)", 2006,
              {one_db_band(40e-9, "with a 1 dB bandwidth of 40 nm on standard wafers")})};
}

std::vector<Part> splitters() {
  const auto splitter = [](std::string name, std::string what, Figure excess, std::string source, int year,
                           std::vector<Figure> more = {}) {
    more.insert(more.begin(), std::move(excess));
    return optical("splitter", "splitter", std::move(name), std::move(what), std::move(more), std::move(source),
                   year);
  };
  const SplitterTree tree = zhang_2013_y_branch_tree(2);
  const auto excess = [](double db, std::string quoted) {
    return read("excess loss per stage", db, "dB", "loss_db", std::move(quoted));
  };
  return {
      on("an 8-inch wafer",
         splitter("zhang-2013-y-branch",
                  "Y-branch, the stage of a 1:K splitter tree. The imbalance is assumed.",
                  excess(tree.stage_excess_loss_db,
                         "Measured average insertion loss is 0.28 +- 0.02 dB, uniform across an 8-inch wafer"),
                  "Y. Zhang et al., Opt. Express 21, 1310 (2013)", 2013,
                  {assumed("spread of the imbalance", tree.stage_imbalance_db, "dB", "",
                           "the abstract states none")})),
      on("nine chips", splitter("adiabatic-2023-splitter",
                                "Adiabatic splitter from a foundry; the loss is an upper bound over 100 nm.",
                                excess(0.7,
                                       "excess losses less than 0.7 dB over a 100 nm bandwidth, with a "
                                       "standard deviation lower than 0.3 dB"),
                                "\"Foundry-processed Compact and Broadband Adiabatic Optical Power "
                                "Splitters\", preprints 202310.1199 "
                                "(2023)",
                                2023)),
      splitter(
          "sakamaki-2009-y-branch", "Y-branch in silica, by wavefront matching; an upper bound.",
          excess(0.2, "a low excess loss of less than 0.2 dB over a wide wavelength range of 1250 to 1650 nm"),
          "Y. Sakamaki et al., J. Lightwave Technol. 27, 1128 (2009)", 2009),
      on("one die", splitter("openebl-2024-y-branch", "Y-branch of an electron-beam run.",
                             measured("excess loss per stage", 0.23, "dB", "loss_db",
                                      "from chains of Y-branches of one die; 0.7 dB residual of 112"),
                             "openEBL 2024-10", 2024)),
      splitter("typical-y-branch", "1:2 splitter of silicon; not a specific device.",
               usual(assumed("excess loss per stage", 0.25, "dB", "loss_db", "amid the parts of this kind"),
                     0.1, 0.7),
               "range of the parts above", 0)};
}

std::vector<Part> waveguides() {
  constexpr double wavelength_m = 1550e-9;
  const auto guide = [](std::string name, std::string what, Figure loss, std::string source, int year,
                        std::vector<Figure> more = {}) {
    more.insert(more.begin(), std::move(loss));
    return optical("waveguide", "routing", std::move(name), std::move(what), std::move(more), std::move(source),
                   year);
  };
  const auto propagation = [](double db_per_cm, std::string quoted) {
    return read("loss", db_per_cm, "dB/cm", "loss_db_per_cm", std::move(quoted));
  };
  const Waveguide g = soi_strip_500x220(1e-3);
  const auto fitted = [](std::string name, double value, std::string unit) {
    Figure f = assumed(std::move(name), value, std::move(unit), "",
                       "mode-solver fit of a course report, authorea 454099");
    f.known = Known::memory;
    return f;
  };
  Part strip = guide(
      "soi-strip-500x220",
      "Silicon strip 500 nm x 220 nm in oxide, TE; its loss is that of no specific device.",
      usual(assumed("loss", g.loss_db_per_cm, "dB/cm", "loss_db_per_cm", "usual, wide rib to strip"), 0.1, 3),
      "mode-solver fit of a course report, authorea 454099; loss: usual value", 0,
      {fitted("effective index", effective_index(g.index, wavelength_m), ""),
       fitted("group index", group_index(g.index, wavelength_m), ""),
       fitted("delay of 1 mm", waveguide_delay_s(g, wavelength_m), "s"),
       assumed("loss of a 90-degree bend", g.bend_loss_db, "dB", "", "usual"),
       fitted("phase of 1 mm and 1 K", waveguide_phase_slope_rad_per_k(g, wavelength_m), "rad")});
  strip.preset = "soi_strip_500x220(length_m)";
  return {
      std::move(strip),
      guide("vlasov-2004-strip", "Strip of submicron size on a 200 mm line: the least of its time.",
            propagation(3.6, "minimal propagation losses of 3.6 +- 0.1 dB/cm for the TE polarization"),
            "Y. A. Vlasov, S. J. McNab, Opt. Express 12, 1622 (2004)", 2004,
            {read("loss of a 90-degree bend", 0.013, "dB", "",
                  "as low as 0.013 +- 0.005 dB for a bend radius of 2 um")}),
      guide("selvaraja-2014-strip",
            "Strip by 193 nm immersion lithography, 300 mm wafers; the year is from memory.",
            propagation(0.7,
                        "optical propagation loss as low as some 0.7 dB/cm is achieved for high-confinement"),
            "S. K. Selvaraja et al., \"193nm immersion lithography for high performance silicon photonic "
            "circuits\", abstract",
            0),
      guide(
          "macrochip-rib", "Shallow guide in 300 nm of silicon, as long as a metre.",
          propagation(0.026, "optical waveguides up to one meter long with 0.026 dB/cm loss"),
          "\"Ultralow-loss, high-density SOI optical waveguide routing for macrochip interconnects\", abstract",
          0),
      on("one die", guide("openebl-2024-strip", "Strip 500 nm x 220 nm of an electron-beam run.",
                          measured("loss", 1.23, "dB/cm", "loss_db_per_cm",
                                   "cut-back of straight guides, three points, residual 0.04 dB"),
                          "openEBL 2024-10", 2024,
                          {measured("group index", 4.178, "", "",
                                    "280 interferometers of one die, robust spread 0.0036")}))};
}

}  // namespace optinc::parts
