// Parts in studies: what a name sets, what overrides it, and what cannot be swept.

#include "experiments/study/model_keys.hpp"
#include "experiments/study/points.hpp"
#include "experiments/study/study_config.hpp"
#include "onn/hardware/unit_parts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

StudyConfig study_of(const std::string& text, const Overrides& over = {}) {
  return parse_config(text, "s.toml", over);
}

/// A command line that sets this.
Overrides only(const std::string& setting) {
  Overrides over;
  over.settings = {setting};
  return over;
}

}  // namespace

// Fails when the part is applied after the keys that override it, or leaves a key of its section as it was
TEST_CASE("parts in studies: a part sets its section, and keys of one's own go over it in any order") {
  const StudyConfig c = study_of("[receiver]\nbandwidth_hz = 1e10\ndevice = 'zhang-2025-receiver'\n");
  CHECK(c.hardware.receiver.overload_a == 0.32e-3);
  CHECK(c.hardware.receiver.front_end.supply_power_w == 32e-3);
  CHECK(c.hardware.receiver.front_end.bandwidth_hz == 1e10);
  CHECK(c.hardware.receiver.photodiode.responsivity_a_per_w == 0.95);  // another part's
  const StudyConfig all = study_of(
      "[modulator]\ndevice = 'he-2019-modulator'\ndriver = 'zhang-2025-driver'\n[laser]\ndevice = "
      "'li-2021-laser'\n"
      "[converter]\ndevice = 'ramkaj-2018-converter'\n[splitter]\ndevice = "
      "'sakamaki-2009-y-branch'\n[coupler]\ndevice = "
      "'wan-2025-edge-coupler'\n[waveguide]\ndevice = 'vlasov-2004-strip'\n[time]\nclocked_receiver = "
      "'han-2021-wireline-receiver'\n[heater]\ndevice = 'harris-2014-heater'\n");
  for (const UnitPart& part : unit_parts(all.hardware)) CHECK(part.overridden.empty());
  CHECK(all.hardware.modulator.insertion_loss_db == 2.5);
  CHECK(all.hardware.modulator.driver_j == Approx(4.022e-12).epsilon(1e-3));
  CHECK(all.hardware.modulator.drive_capacitance_f == 0);
  CHECK(all.hardware.laser.linewidth_hz == 34.2);
  CHECK(all.hardware.routing.loss_db_per_cm == 3.6);
  CHECK(all.hardware.timing.clocked_receiver_j == Approx(2.982e-12).epsilon(1e-3));
  CHECK(all.hardware.heater.p_pi_w == 24.77e-3);
  check_message(refusal([] { study_of("[receiver]\ndevice = 'zhang-2025-reciever'\n"); }),
                {"receiver.device", "zhang-2025-receiver"});
}

// Fails when a study with overrides passes for the part itself, or is not read back as it was
TEST_CASE("parts in studies: what is overridden stands in print-config and in stored files") {
  const StudyConfig c = study_of("[receiver]\ndevice = 'zhang-2025-receiver'\noverload_a = 1e-3\n");
  for (const std::string& text : {identity_toml(c), to_toml(c, true)}) {
    CAPTURE(text.substr(text.find("[receiver]"), 200));
    CHECK(text.find("with overload_a overridden\n") != text.npos);
    CHECK(study_of(text) == c);
    CHECK(study_of(text).hardware.receiver.overload_a == 1e-3);
  }
  CHECK(identity_toml(study_of("")).find("overridden") == std::string::npos);
  CHECK(run_id(c) != run_id(study_of("[receiver]\ndevice = 'zhang-2025-receiver'\n")));
}

// Fails when a file that holds every key, as print-config writes it, undoes a part of the command line
TEST_CASE("parts in studies: a part of the command line replaces the file's values of its keys") {
  const std::string whole = to_toml(study_of("[receiver]\nlo_power_w = 2e-3\n"));
  const StudyConfig c = study_of(whole, {{"receiver.device=zhang-2025-receiver"}, {}, false});
  CHECK(c.hardware.receiver.overload_a == 0.32e-3);
  CHECK(c.hardware.receiver.lo_power_w == 2e-3);
  const StudyConfig own =
      study_of(whole, {{"receiver.device=zhang-2025-receiver", "receiver.overload_a=1e-3"}, {}, false});
  CHECK(own.hardware.receiver.overload_a == 1e-3);
}

