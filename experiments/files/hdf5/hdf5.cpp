#include "experiments/files/hdf5/hdf5.hpp"

#include <algorithm>
#include <numeric>

#include <hdf5_hl.h>

#include "experiments/files/hdf5/hdf5_call.hpp"

namespace optinc {
namespace {

/// The type of T in memory, and in the file (little-endian numbers, the same everywhere).
template <class T>
Handle type_of() {
  if constexpr (std::is_same_v<T, std::string>) return string_type();
  hid_t type = H5T_IEEE_F64LE;
  if constexpr (std::is_same_v<T, float>) type = H5T_IEEE_F32LE;
  if constexpr (std::is_same_v<T, std::int32_t>) type = H5T_STD_I32LE;
  if constexpr (std::is_same_v<T, std::int64_t>) type = H5T_STD_I64LE;
  if constexpr (std::is_same_v<T, std::uint8_t>) type = H5T_STD_U8LE;
  if constexpr (std::is_same_v<T, std::uint32_t>) type = H5T_STD_U32LE;
  return {H5Tcopy(type), H5Tclose};
}

template <class T>
Handle memory_type() {
  if constexpr (std::is_same_v<T, std::string>) return string_type();
  return {H5Tget_native_type(type_of<T>().get(), H5T_DIR_ASCEND), H5Tclose};
}

template <class T>
std::string_view type_name() {
  if constexpr (std::is_same_v<T, std::string>) return "variable-length strings";
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "uint8";
  return "uint32";
}

/// Whether stored values are of type T, in whatever byte order.
template <class T>
bool holds(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  if constexpr (std::is_same_v<T, std::string>) return H5Tis_variable_str(type.get()) > 0;
  const Handle wanted = type_of<T>();
  return H5Tget_class(type.get()) == H5Tget_class(wanted.get()) &&
         H5Tget_size(type.get()) == H5Tget_size(wanted.get()) &&
         (std::is_floating_point_v<T> || H5Tget_sign(type.get()) == H5Tget_sign(wanted.get()));
}

std::vector<std::size_t> shape_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> extent(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.get()), 0)));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  return {extent.begin(), extent.end()};
}

