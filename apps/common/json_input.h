// Reads input files in JSON, and says where they are wrong.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace apps {

/// An object of an input file. A value that is missing or not as asked for throws eagle::Error (invalidArgument), with
/// the file, the line, the key and what was expected. Copies share the file's contents.
class JsonInput {
 public:
  /// The file's outermost object. Throws Error (io) where it cannot be read, (invalidArgument) where it is not JSON.
  static JsonInput read(const std::filesystem::path& path);

  /// The whole text of the file.
  [[nodiscard]] const std::string& text() const;

  /// Throws for a key that is not among these: nobody's spelling mistake is taken for a default.
  void allowOnly(std::initializer_list<std::string_view> keys) const;

  [[nodiscard]] JsonInput object(std::string_view key) const;
  [[nodiscard]] std::string string(std::string_view key) const;
  /// A finite number: above `low`; from `low` on; above `low` and up to `high`.
  [[nodiscard]] double numberAbove(std::string_view key, double low) const;
  [[nodiscard]] double numberFrom(std::string_view key, double low) const;
  [[nodiscard]] double numberBetween(std::string_view key, double low, double high) const;
  [[nodiscard]] std::array<double, 3> vector3(std::string_view key) const;
  /// A whole number from `low` on.
  [[nodiscard]] std::int64_t count(std::string_view key, std::int64_t low) const;

 private:
  struct File;
  struct Value;
  JsonInput(std::shared_ptr<const File> file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  [[nodiscard]] std::string pathOf(std::string_view key) const;
  [[nodiscard]] double number(std::string_view key, const std::string& expected, bool (*fits)(double, double, double),
                              double low, double high) const;
  [[nodiscard]] Value find(std::string_view key, const std::string& expected) const;
  [[noreturn]] void fail(const std::string& path, const std::string& problem) const;

  std::shared_ptr<const File> file_;
  std::string path_;  // of this object in the file, such as "orbit"
};

}  // namespace apps
