#include <memory>

#include "experiments/cli/command_table.hpp"

namespace optinc {
namespace {

void add_convention(CLI::App& command, std::optional<PhaseConvention>& convention) {
  command
      .add_option_function<std::string>(
          "--convention", [&convention](const std::string& name) { convention = phase_convention(name); },
          "Sign of phase in the Touchstone file: rf, exp(-j beta L), or optics, exp(+j beta L) (default: what "
          "the "
          "file's header says, otherwise rf)")
      ->type_name("NAME");
}

void add_touchstone(CLI::App& command, LabArguments& lab) {
  command.add_option("--frequency-hz", lab.touchstone.frequency_hz,
                     "Optical frequency for Touchstone files (default: c / 1550 nm) [Hz]");
  add_convention(command, lab.touchstone.convention);
}

void add_program(CommandTable& commands) {
  const auto lab = std::make_shared<LabArguments>();
  CLI::App& program = commands.add(
      "program", "Compute the phase settings that implement a network or a unitary matrix",
      "optinc program network.h5 -o phases.csv\n"
      "  optinc program matrix.s8p -o phases.h5 --dac-bits 12\n"
      "  optinc program network.h5 -o phases.h5 --chip chip.h5     corrected for the chip's splitter errors\n"
      "  optinc program matrix.csv -o phases.csv --chip twin.csv     for those of a measured mesh\n"
      "  optinc program matrix.csv -o phases.csv --chip twin.csv --fit 0     and its losses, in phase\n"
      "  optinc program matrix.csv -o phases.csv --topology \"0-1 2-3 | 1-2 | 0-1 2-3 | 1-2 | 0-1 2-3\"",
      [lab, &commands] { return program_command(*lab, commands.options(lab->out, "phases.csv")); });
  program
      .add_option("INPUT", lab->input,
                  "Network or result file (.h5), shipped/NAME, or unitary matrix (.h5, .csv, .npy, .npz, .sNp)")
      ->required();
  program.add_option("--chip", lab->chip_file,
                     "Chip file of optinc fabricate, or, for a matrix, a measured mesh (.csv, .npy, .npz, or "
                     ".h5 of optinc twin); "
                     "the phases correct its known errors");
  program
      .add_option(
          "--topology", lab->topology,
          "Wiring of the mesh for a matrix: clements, reck, or columns of pairs of ports, to which phases "
          "are fitted (default: clements)")
      ->type_name("NAME");
  program.add_option("--dac-bits", lab->dac_bits,
                     "Quantise phases to steps of 2 pi / 2^bits; 0: no quantisation");
  program.add_flag("--nearest-unitary", lab->nearest_unitary,
                   "Replace a matrix that is not unitary by the nearest unitary matrix, its polar factor");
  program
      .add_option("--fit", lab->oscillator_rad,
                  "Fit the phases of a real matrix to the losses of the measured mesh as well, for homodyne "
                  "receivers whose oscillators are off by RAD (rms), and print what it costs in light")
      ->type_name("RAD");
  add_touchstone(program, *lab);
  add_output_of_any_format(program, lab->out);
}

void add_fabricate(CommandTable& commands) {
  const auto fab = std::make_shared<LabArguments>();
  CLI::App& fabricate = commands.add(
      "fabricate", "Draw one chip for a network and write all its fabrication errors",
      "optinc fabricate network.h5 -o chip.h5 --preset doped-heaters --chip 3\n"
      "  optinc fabricate network.h5 -o chip.h5 --set fabrication.process=wafer     a die of a wafer",
      [fab, &commands] { return fabricate_command(*fab, commands.options(fab->out, "chip.h5")); });
  fabricate.add_option("NETWORK.h5", fab->input, "Network or result file, or shipped/NAME (optinc list)")
      ->required();
  fabricate.add_option("--preset", fab->preset, "Error statistics (chip.preset; default: design-target)");
  add_settings(fabricate, fab->settings,
               "Override a value of [chip], [fabrication] or [layout]: section.key=value; repeatable");
  fabricate.add_option("--seed", fab->seed, "Seed of all random number streams")->check(whole_number());
  fabricate
      .add_option("--chip", fab->chip,
                  "Number of the chip, equal to the trial number in a study with the same seed")
      ->check(whole_number());
  add_output(fabricate, fab->out);
}

void add_transfer(CommandTable& commands) {
  const auto light = std::make_shared<LabArguments>();
  CLI::App& transfer = commands.add(
      "transfer", "Compute the transfer matrix of a mesh from its phases, ideal or on a given chip",
      "optinc transfer phases.csv -o matrix.s8p --mesh layer0/block0/mesh --chip chip.h5\n"
      "  optinc transfer phases.csv --chip measured.csv -o mesh.va     a module of Verilog-A",
      [light, &commands] { return transfer_command(*light, commands.options(light->out, "matrix.csv")); });
  transfer.add_option("PHASES", light->input, "Phase file (.h5, .csv, .npz)")->required();
  transfer.add_option("--mesh", light->mesh, "Name of the mesh (default: the only mesh in the file)");
  transfer.add_option("--chip", light->chip_file,
                      "Chip file, or measured mesh, with the errors of the mesh (default: no errors)");
  add_touchstone(transfer, *light);
  add_output_of_any_format(transfer, light->out);
}

void add_circuit(CommandTable& commands) {
  const auto asked = std::make_shared<CircuitArguments>();
  CLI::App& circuit = commands.add(
      "circuit", "Compute the scattering matrices of any circuit of devices from its netlist",
      "optinc circuit ring.yml -o ring.h5 --wavelength-m 1.54e-6 1.56e-6 --points 2001\n"
      "  optinc circuit ring.yml --wavelength-m 1.55e-6 --points 1 --set bus.eta_rad=0.3\n"
      "  optinc circuit ring.yml --light in=1e-3     currents and noise of receivers at the ports\n"
      "  optinc circuit --models     models, their ports and settings\n"
      "  optinc circuit mzi.yml --mapping gdsfactory     a layout of gdsfactory, by get_netlist()\n"
      "  optinc circuit mzi.yml -o mzi.ts     Touchstone 2; also .h5, .sNp, and .va at one wavelength\n"
      "  optinc circuit ring.yml --sweep bus.eta_rad=[0.2,0.3,0.4]\n"
      "  optinc circuit mzi.yml --mapping gdsfactory --dies 1000     on a wafer, by its layout\n"
      "A netlist, as gdsfactory and sax write them:\n"
      "  instances:\n"
      "    bus: {component: coupler, settings: {eta_rad: 0.25}}\n"
      "    turn: {component: waveguide, settings: {length_m: 60e-6}}\n"
      "    chip: {component: touchstone, settings: {file: measured.s2p}}\n"
      "  connections: {\"bus,out1\": \"turn,in0\", \"turn,out0\": \"bus,in1\", \"bus,out0\": \"chip,port1\"}\n"
      "  ports: {in: \"bus,in0\", out: \"chip,port2\"}",
      [asked, &commands] { return circuit_command(*asked, commands.typed()); });
  circuit.add_option("NETLIST.yml", asked->netlist, "Netlist in YAML, JSON, or SPICE of SiEPIC (.spi)");
  CLI::Option* const range = circuit
                                 .add_option("--wavelength-m", asked->wavelengths_m,
                                             "Wavelength, or the first and the last of a range [m]")
                                 ->type_name("M")
                                 ->expected(1, 2);
  CLI::Option* const points =
      circuit.add_option("--points", asked->points, "Number of evenly spaced wavelengths in the range")
          ->type_name("N");
  circuit
      .add_option(
          "--wavelengths", asked->wavelength_file,
          "File of wavelengths instead of a range: one per line [m], frequencies [Hz], or a measured block")
      ->type_name("FILE")
      ->excludes(range)
      ->excludes(points);
  add_settings(circuit, asked->settings,
               "Override a setting of the netlist: INSTANCE.SETTING=value, or, with --dies, of the process: "
               "fabrication.KEY=value; repeatable");
  circuit
      .add_option("--sweep", asked->sweeps,
                  "Compute the circuit for every value: INSTANCE.SETTING=[values]; repeatable, the last varies "
                  "fastest")
      ->type_name("SETTING=[X,..]");
  circuit
      .add_option(
          "--dies", asked->dies,
          "Simulate N dies of a wafer, whose process acts on the devices where they are placed; with --set "
          "fabrication.process=independent, spreads alone")
      ->type_name("N");
  circuit
      .add_option("--spread", asked->spreads,
                  "Draw a setting anew for every die: INSTANCE.SETTING=[mean, standard deviation]; repeatable")
      ->type_name("KEY=[X,SD]");
  circuit.add_option("--seed", asked->seed, "Seed of these draws")->check(whole_number());
  circuit
      .add_option(
          "--light", asked->light,
          "Optical power into a port [W]; print and store the readings of a direct receiver at every port")
      ->type_name("PORT=W");
  circuit
      .add_option("--receiver", asked->receiver,
                  "Override a setting of these receivers: KEY=X (see --models); repeatable")
      ->type_name("KEY=X");
  circuit
      .add_option(
          "--mapping", asked->mappings,
          "Mapping of a design kit's components to models: shipped (optinc list mappings) or a TOML file; "
          "repeatable, the first that knows a component counts")
      ->type_name("NAME");
  add_convention(circuit, asked->convention);
  circuit.add_flag("--absorb-unconnected", asked->absorb_unconnected,
                   "Let unconnected ports absorb light; otherwise they are errors");
  circuit.add_flag("--models", asked->models, "List the models of devices with their settings");
  circuit.add_flag("--json", asked->json, "Print one JSON object in SI units, for scripts");
  add_output_of_any_format(circuit, asked->out);
}

void add_twin(CommandTable& commands) {
  const auto asked = std::make_shared<TwinArguments>();
  CLI::App& twin = commands.add(
      "twin", "Fit the digital twin of a mesh to measured powers or fields, or plan the measurement",
      "optinc twin --plan 8 --set noise=1e-4 -o settings.h5     which phases to set\n"
      "  optinc twin measured.h5 -o twin.csv --set noise=1e-4     errors, for mesh.measured and --chip\n"
      "  optinc twin measured.h5 -o twin.h5     with ports and standard errors\n"
      "  optinc twin --keys     what --set takes\n"
      "A measurement holds theta and phi (setting, mzi) and power (setting, word, port), as h5py writes them.",
      [asked, &commands] { return twin_command(*asked, commands.typed()); });
  twin.add_option("MEASURED.h5", asked->data, "Phases and readings of a mesh (FORMAT.md, \"Digital twins\")");
  add_settings(twin, asked->settings, "Override a setting of the fit: KEY=value; repeatable");
  twin.add_option(
          "--drive-of-pi", asked->drive_of_pi,
          "Nominal heater power [W] or voltage [V] for a phase of pi, if theta and phi have these units")
      ->type_name("X");
  twin.add_option("--arm-loss-db", asked->arm_loss_db, "Loss of every arm at the start of the fit [dB]")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("DB");
  twin.add_option("--plan", asked->plan_ports, "Plan the measurement of a mesh with this many ports")
      ->type_name("PORTS");
  twin.add_option("--topology", asked->topology, "Mesh of the plan: clements or reck")->type_name("NAME");
  twin.add_option("--splitter-error-rad", asked->splitter_error_rad,
                  "RMS standard error of splitters that the plan must reach [rad]")
      ->type_name("RAD");
  twin.add_option("--seed", asked->seed, "Seed of the plan's phases")->check(whole_number());
  twin.add_flag("--keys", asked->keys, "List the settings of the fit");
  twin.add_flag("--json", asked->json, "Print one JSON object, for scripts");
  add_output_of_any_format(twin, asked->out);
}

}  // namespace

void add_chip_io_commands(CommandTable& commands) {
  add_program(commands);
  add_fabricate(commands);
  add_transfer(commands);
  add_twin(commands);
  add_circuit(commands);
}

}  // namespace optinc
