#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/validate/law.hpp"

namespace optinc {

// The families, one file each. A new row: a Law in its family. A new family: a file, a line here, a line in
// laws.cpp. Every row needs a mutation in tests/mutations/table.py that it fails under.
std::vector<Law> mzi_laws();       ///< rows 1 to 3: the interferometer alone
std::vector<Law> mesh_laws();      ///< rows 1, 4 and 5: perfect meshes and exact correction
std::vector<Law> error_laws();     ///< rows 8 to 12: what random errors cost a mesh
std::vector<Law> code_laws();      ///< rows 6, 7 and 14: the averaging task, its digits and its network's size
std::vector<Law> thermal_laws();   ///< row 15: heaters
std::vector<Law> combiner_laws();  ///< rows 16 and 20: unit P, link budget, homogeneity

/// Every law, by row.
std::span<const Law> laws();

/// The laws of these rows ("8") or with these words in their names ("uncorrected", in any case), each once, in
/// the order of laws(); all without words. Throws Error, naming the nearest, for a word that finds none.
std::vector<const Law*> choose_laws(const std::vector<std::string>& words);

}  // namespace optinc
