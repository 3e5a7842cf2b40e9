#include "experiments/study/model_keys.hpp"

#include <set>

#include "experiments/study/points.hpp"
#include "experiments/study/study_names.hpp"
#include "experiments/study/study_warnings.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/configs.hpp"

using namespace optinc;

namespace {

std::string sweep(const std::string& key, const std::string& values) {
  return "[[sweep]]\nvalues = {\"" + key + "\" = [" + values + "]}\n";
}

}  // namespace

// mutation: a section that no model names, or a device's cost that chip_keys() does not leave out
TEST_CASE("every key says which models read it") {
  // of what a unit costs at a symbol rate, which learning alone asks for
  const std::set<std::string> costs = {
      "laser.booster",    "laser.booster_w",       "laser.booster_efficiency", "modulator.driver_j",
      "laser.power_w",    "modulator.driver",      "modulator.v_pi_v",         "modulator.drive_capacitance_f",
      "converter.step_j", "time.clocked_receiver", "time.clocked_receiver_j"};
  for (const FieldEntry& entry : config_entries({})) {
    INFO(entry.name());
    const std::string readers = readers_text(entry.section, entry.info.key);
    CHECK(costs.contains(entry.name()) == (readers == "learning" && entry.section != "learner"));
    CHECK(readers.starts_with("none") == (entry.name() == "converter.delay_s"));
    CHECK(explain(entry.name()).find("  models:  ") != std::string::npos);
  }
  CHECK(readers_text("calibration", "policy") == "chip, waveform, tolerance, cascade, drift, comb, learning");
  CHECK(readers_text("calibration", "sigma_estimate_rad") ==
        "chip, waveform, tolerance, cascade, drift, comb, mesh, mesh_drift, learning");
  CHECK(readers_text("comb", "spacing_hz") == "comb");
  CHECK(readers_text("environment", "wavelength_m").ends_with("comb, mesh, learning"));
  CHECK(readers_text("layout", "mzi_width_m") ==
        "chip, waveform, tolerance, cascade, drift, comb, mesh, learning");
  CHECK(readers_text("drift", "instants") == "drift, mesh_drift, learning");
  CHECK(readers_text("mesh", "kind") == "mesh, mesh_drift");
  // [noise] acts otherwise in model drift, and says so
  CHECK(explain("noise.shot").find("in all variants with drift") != std::string::npos);
}

// mutation: swept_entry does not ask model_reads
TEST_CASE("a key that the model does not read cannot be swept") {
  const auto refused = [](const std::string& model, const std::string& key, const std::string& values) {
    return complaint("model = '" + model + "'\n" + sweep(key, values));
  };
  check_message(refused("chip", "mesh.kind", "'standard', 'balanced'"),
                {"s.toml:3:", "mesh.kind cannot be swept by model chip", "read by: mesh"});
  check_message(refused("mesh", "calibration.policy", "'noisy', 'none'"),
                {"calibration.policy cannot be swept by model mesh",
                 "read by: chip, waveform, tolerance, cascade, drift"});
  check_message(refused("mesh", "crosstalk.x0", "0.1, 0.2"), {"crosstalk.x0", "model mesh"});
  check_message(refused("mesh", "receiver.lo_power_w", "1e-3, 2e-3"), {"receiver.lo_power_w", "model mesh"});
  check_message(refused("chip", "drift.sine_k", "1.0, 2.0"), {"drift.sine_k", "read by: drift"});
  check_message(refusal([] {
                  parse_config("model = 'mesh'\n", "s.toml", {{}, {"noise.shot=[true,false]"}, false});
                }),
                {"--sweep noise.shot=[true,false]: ", "noise.shot cannot be swept by model mesh"});
  CHECK(refused("mesh", "calibration.sigma_estimate_rad", "0.0, 1e-3").empty());
  CHECK(refused("chip", "drift.imbalance_m", "1e-6, 1e-5").empty());  // with [environment]
  CHECK(refused("drift", "noise.shot", "true, false").empty());
}