std::size_t product(std::span<const std::size_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::string shape_text(std::span<const std::size_t> shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

/// Throws Error unless the file can hold so many values: what a damaged header claims is not made room for.
/// Deflate packs a thousand bytes into one at best; what was never written takes no room in a file, so a little
/// may be missing.
void require_held(hid_t dataset, std::span<const std::size_t> shape, std::string_view where) {
  constexpr double best_packing = 1040, unwritten = 1 << 20, largest_chunk = 1 << 28;
  const Handle type(H5Dget_type(dataset), H5Tclose), list(H5Dget_create_plist(dataset), H5Pclose);
  const auto bytes = [&](auto extent) {
    return std::accumulate(extent.begin(), extent.end(), static_cast<double>(H5Tget_size(type.get())),
                           [](double product, auto size) { return product * static_cast<double>(size); });
  };
  const double claimed = bytes(shape), stored = static_cast<double>(H5Dget_storage_size(dataset));
  validate(claimed <= best_packing * stored + unwritten,
           "{}: shape {} claims {:.3g} bytes where the file has {:.3g} (damaged). Use another copy.", where,
           shape_text(shape), claimed, stored);
  if (H5Pget_layout(list.get()) != H5D_CHUNKED) return;
  std::vector<hsize_t> chunk(shape.size());
  H5Pget_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  validate(bytes(chunk) <= largest_chunk,
           "{}: chunks of ({}) values (at most 256 MiB each). Store it in smaller ones.", where,
           fmt::join(chunk, ", "));
}

/// Throws Error where strings are longer together than the file, which holds each once.
void require_short(hid_t dataset, std::string_view where) {
  const Handle space(H5Dget_space(dataset), H5Sclose), file(H5Iget_file_id(dataset), H5Fclose);
  hsize_t characters = 0, bytes = 0;
  succeed(H5Dvlen_get_buf_size(dataset, string_type().get(), space.get(), &characters), where,
          "measure the strings");
  succeed(H5Fget_filesize(file.get(), &bytes), where, "measure the file");
  validate(characters <= bytes, "{}: strings of {} bytes in a file of {} (damaged). Use another copy.", where,
           characters, bytes);
}

/// Compressed in chunks when there is enough to compress; contiguous otherwise, for chunks cost more than they
/// save.
Handle layout(std::span<const std::size_t> shape, std::size_t value_size) {
  constexpr std::size_t worth_it = 4096, chunk_bytes = std::size_t{1} << 20;
  Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(list.get(), false);  // equal runs, equal bytes
  if (shape.empty() || product(shape) * value_size <= worth_it) return list;
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  std::size_t bytes = product(shape) * value_size;
  for (std::size_t d = 0; d < chunk.size() && bytes > chunk_bytes; ++d) {  // whole rows stay together
    bytes /= chunk[d];
    chunk[d] = std::clamp<hsize_t>(chunk_bytes / std::max<std::size_t>(bytes, 1), 1, chunk[d]);
    bytes *= chunk[d];
  }
  H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(list.get());
  H5Pset_deflate(list.get(), 1);
  return list;
}

/// A number as it is, a string as a pointer to it: what H5Dwrite takes.
template <class T>
herr_t write_values(hid_t dataset, std::span<const T> values) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::vector<const char*> pointers;
    for (const auto& value : values) pointers.push_back(value.c_str());
    return H5Dwrite(dataset, string_type().get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
  } else {
    return H5Dwrite(dataset, memory_type<T>().get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
}

template <class T>
herr_t read_values(hid_t dataset, std::vector<T>& values) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::vector<char*> pointers(values.size(), nullptr);
    const herr_t result = H5Dread(dataset, string_type().get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (pointers[i] != nullptr) values[i] = pointers[i];
      H5free_memory(pointers[i]);
    }
    return result;
  } else {
    return H5Dread(dataset, memory_type<T>().get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
}

/// Throws Error for a link of any kind but those by which a file holds its own objects. HDF5 would follow the
/// others, to files that no seal covers and to pipes that nobody writes to.
void require_own(hid_t group, const std::string& name, std::string_view where) {
  H5L_info_t link;
  succeed(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), where, "look at the link");
  validate(
      link.type == H5L_TYPE_HARD,
      "{}: a link to elsewhere (a file must hold its own data: FORMAT.md, \"Links\"). Store the data itself.",
      where);
}

/// The same for a dataset whose values lie in other files or datasets.
void require_own_values(hid_t dataset, std::string_view where) {
  const Handle list(H5Dget_create_plist(dataset), H5Pclose);
  validate(H5Pget_layout(list.get()) != H5D_VIRTUAL && H5Pget_external_count(list.get()) == 0,
           "{}: a dataset whose values lie elsewhere (virtual, or in an external file; a file must hold its "
           "own data: FORMAT.md, \"Links\"). Store the values themselves.",
           where);
}

/// What to say of an object that is not there. What is there instead is not listed: HDF5 1.10.8 crashes over
/// the links of some damaged groups (H5Literate releases a table of them that it has not filled).
Error missing(const Group& group, std::string_view name, std::string_view expected) {
  return Error(
      fmt::format("{}: missing (expected {}). h5ls -r shows what is there.", group.where(name), expected));
}

void check_unit(std::string_view where, std::string_view unit, std::string_view long_name) {
  static constexpr std::string_view dates[] = {"days",         "hours",        "minutes",    "seconds",
                                               "milliseconds", "microseconds", "nanoseconds"};
  validate(!unit.empty() && !long_name.empty(),
           "{}: unit or long name is empty (every dataset tells both). Give them.", where);
  validate(std::find(std::begin(dates), std::end(dates), unit) == std::end(dates),
           "{}: unit \"{}\" (xarray turns it into dates). Write the symbol: s, ms, us, ns.", where, unit);
}

}  // namespace

std::string Group::path(std::string_view name) const {
  if (name.empty() || name == ".") return path_;
  if (name.starts_with('/')) return std::string(name);
  return (path_ == "/" ? "/" : path_ + "/") + std::string(name);
}

std::string Group::where(std::string_view name) const { return fmt::format("{}: {}", file_, path(name)); }

Group Group::group(std::string_view name) const {
  if (exists(name)) return open(name);
  const Handle between(H5Pcreate(H5P_LINK_CREATE), H5Pclose), list(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(between.get(), 1);
  H5Pset_link_creation_order(list.get(),
                             H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);  // netCDF-4 lists by it
  H5Pset_obj_track_times(list.get(), false);
  return {{succeed(H5Gcreate2(id_.get(), std::string(name).c_str(), between.get(), list.get(), H5P_DEFAULT),
                   where(name), "create the group"),
           H5Gclose},
          file_,
          path(name)};
}

template <Stored T>
Handle Group::write(std::string_view name, std::span<const std::size_t> shape, std::span<const T> values,
                    std::string_view unit, std::string_view long_name) const {
  const std::string at = where(name);
  check_unit(at, unit, long_name);
  validate(!exists(name), "{}: there already (a dataset is written once). Choose another name.", at);
  validate(values.size() == product(shape),
           "{}: {} values for shape {} (expected {}). Give one value per element.", at, values.size(),
           shape_text(shape), product(shape));
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const Handle space(shape.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                     H5Sclose);
  const Handle list = layout(shape, H5Tget_size(type_of<T>().get()));
  Handle dataset(succeed(H5Dcreate2(id_.get(), std::string(name).c_str(), type_of<T>().get(), space.get(),
                                    H5P_DEFAULT, list.get(), H5P_DEFAULT),
                         at, "create the dataset"),
                 H5Dclose);
  succeed(write_values(dataset.get(), values), at, "write the dataset");
  attributes(name).set("units", unit);
  attributes(name).set("long_name", long_name);
  return dataset;
}

template <Stored T>
void Group::dimension(std::string_view name, std::span<const T> values, std::string_view unit,
                      std::string_view long_name) const {
  validate(
      !values.empty() && name.find('/') == name.npos,
      "{}: {} values (a dimension lies in its own group and has at least one). Give values and a plain name.",
      where(name), values.size());
  const std::size_t size = values.size();
  const Handle dataset = write(name, std::span(&size, 1), values, unit, long_name);
  succeed(H5DSset_scale(dataset.get(), std::string(name).c_str()), where(name), "make it a dimension");
}

void Group::counting_dimension(std::string_view name, std::size_t size, std::string_view long_name) const {
  std::vector<std::int64_t> values(size);
  std::iota(values.begin(), values.end(), std::int64_t{0});
  dimension(name, values, "1", long_name);
}

Handle Group::find_dimension(std::string_view name, std::string_view dataset) const {
  for (std::string at = path_;; at.erase(std::max<std::size_t>(at.rfind('/'), 1))) {
    const std::string candidate = (at == "/" ? "/" : at + "/") + std::string(name);
    if (H5Lexists(id_.get(), candidate.c_str(), H5P_DEFAULT) > 0) {
      Handle scale(H5Dopen2(id_.get(), candidate.c_str(), H5P_DEFAULT), H5Dclose);
      if (scale.get() >= 0 && H5DSis_scale(scale.get()) > 0) return scale;
    }
    if (at == "/") break;
  }
  throw Error(fmt::format("{}: dimension {} is missing (neither in this group nor above it). Write it first.",
                          where(dataset), name));
}

template <Stored T>
void Group::dataset(std::string_view name, std::span<const std::string_view> dimensions,
                    std::span<const T> values, std::string_view unit, std::string_view long_name) const {
  std::vector<Handle> scales;
  std::vector<std::size_t> shape;
  for (const std::string_view dimension : dimensions) {
    scales.push_back(find_dimension(dimension, name));
    shape.push_back(product(shape_of(scales.back().get())));
  }
  const Handle dataset = write(name, shape, values, unit, long_name);
  for (unsigned axis = 0; axis < scales.size(); ++axis)
    succeed(H5DSattach_scale(dataset.get(), scales[axis].get(), axis), where(name), "attach its dimensions");
}

bool Group::exists(std::string_view name) const {
  // H5Lexists wants every group on the way to exist
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part(name.substr(0, end));
    if (H5Lexists(id_.get(), part.c_str(), H5P_DEFAULT) <= 0) return part == "/";
    if (part != "/") require_own(id_.get(), part, where(part));
    if (end == name.npos) return true;
  }
}

Group Group::open(std::string_view name) const {
  Handle id(exists(name) ? H5Gopen2(id_.get(), std::string(name).c_str(), H5P_DEFAULT) : -1, H5Gclose);
  if (id.get() < 0) throw missing(*this, name, "a group");
  return {std::move(id), file_, path(name)};
}

Handle Group::open_dataset(std::string_view name) const {
  Handle id(exists(name) ? H5Dopen2(id_.get(), std::string(name).c_str(), H5P_DEFAULT) : -1, H5Dclose);
  if (id.get() < 0) throw missing(*this, name, "a dataset");
  require_own_values(id.get(), where(name));
  return id;
}

std::vector<std::size_t> Group::shape(std::string_view name) const {
  return shape_of(open_dataset(name).get());
}

template <Stored T>
Array<T> Group::read(std::string_view name) const {
  const Handle dataset = open_dataset(name);
  validate(holds<T>(dataset.get()), "{}: wrong type (expected {}). Give a file that OptINC wrote.", where(name),
           type_name<T>());
  Array<T> array{{}, shape_of(dataset.get())};
  require_held(dataset.get(), array.shape, where(name));
  if constexpr (std::is_same_v<T, std::string>) require_short(dataset.get(), where(name));
  array.values.resize(product(array.shape));
  succeed(read_values(dataset.get(), array.values), where(name), "read the dataset");
  return array;
}

template <Stored T>
std::vector<T> Group::read(std::string_view name, std::initializer_list<std::size_t> shape) const {
  const std::vector<std::size_t> found = this->shape(name);
  validate(std::equal(found.begin(), found.end(), shape.begin(), shape.end()),
           "{}: shape {} (expected {}). Give a file that OptINC wrote.", where(name), shape_text(found),
           shape_text({shape.begin(), shape.size()}));
  return read<T>(name).values;
}

ComplexArray Group::read_complex(std::string_view name) const {
  const Handle dataset = open_dataset(name), type(H5Dget_type(dataset.get()), H5Tclose);
  const auto is_real = [](hid_t of) {
    return H5Tget_class(of) == H5T_FLOAT || H5Tget_class(of) == H5T_INTEGER;
  };
  bool is_pair = H5Tget_class(type.get()) == H5T_COMPOUND && H5Tget_nmembers(type.get()) == 2;
  const Handle pair(H5Tcreate(H5T_COMPOUND, sizeof(std::complex<double>)), H5Tclose);
  for (unsigned part = 0; is_pair && part < 2; ++part) {
    char* const member = H5Tget_member_name(type.get(), part);
    const Handle of_member(H5Tget_member_type(type.get(), part), H5Tclose);
    is_pair = is_real(of_member.get()) &&
              H5Tinsert(pair.get(), member, part * sizeof(double), H5T_NATIVE_DOUBLE) >= 0;
    H5free_memory(member);
  }
  validate(is_pair || is_real(type.get()),
           "{}: wrong type (expected float64 [re, im] on the last axis, or complex128 of h5py). Store numbers.",
           where(name));
  ComplexArray array{{}, shape_of(dataset.get())};
  require_held(dataset.get(), array.shape, where(name));
  if (is_pair) {
    array.values.resize(product(array.shape));
    succeed(H5Dread(dataset.get(), pair.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()), where(name),
            "read the dataset");
    return array;
  }
  std::vector<double> reals(product(array.shape));
  succeed(read_values(dataset.get(), reals), where(name), "read the dataset");
  if (array.shape.size() != 3 || array.shape.back() != 2) {
    array.values.assign(reals.begin(), reals.end());
    return array;
  }
  array.shape.pop_back();
  for (std::size_t i = 0; i < reals.size(); i += 2) array.values.emplace_back(reals[i], reals[i + 1]);
  return array;
}

std::vector<std::string> Group::children() const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  succeed(H5Literate(id_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), where(), "list the group");
  return names;
}

