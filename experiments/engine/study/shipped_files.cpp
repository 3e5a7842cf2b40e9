#include "experiments/engine/study/shipped_files.hpp"

namespace optinc {

namespace fs = std::filesystem;

fs::path shipped_folder(std::string_view kind) {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);  // empty where there is no /proc
  if (!program.empty()) {
    fs::path beside = program.parent_path().parent_path() / "share/optinc" / kind;
    if (fs::is_directory(beside, none)) return beside;
  }
  for (const fs::path& source :
       {fs::path(OPTINC_SOURCE) / "experiments/data" / kind, fs::path(OPTINC_SOURCE) / kind})
    if (fs::is_directory(source, none)) return source;
  return fs::path(OPTINC_INSTALLED) / kind;
}

}  // namespace optinc