// mutation: unread_keys compares with the file and not with the defaults, or forgets a section
TEST_CASE("a value that the model does not read is a warning, told by its key") {
  const auto lines = [](const std::string& text) { return lines_of(study_warnings(parse(text))); };
  const auto unread = lines(
      "model = 'mesh'\n[calibration]\npolicy = 'oracle'\nsigma_estimate_rad = 1e-3\n[crosstalk]\nx0 = 0.5\n"
      "[environment]\ntemperature_k = 50\n[converter]\nstep_j = 2e-13\n");
  REQUIRE(unread.size() == 3);
  CHECK(unread[0] ==
        "calibration.policy: model mesh does not read it (read by: chip, waveform, tolerance, cascade, drift, "
        "comb, learning): "
        "\"oracle\" changes nothing");
  CHECK(unread[1].starts_with("crosstalk.x0: model mesh does not read it"));
  CHECK(unread[2].starts_with("converter.step_j: model mesh does not read it"));
  CHECK(lines("[mesh]\nkind = 'balanced'\n").size() == 1);
  CHECK(lines("model = 'mesh'\n[mesh]\nkind = 'balanced'\n").empty());
  // a configuration written in full names every key, with the defaults' values
  CHECK(lines(to_toml(parse("model = 'mesh'\n"))).empty());
}

// mutation: validate_config returns early for model mesh
TEST_CASE("sections that a model does not read are held to what devices allow") {
  check_message(complaint("model = 'mesh'\n[crosstalk]\nx0 = 0.9\nknown = 1.5\n"),
                {"s.toml: crosstalk.known = 1.5", "less than 1 / x0"});
  check_message(complaint("model = 'mesh'\n[layout]\ncoupler_length_m = 9e-3\n"),
                {"s.toml: layout.coupler_length_m = 0.009", "two couplers"});
  check_message(complaint("model = 'mesh'\n[converter]\neffective_bits = 20\n"),
                {"converter.effective_bits = 20"});
}

// mutation: models that decide at the first receiver are taken to follow an owner
TEST_CASE("an owner of sums is refused where a model does not follow what it sends on") {
  const std::vector<std::string> owned = {"network.source=digit-sums", "link.destinations=1"};
  CHECK(refusal([&] { parse("model = 'chip'\n", owned); }).empty());
  for (const char* model : {"comb", "tolerance", "waveform"})
    check_message(refusal([&] { parse("model = '" + std::string(model) + "'\n", owned); }),
                  {"link.destinations", model, "chip, cascade, drift, learning"});
}

// mutation: checked_points leaves the point or the section out of the message
TEST_CASE("keys that do not go together at a point are refused with section, key and point") {
  const StudyConfig config = parse("[crosstalk]\nx0 = 0.7\n" + sweep("crosstalk.known", "0.5, 2.0"));
  check_message(refusal([&] { checked_points(config); }), {"at known = 2.0: crosstalk.known = 2", "1 / x0"});
  CHECK(checked_points(parse(sweep("chip.dac_bits", "8, 9"))).size() == 2);
  int asked = 0;
  checked_points(parse(sweep("chip.dac_bits", "8, 9")), [&] { ++asked; });
  CHECK(asked == 2);
}

// mutation: require_distinct looks at single keys and not at points, or the override is not asked
TEST_CASE("a value that a sweep has twice is refused by name") {
  check_message(complaint(sweep("chip.dac_bits", "8, 9, 8")),
                {"s.toml:1:1: chip.dac_bits = 8 is swept twice", "Leave one out"});
  check_message(refusal([] {
                  parse_config("", "s.toml", {{}, {"chip.rho_ab=[0.5,0.5]"}, false});
                }),
                {"--sweep chip.rho_ab=[0.5,0.5]: chip.rho_ab = 0.5 is swept twice"});
  check_message(complaint("[[sweep]]\nmethod = 'linear'\npoints = 4\nrange = {\"chip.dac_bits\" = [8, 10]}\n"),
                {"is swept twice"});
  // keys taken together repeat only where all of them do
  CHECK(complaint("[[sweep]]\nvalues = {\"chip.dac_bits\" = [8, 8], \"chip.rho_ab\" = [0.5, 0.6]}\n").empty());
  check_message(complaint("[[sweep]]\nvalues = {\"chip.dac_bits\" = [8, 8], \"chip.rho_ab\" = [0.5, 0.5]}\n"),
                {"chip.dac_bits = 8, chip.rho_ab = 0.5 is swept twice"});
}
