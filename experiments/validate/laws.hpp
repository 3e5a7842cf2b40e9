#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/validate/law.hpp"

namespace optinc {

// The families, one file each. A new row: a Law in its family. A new family: a file, a line here, a line in
// laws.cpp. Every row needs a mutation in tests/mutations/table.py that it fails under.
std::vector<Law> mzi_laws();        ///< rows 1 to 3: the interferometer alone
std::vector<Law> mesh_laws();       ///< rows 1, 4 and 5: perfect meshes and exact correction
std::vector<Law> error_laws();      ///< rows 8 to 12: what random errors cost a mesh
std::vector<Law> variant_laws();    ///< rows 13 and 13b: meshes of three splitters an MZI
std::vector<Law> code_laws();       ///< rows 6, 7 and 14: the averaging task, its digits and its network's size
std::vector<Law> detection_laws();  ///< rows 14 and 19: levels of unequal noise, sensitivity
std::vector<Law> thermal_laws();    ///< rows 15 and 17: a heater on its die
std::vector<Law> heater_network_laws();  ///< row 15: heaters that heat each other
std::vector<Law> ambient_laws();         ///< row 15: a heater on its die where the ambient changes
std::vector<Law> combiner_laws();        ///< rows 16 and 20: unit P, link budget, homogeneity
std::vector<Law> process_laws();         ///< row 16: random processes in time
std::vector<Law> light_laws();           ///< rows 18 and 21: amplifier, electro-optic activation
std::vector<Law> field_laws();           ///< row 22: random fields of fabrication
std::vector<Law> circuit_laws();         ///< rows 23 and 24: rings, circuits with loops

std::vector<Law> trained_laws();  ///< rows 10, 10b and 13b once more, on matrices of trained networks

/// Every law, by row.
std::span<const Law> laws();

/// The laws of these rows ("8") or with these words in their names ("uncorrected", in any case), each once, in
/// the order of laws(); all without words. Throws Error, naming the nearest, for a word that finds none.
std::vector<const Law*> choose_laws(const std::vector<std::string>& words);

/// The same for a run: a quick one without words leaves out the laws that are not for it.
std::vector<const Law*> laws_to_run(const std::vector<std::string>& words, bool quick);

}  // namespace optinc
