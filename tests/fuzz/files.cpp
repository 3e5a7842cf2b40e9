#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {

void files(Bytes bytes) { read_everything(written(bytes, "file.h5")); }

}  // namespace optinc::fuzz
