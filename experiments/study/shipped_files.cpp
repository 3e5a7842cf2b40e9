#include "experiments/study/shipped_files.hpp"

namespace optinc {

namespace fs = std::filesystem;

fs::path shipped_folder(std::string_view kind) {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);  // empty where there is no /proc
  if (!program.empty()) {
    fs::path beside = program.parent_path().parent_path() / "share/optinc" / kind;
    if (fs::is_directory(beside, none)) return beside;
  }
  const fs::path source = fs::path(OPTINC_SOURCE) / kind;
  return fs::is_directory(source, none) ? source : fs::path(OPTINC_INSTALLED) / kind;
}

}  // namespace optinc