// Fails when points of a sweep mix a part with a value of another one
TEST_CASE("parts in studies: a swept part brings all its values, and no value of one's own stands beside it") {
  const std::string sweep =
      "[[sweep]]\nvalues = {'receiver.device' = ['patel-2022-receiver', 'zhang-2025-receiver']}\n";
  const StudyConfig c = study_of(sweep);
  CHECK(config_at(c, 0).hardware.receiver.overload_a == 0.0);
  CHECK(config_at(c, 1).hardware.receiver.overload_a == 0.32e-3);
  CHECK(config_at(c, 1).hardware.receiver.front_end.bandwidth_hz == 28e9);
  CHECK(study_of(identity_toml(c)) == c);  // a stored file holds every key beside the sweep
  check_message(refusal([&] { study_of("[receiver]\nbandwidth_hz = 2e10\n" + sweep); }),
                {"s.toml: a sweep of receiver.device beside a value of receiver.bandwidth_hz",
                 "Leave receiver.bandwidth_hz out"});
  check_message(
      refusal([] {
        study_of("[heater]\npi_power_w = 0.01\n", {{}, {"heater.device=['harris-2014-heater']"}, false});
      }),
      {"heater.pi_power_w"});
  // a key that is swept beside the part goes over it, point by point
  const StudyConfig both = study_of(sweep + "[[sweep]]\nvalues = {'receiver.bandwidth_hz' = [1e10, 2e10]}\n");
  CHECK(config_at(both, 3).hardware.receiver.front_end.bandwidth_hz == 2e10);
  CHECK(config_at(both, 3).hardware.receiver.overload_a == 0.32e-3);
}

// Fails when a part's cost keys, which the user never set, are warned of as if they were the user's
TEST_CASE("parts in studies: what a part sets is no key of one's own that a model ignores") {
  const std::string receiver = "[receiver]\ndevice = 'zhang-2025-receiver'\n";
  const auto about = [](const std::string& text, std::string_view key) {
    for (const StudyWarning& w : unread_keys(study_of(text)))
      if (w.key == key) return true;
    return false;
  };
  CHECK_FALSE(about("model = 'comb'\n" + receiver, "receiver.supply_power_w"));
  CHECK_FALSE(
      about("model = 'comb'\n[modulator]\ndriver = 'zhang-2025-driver'\n", "modulator.drive_capacitance_f"));
  CHECK(
      about("model = 'comb'\n[modulator]\ndriver = 'assumed-1pj-driver'\n", "modulator.driver"));  // of budgets
  CHECK(about("model = 'comb'\n" + receiver + "supply_power_w = 0.02\n", "receiver.supply_power_w"));
}

// Fails when a set of parts is not all of its parts, or does not give way to keys of one's own
TEST_CASE(
    "sets of parts: one key brings the published parts or the idealised ones, and published are the default") {
  CHECK(study_of("") == study_of("[parts]\nset = 'published'\n"));
  const StudyConfig published = study_of("[parts]\nset = 'published'\n");
  CHECK(published.parts.set == "published");
  CHECK(published.hardware.receiver.overload_a == 0.9e-3);
  CHECK(published.hardware.link.fibre_mismatch_m == 20.0);
  for (const UnitPart& part : unit_parts(published.hardware)) CHECK(part.overridden.empty());
  const StudyConfig idealised = study_of("[parts]\nset = 'idealised'\n");
  StudyConfig before;
  before.hardware = UnitHardware();
  before.parts.set = "idealised";
  CHECK(idealised == before);
  const StudyConfig own = study_of("[receiver]\noverload_a = 1e-3\n[parts]\nset = 'idealised'\n");
  CHECK(own.hardware.receiver.overload_a == 1e-3);
  CHECK(own.hardware.modulator.driver == "assumed-1pj-driver");
  CHECK(own.parts.set == "idealised");
  CHECK(study_of("[receiver]\ndevice = 'zhang-2025-receiver'\n").parts.set == "custom");
  // a file that holds every key does not undo the command line
  CHECK(study_of(to_toml(published), only("parts.set=idealised")) == idealised);
  CHECK(study_of(to_toml(idealised), only("parts.set=published")) == published);
  CHECK(study_of(identity_toml(own)) == own);
  // a driver, which no training reads, is no key of one's own where a set names it
  CHECK(unread_keys(study_of("model = 'learning'\n[parts]\nset = 'published'\n")).empty());
}

// Fails when what an earlier version stored is taken for the parts of today
TEST_CASE("sets of parts: settings stored before there were any are the idealised ones") {
  const StudyConfig stored = parse_stored_config("[receiver]\nresponsivity_a_per_w = 0.8\n", "old.h5", 5);
  CHECK(stored.parts.set == "idealised");
  CHECK(stored.hardware.receiver.photodiode.responsivity_a_per_w == 0.8);
  CHECK(stored.hardware.modulator.v_pi_v == 4.0);
  CHECK(parse_stored_config("[parts]\nset = 'published'\n", "new.h5", 5) ==
        study_of("[parts]\nset = 'published'\n"));
}
