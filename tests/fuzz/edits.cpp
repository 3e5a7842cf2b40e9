// Changes sound files through HDF5 itself, as a script of somebody else's might, and reads what comes of it.
// Flipped bytes (target `files`) hardly ever get past HDF5's own headers; this gets to what stands behind them.

#include <array>
#include <vector>

#include <hdf5.h>
#include <hdf5_hl.h>

#include "experiments/files/hdf5/hdf5.hpp"

#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/support.hpp"

namespace optinc::fuzz {
namespace {

/// The files that edits begin with, of the corpus of `files`.
constexpr std::array<std::string_view, 9> bases = {"mesh.h5",   "chip.h5",     "networks.h5",
                                                   "laws.h5",   "phases.h5",   "matrix.h5",
                                                   "errors.h5", "training.h5", "target.h5"};

/// A file and the paths of its objects.
struct Base {
  std::string bytes;
  std::vector<std::string> paths;
};

Handle open_image(std::string& bytes) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), std::size_t{1} << 16, false);
  H5Pset_file_image(access.get(), bytes.data(), bytes.size());
  return {H5Fopen("edited", H5F_ACC_RDWR, access.get()), H5Fclose};
}

Base base_of(std::string_view name) {
  Base base{bytes_of(std::filesystem::path(FUZZ_CORPUS) / "files" / name), {}};
  demand(!base.bytes.empty(), "the corpus has the files that edits begin with (tests/fuzz/make_corpus)");
  const Handle file = open_image(base.bytes);
  const auto add = [](hid_t, const char* path, const H5O_info_t*, void* paths) -> herr_t {
    static_cast<std::vector<std::string>*>(paths)->emplace_back(path);
    return 0;
  };
  H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_INC, add, &base.paths, H5O_INFO_BASIC);
  return base;
}

/// A number that is likely to matter, or any.
std::int64_t odd_number(Feed& feed) {
  constexpr std::array<std::int64_t, 12> odd = {0,  1,  -1,       2,         65537,     4096,
                                                64, 32, 16777216, INT64_MAX, INT64_MIN, 4294967296};
  const std::size_t which = feed.below(odd.size() + 4);
  return which < odd.size() ? odd[which] : feed.take<std::int64_t>();
}

hid_t odd_type(Feed& feed, hid_t text) {
  const std::array<hid_t, 8> types = {H5T_IEEE_F64LE, H5T_STD_I64LE, H5T_STD_U8LE,   H5T_IEEE_F32LE,
                                      H5T_STD_I32LE,  H5T_STD_U32LE, H5T_IEEE_F64BE, text};
  return types[feed.below(types.size())];
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  return type;
}

/// In the place of a dataset another one: any shape, any type, its values unwritten but for small ones.
void replace_dataset(hid_t file, const std::string& path, Feed& feed) {
  const Handle text = text_type();
  const hid_t type = odd_type(feed, text.get());
  std::vector<hsize_t> shape(feed.below(5));
  double size = 1;
  for (hsize_t& n : shape) {
    n = feed.below(4) == 0 ? static_cast<hsize_t>(odd_number(feed)) & 0xffffffffffff : 1 + feed.below(9);
    size *= static_cast<double>(n);
  }
  H5Ldelete(file, path.c_str(), H5P_DEFAULT);
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose),
      list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (size > 10000 || feed.below(3) == 0) {  // chunks need not be there
    std::vector<hsize_t> chunk = shape;
    for (hsize_t& n : chunk) n = std::max<hsize_t>(std::min<hsize_t>(n, 1 + feed.below(9)), 1);
    if (!chunk.empty()) H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  }
  const Handle set(H5Dcreate2(file, path.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
                   H5Dclose);
  if (set.get() < 0 || size > 10000 || type == text.get()) return;
  std::vector<double> values(static_cast<std::size_t>(size) + 1);
  for (double& v : values) v = feed.empty() ? 0.5 : static_cast<double>(odd_number(feed));
  H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

/// One value of a dataset.
void poke(hid_t file, const std::string& path, Feed& feed) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (set.get() < 0) return;
  const Handle space(H5Dget_space(set.get()), H5Sclose), type(H5Dget_type(set.get()), H5Tclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count <= 0 || H5Tget_class(type.get()) == H5T_STRING) return;
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
  H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
  for (hsize_t& n : shape) n = feed.below(static_cast<std::size_t>(n));
  if (!shape.empty()) H5Sselect_elements(space.get(), H5S_SELECT_SET, 1, shape.data());
  const Handle one(H5Screate(H5S_SCALAR), H5Sclose);
  const double value = feed.below(2) == 0 ? static_cast<double>(odd_number(feed)) : feed.take<double>();
  H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, one.get(), space.get(), H5P_DEFAULT, &value);
}

