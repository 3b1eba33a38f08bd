#include "eagle/io/results_file.h"

#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "eagle/base/error.h"

namespace eagle::io {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// Our errors say what happened; HDF5 shall not print its stack as well.
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    errno = 0;
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// The innermost entry of HDF5's error stack is where it began.
std::string reason() {
  if (errno != 0) {
    return std::strerror(errno);
  }
  std::string text = "HDF5 gives no reason";
  const auto keep = [](unsigned, const H5E_error2_t* error, void* kept) -> herr_t {
    if (error->desc != nullptr) {
      *static_cast<std::string*>(kept) = error->desc;
    }
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep, &text);
  return text;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorCode::io, "cannot write " + path.string() + ": " + what);
}

// An HDF5 identifier, closed when it goes.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::filesystem::path& path) : id_(id), close_(close) {
    if (id < 0) {
      fail(path, reason());
    }
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  [[nodiscard]] hid_t id() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status, const std::filesystem::path& path) {
  if (status < 0) {
    fail(path, reason());
  }
}

void attach(hid_t object, const Attribute& attribute, const std::filesystem::path& path) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, path);
  const auto put = [&](hid_t type, const void* value) {
    const Handle handle(H5Acreate2(object, attribute.name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                        H5Aclose, path);
    check(H5Awrite(handle.id(), type, value), path);
  };
  if (const auto* number = std::get_if<double>(&attribute.value)) {
    put(H5T_NATIVE_DOUBLE, number);
  } else if (const auto* count = std::get_if<std::int64_t>(&attribute.value)) {
    put(H5T_NATIVE_INT64, count);
  } else {
    const auto& text = std::get<std::string>(attribute.value);
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, path);
    check(H5Tset_size(type.id(), std::max<std::size_t>(text.size(), 1)), path);
    check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), path);
    check(H5Tset_cset(type.id(), H5T_CSET_UTF8), path);
    put(type.id(), text.empty() ? "" : text.data());
  }
}

void writeDataset(hid_t file, const std::filesystem::path& path, const std::string& name, hid_t type,
                  const void* values, std::size_t size, Index columns, const Attributes& attributes) {
  if (file < 0) {
    throw Error(ErrorCode::invalidState, path.string() + " has been committed: write " + name + " before that");
  }
  if (columns < 1 || size % static_cast<std::size_t>(columns) != 0) {
    throw Error(ErrorCode::invalidArgument, "dataset " + name + ": " + std::to_string(size) + " values do not fill " +
                                                std::to_string(columns) + " columns");
  }
  const hsize_t extents[] = {size / static_cast<hsize_t>(columns), static_cast<hsize_t>(columns)};
  const Handle space(H5Screate_simple(columns == 1 ? 1 : 2, extents, nullptr), H5Sclose, path);
  const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose, path);
  check(H5Pset_create_intermediate_group(link.id(), 1), path);
  // Without times, equal results are equal files.
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
  check(H5Pset_obj_track_times(creation.id(), 0), path);
  const Handle dataset(H5Dcreate2(file, name.c_str(), type, space.id(), link.id(), creation.id(), H5P_DEFAULT),
                       H5Dclose, path);
  if (size > 0) {
    check(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path);
  }
  for (const Attribute& attribute : attributes) {
    attach(dataset.id(), attribute, path);
  }
}

}  // namespace

ResultsFile::ResultsFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  if (path_.has_parent_path()) {
    std::filesystem::create_directories(path_.parent_path(), error);
  }
  if (error) {
    fail(path_, "the folder cannot be created: " + error.message());
  }
  if (std::filesystem::is_directory(path_, error)) {
    fail(path_, "it is a folder");
  }
  const QuietErrors quiet;
  file_ = H5Fcreate(partial().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file_ < 0) {
    fail(path_, reason());
  }
}

ResultsFile::ResultsFile(ResultsFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

ResultsFile& ResultsFile::operator=(ResultsFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    file_ = std::exchange(other.file_, -1);
  }
  return *this;
}

ResultsFile::~ResultsFile() {
  discard();
}

std::filesystem::path ResultsFile::partial() const {
  return path_.string() + ".partial";
}

void ResultsFile::discard() noexcept {
  if (file_ >= 0) {
    const QuietErrors quiet;
    H5Fclose(std::exchange(file_, -1));
    std::error_code ignored;
    std::filesystem::remove(path_.native() + ".partial", ignored);
  }
}

void ResultsFile::describe(const Attribute& attribute) {
  if (file_ < 0) {
    throw Error(ErrorCode::invalidState, path_.string() + " has been committed: describe it before that");
  }
  const QuietErrors quiet;
  attach(file_, attribute, path_);
}

void ResultsFile::write(const std::string& name, std::span<const double> values, Index columns,
                        const Attributes& attributes) {
  const QuietErrors quiet;
  writeDataset(file_, path_, name, H5T_NATIVE_DOUBLE, values.data(), values.size(), columns, attributes);
}

void ResultsFile::write(const std::string& name, std::span<const std::int64_t> values, Index columns,
                        const Attributes& attributes) {
  const QuietErrors quiet;
  writeDataset(file_, path_, name, H5T_NATIVE_INT64, values.data(), values.size(), columns, attributes);
}

void ResultsFile::writeNamed(const std::string& name, std::span<const std::uint8_t> values,
                             std::span<const std::string_view> names, const Attributes& attributes) {
  const auto nameless = std::find_if(values.begin(), values.end(), [&](std::uint8_t v) { return v >= names.size(); });
  if (nameless != values.end()) {
    throw Error(ErrorCode::invalidArgument, "dataset " + name + ": value " + std::to_string(*nameless) +
                                                " has no name; there are " + std::to_string(names.size()));
  }
  const QuietErrors quiet;
  const Handle type(H5Tenum_create(H5T_NATIVE_UINT8), H5Tclose, path_);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto value = static_cast<std::uint8_t>(k);
    check(H5Tenum_insert(type.id(), std::string(names[k]).c_str(), &value), path_);
  }
  writeDataset(file_, path_, name, type.id(), values.data(), values.size(), 1, attributes);
}

void ResultsFile::commit() {
  if (file_ < 0) {
    throw Error(ErrorCode::invalidState, path_.string() + " has been committed already");
  }
  const QuietErrors quiet;
  if (H5Fclose(std::exchange(file_, -1)) < 0) {
    const std::string why = reason();
    std::error_code ignored;
    std::filesystem::remove(partial(), ignored);
    fail(path_, why);
  }
  std::error_code error;
  std::filesystem::rename(partial(), path_, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(partial(), ignored);
    fail(path_, error.message());
  }
}

}  // namespace eagle::io