Attributes Group::attributes() const {
  return {{succeed(H5Oopen(id_.get(), ".", H5P_DEFAULT), where(), "open the group"), H5Oclose}, where()};
}

Attributes Group::attributes(std::string_view name) const {
  if (!exists(name)) throw missing(*this, name, "a group or a dataset");
  return {{succeed(H5Oopen(id_.get(), std::string(name).c_str(), H5P_DEFAULT), where(name), "open"), H5Oclose},
          where(name)};
}

// The types a file may hold (Stored).
template void Group::dimension(std::string_view, std::span<const double>, std::string_view,
                               std::string_view) const;
template void Group::dataset(std::string_view, std::span<const std::string_view>, std::span<const double>,
                             std::string_view, std::string_view) const;
template Array<double> Group::read(std::string_view) const;
template std::vector<double> Group::read(std::string_view, std::initializer_list<std::size_t>) const;
template void Group::dimension(std::string_view, std::span<const float>, std::string_view,
                               std::string_view) const;
template void Group::dataset(std::string_view, std::span<const std::string_view>, std::span<const float>,
                             std::string_view, std::string_view) const;
template Array<float> Group::read(std::string_view) const;
template std::vector<float> Group::read(std::string_view, std::initializer_list<std::size_t>) const;
template void Group::dimension(std::string_view, std::span<const std::int32_t>, std::string_view,
                               std::string_view) const;