std::string attribute_of(hid_t object, Feed& feed) {
  std::array<char, 64> name{};
  H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, feed.below(64), name.data(), name.size(),
                     H5P_DEFAULT);
  return name.data();
}

/// The text of an attribute with a few characters changed.
std::string changed(hid_t object, const std::string& name, Feed& feed) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose), text = text_type();
  char* old = nullptr;
  if (H5Aread(attribute.get(), text.get(), &old) < 0 || old == nullptr) return feed.text();
  std::string value = old;
  H5free_memory(old);
  const std::size_t at = feed.below(value.size() + 1);
  value.replace(at, std::min(feed.below(8), value.size() - at), feed.text());
  return value.substr(0, value.find('\0'));
}

void set_attribute(hid_t file, const std::string& path, Feed& feed) {
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose),
      text = text_type(), scalar(H5Screate(H5S_SCALAR), H5Sclose);
  const std::string name = object.get() < 0 ? "" : attribute_of(object.get(), feed);
  if (name.empty()) return;
  const std::size_t kind = feed.below(4);
  const std::string value = kind == 0 ? changed(object.get(), name, feed) : "";
  const char* pointer = value.c_str();
  const std::int64_t integer = odd_number(feed);
  const auto number = feed.below(2) == 0 ? static_cast<double>(integer) : feed.take<double>();
  H5Adelete(object.get(), name.c_str());
  if (kind == 3) return;
  const hid_t type = kind == 0 ? text.get() : kind == 1 ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  const Handle attribute(H5Acreate2(object.get(), name.c_str(), type, scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  H5Awrite(attribute.get(), type,
           kind == 0   ? static_cast<const void*>(&pointer)
           : kind == 1 ? static_cast<const void*>(&integer)
                       : &number);
}

void edit(hid_t file, const Base& base, Feed& feed) {
  const std::string path = base.paths[feed.below(base.paths.size())],
                    other = base.paths[feed.below(base.paths.size())];
  switch (feed.below(6)) {
    case 0:
      if (path != ".") H5Ldelete(file, path.c_str(), H5P_DEFAULT);
      break;
    case 1:
      if (path != ".") replace_dataset(file, path, feed);
      break;
    case 2:
      poke(file, path, feed);
      break;
    case 3:  // one thing in the place of another; a group may come to hold itself
      if (path == "." || path == other) break;
      H5Ldelete(file, path.c_str(), H5P_DEFAULT);
      H5Lcreate_hard(file, other.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
      break;
    default:
      set_attribute(file, path, feed);
  }
}

}  // namespace

void edits(Bytes program) {
  constexpr int most_edits = 8;
  static std::array<Base, bases.size()> opened;  // read when first asked for
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Feed feed(program);
  const std::size_t which = feed.below(bases.size());
  Base& base = opened[which];
  if (base.paths.empty()) base = base_of(bases[which]);
  std::string image = base.bytes;
  {
    const Handle file = open_image(image);
    for (int i = 0; i < most_edits && !feed.empty(); ++i) edit(file.get(), base, feed);
    H5Fflush(file.get(), H5F_SCOPE_GLOBAL);
    std::string edited(
        static_cast<std::size_t>(std::max<ssize_t>(H5Fget_file_image(file.get(), nullptr, 0), 0)), '\0');
    H5Fget_file_image(file.get(), edited.data(), edited.size());
    image = std::move(edited);
  }
  read_everything(written({reinterpret_cast<const std::uint8_t*>(image.data()), image.size()}, "edited.h5"));
}

}  // namespace optinc::fuzz
