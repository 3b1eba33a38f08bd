// Writes the results of a run into an HDF5 file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eagle/base/types.h"

namespace eagle::io {

/// A named value that says something about a dataset, such as {"units", "km"}, or about the whole file.
struct Attribute {
  std::string name;
  std::variant<std::string, double, std::int64_t> value;
};
using Attributes = std::vector<Attribute>;

/// An HDF5 file in the making; move-only. It is written beside its place, as `<path>.partial`, and takes its name with
/// commit(): nobody ever sees half a file there, and a file from before stays until then. Without commit() nothing is
/// left. Equal contents give equal bytes. Not for use by several threads at once. All functions throw Error: io, with
/// the file's name and the reason, and invalidState after commit().
class ResultsFile {
 public:
  /// Creates the file and the folders above it, so that a place that cannot be written is known before a long run.
  explicit ResultsFile(std::filesystem::path path);
  ResultsFile(ResultsFile&& other) noexcept;
  ResultsFile& operator=(ResultsFile&& other) noexcept;
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;
  ~ResultsFile();

  /// Its place once it is committed.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Says something about the whole file.
  void describe(const Attribute& attribute);

  /// Writes a dataset of values.size() / columns rows, given row by row; one column gives a dataset of one dimension.
  /// Parts of `name` that end with / are groups. Throws Error (invalidArgument) if the values do not fill the rows.
  void write(const std::string& name, std::span<const double> values, Index columns = 1,
             const Attributes& attributes = {});
  void write(const std::string& name, std::span<const std::int64_t> values, Index columns = 1,
             const Attributes& attributes = {});

  /// Writes one of `names` for each value, as an HDF5 enumeration of bytes: value k is names[k]. Throws Error
  /// (invalidArgument) for a value without a name.
  void writeNamed(const std::string& name, std::span<const std::uint8_t> values,
                  std::span<const std::string_view> names, const Attributes& attributes = {});

  /// Closes the file and moves it to its place. Nothing can be written after it.
  void commit();

 private:
  [[nodiscard]] std::filesystem::path partial() const;
  void discard() noexcept;

  std::filesystem::path path_;
  std::int64_t file_ = -1;  // of type hid_t; -1 once closed
};

}  // namespace eagle::io
