#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "physics/core/check.hpp"
#include "physics/core/field.hpp"

namespace optinc {

/// A port of an instance.
struct InstancePort {
  std::string instance, port;
  auto operator<=>(const InstancePort&) const = default;
};

/// An error that concerns one port of a netlist.
struct PortError : Error {
  /// An error with this message.
  PortError(InstancePort of, const std::string& text) : Error(text), port(std::move(of)) {}
  InstancePort port;  ///< of the netlist
};

/// Which devices a circuit has, and which of their ports face each other.
struct Netlist {
  /// A device: its name in the circuit, and the names of its ports in the order of its scattering matrix.
  struct Instance {
    std::string name;
    std::vector<std::string> ports;
  };
  std::vector<Instance> instances;
  std::vector<std::pair<InstancePort, InstancePort>> connections;
  std::vector<std::pair<std::string, InstancePort>>
      ports;                        ///< of the circuit: name, and the port it stands for
  bool absorb_unconnected = false;  ///< ports that nothing faces absorb light; else they are an error
};

/// A linear circuit of devices that scatter light, with reflections. Light leaves a device by b = S a, a the
/// fields that enter its ports; what leaves a port enters the port that it faces. The wanted S of the circuit's
/// own ports (e) solves, for the ports inside (i) and the permutation C of those that face each other,
///   S = S_ee + S_ei (C - S_ii)^-1 S_ie   (Filipsson, IEEE Trans. Microw. Theory Tech. 29, 1075 (1981)).
/// The equations are solved in the order in which light travels: fields outside loops one by one, those of a
/// loop together. Without reflections and rings, this is one pass through the devices.
///
/// A loop with a device that amplifies may have no steady state. It is stable where the eigenvalues of its
/// round trip stay below 1 at every wavelength (Nyquist: no locus can turn about 1); a loop that reaches 1 at a
/// wavelength is refused, whatever its phase there. Only the requested wavelengths are checked: include the
/// peak of every amplifier. Loops of more than 1000 fields with an amplifier are solved if light dies out in
/// them for any phase, and refused otherwise.
class Circuit {
 public:
  /// Throws PortError for duplicate or unknown names, a port that faces two others, and one that faces none;
  /// Error for names that are used twice and a circuit without ports.
  explicit Circuit(Netlist netlist);

  /// How many ports it has.
  std::size_t ports() const { return outer_.size(); }

  /// Scattering at some wavelengths (ports^2, wavelengths), each column an S (ports, ports) in column order,
  /// from those of the instances: as many columns each, (ports^2, wavelengths). Bits do not depend on the
  /// threads. Throws Error for other shapes, for values that are not finite, and, naming its instances, for a
  /// loop in resonance that loses no light and for one whose gain makes up for its loss.
  Matrix scattering(std::span<const Matrix> of_instances) const;

  /// Fields that enter the ports `at` of instances for a field of 1 into each of the circuit's ports: each
  /// column (places, ports) in column order. A port that is one of the circuit's own is entered by what enters
  /// that. Throws as scattering does, and PortError for a port that no instance has.
  Matrix fields(std::span<const Matrix> of_instances, std::span<const InstancePort> at) const;

  /// Emission of the circuit itself at its ports: correlations <b_i b_j*> of the waves that leave ports i and
  /// j, W/Hz, each column Hermitian (ports, ports); the diagonal is power. From the correlations C_k that each
  /// instance would emit without reflections around it (ports^2, wavelengths; without elements: it emits
  /// nothing) and the transfer T_k of its ports to those of the circuit, through every reflection:
  ///   C = sum_k T_k C_k T_k^H,
  /// instances independent of each other (S. W. Wedge, D. B. Rutledge, IEEE Trans. Microw. Theory Tech. 40,
  /// 2004 (1992)). Throws as scattering does, and for C_k that are not finite or not Hermitian.
  Matrix emission(std::span<const Matrix> of_instances, std::span<const Matrix> emitted) const;

 private:
  /// Fields that leave the circuit's ports for one into each of them and then for one out of each of
  /// `emitters`, numbers among all ports: (ports, ports + emitters) in each column.
  Matrix transfer(std::span<const Matrix> of_instances, std::span<const std::size_t> emitters) const;

  std::size_t number_of(const InstancePort& port) const;

  Netlist netlist_;
  std::vector<std::size_t> first_port_;   ///< of each instance among all ports, and their count
  std::vector<std::ptrdiff_t> facing_;    ///< port that faces each port, -1: none
  std::vector<std::size_t> outer_;        ///< port that each of the circuit's ports stands for
  std::vector<std::size_t> instance_of_;  ///< of each port
};

}  // namespace optinc
