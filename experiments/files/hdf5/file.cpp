#include <cstddef>

#include "experiments/files/hdf5/durable_write.hpp"
#include "experiments/files/hdf5/hdf5_call.hpp"
#include "experiments/files/hdf5/seal.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
namespace {

/// The bytes of an open file.
std::vector<std::byte> image_of(hid_t file, std::string_view name) {
  succeed(H5Fflush(file, H5F_SCOPE_GLOBAL), name, "complete the file");
  std::vector<std::byte> image(
      static_cast<std::size_t>(succeed(H5Fget_file_image(file, nullptr, 0), name, "measure the file")));
  succeed(H5Fget_file_image(file, image.data(), image.size()), name, "copy the file");
  return image;
}

}  // namespace

std::string hdf5_reason() {
  std::string reason;
  const auto innermost = [](unsigned n, const H5E_error2_t* error, void* text) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &reason);
  return reason.empty() ? "no reason given" : printable(reason);
}

void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

File File::in_memory(std::string_view shown) {
  File file = create(std::filesystem::path(shown), shown);  // the core driver takes the name for a label
  file.target_.clear();
  return file;
}

std::vector<std::byte> File::bytes() const { return image_of(id_.get(), name_); }

File File::from_bytes(std::span<const std::byte> bytes, std::string_view shown) {
  silence_hdf5();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  H5Pset_fapl_core(access.get(), std::size_t{1} << 20, false);
  std::vector<std::byte> image(bytes.begin(),
                               bytes.end());  // HDF5 takes a copy, through a pointer to non-const
  succeed(H5Pset_file_image(access.get(), image.data(), image.size()), shown, "take the file's bytes");
  const hid_t id = H5Fopen(std::string(shown).c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0) throw Error(fmt::format("{}: damaged ({}). Run the study again.", shown, hdf5_reason()));
  return {{id, H5Fclose}, std::string(shown), {}};
}

File File::create(const std::filesystem::path& path, std::string_view shown) {
  silence_hdf5();
  std::string name = shown.empty() ? path.string() : std::string(shown);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), list(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  // closing the file closes what was taken from it
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  H5Pset_fapl_core(access.get(), std::size_t{1} << 20, false);
  H5Pset_link_creation_order(list.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_obj_track_times(list.get(), false);
  Handle id(succeed(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, list.get(), access.get()), name, "create the file"),
            H5Fclose);
  return {std::move(id), std::move(name), path};
}

File File::open(const std::filesystem::path& path) {
  silence_hdf5();
  std::string name = path.string();
  std::error_code none;
  validate(std::filesystem::exists(path, none), "{}: no such file (expected an HDF5 file). Check the path.",
           name);
  validate(!std::filesystem::is_directory(path, none),
           "{}: a folder (expected an HDF5 file). Name the file in it.", name);
  validate(std::filesystem::is_regular_file(path, none),
           "{}: not a plain file (an HDF5 file is read here and there). Name the file itself.", name);
  require_unbroken_seal(path);
  const htri_t hdf5 = H5Fis_hdf5(path.c_str());
  validate(hdf5 >= 0, "{}: cannot be read ({}). Check that you may read it.", name, hdf5_reason());
  validate(hdf5 > 0,
           "{}: not an HDF5 file (its first bytes are something else). Name a file that OptINC wrote.", name);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (id < 0)
    throw Error(fmt::format("{}: truncated, damaged or still being written ({}). Use a complete copy.", name,
                            hdf5_reason()));
  return {{id, H5Fclose}, std::move(name), {}};
}

Group File::root() const {
  return {{succeed(H5Gopen2(id_.get(), "/", H5P_DEFAULT), name_, "open the root group"), H5Gclose}, name_, "/"};
}

void File::close() {
  std::vector<std::byte> image;
  if (!target_.empty()) image = image_of(id_.get(), name_);
  validate(id_.close(), "{}: cannot be closed ({}). Check the file.", name_, hdf5_reason());
  if (target_.empty()) return;
  seal(image);
  const Descriptor written = write_durably(target_, image, name_);
}

}  // namespace optinc