template void Group::dataset(std::string_view, std::span<const std::string_view>, std::span<const std::int32_t>,
                             std::string_view, std::string_view) const;
template Array<std::int32_t> Group::read(std::string_view) const;
template std::vector<std::int32_t> Group::read(std::string_view, std::initializer_list<std::size_t>) const;
template void Group::dimension(std::string_view, std::span<const std::int64_t>, std::string_view,
                               std::string_view) const;
template void Group::dataset(std::string_view, std::span<const std::string_view>, std::span<const std::int64_t>,
                             std::string_view, std::string_view) const;
template Array<std::int64_t> Group::read(std::string_view) const;
template std::vector<std::int64_t> Group::read(std::string_view, std::initializer_list<std::size_t>) const;
template void Group::dimension(std::string_view, std::span<const std::uint8_t>, std::string_view,
                               std::string_view) const;
template void Group::dataset(std::string_view, std::span<const std::string_view>, std::span<const std::uint8_t>,
                             std::string_view, std::string_view) const;
template Array<std::uint8_t> Group::read(std::string_view) const;
template std::vector<std::uint8_t> Group::read(std::string_view, std::initializer_list<std::size_t>) const;
template void Group::dimension(std::string_view, std::span<const std::uint32_t>, std::string_view,
                               std::string_view) const;
template void Group::dataset(std::string_view, std::span<const std::string_view>,
                             std::span<const std::uint32_t>, std::string_view, std::string_view) const;
template Array<std::uint32_t> Group::read(std::string_view) const;
template std::vector<std::uint32_t> Group::read(std::string_view, std::initializer_list<std::size_t>) const;
template void Group::dimension(std::string_view, std::span<const std::string>, std::string_view,
                               std::string_view) const;
template void Group::dataset(std::string_view, std::span<const std::string_view>, std::span<const std::string>,
                             std::string_view, std::string_view) const;
template Array<std::string> Group::read(std::string_view) const;
template std::vector<std::string> Group::read(std::string_view, std::initializer_list<std::size_t>) const;

}  // namespace optinc
