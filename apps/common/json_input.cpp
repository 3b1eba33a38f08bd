#include "apps/common/json_input.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "eagle/base/error.h"

namespace apps {
namespace {

using nlohmann::json;

// Reads a text and counts its lines. Copies count into one place, so that the parser's position can be asked for.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, int* lines) : at_(at), lines_(lines) {}
  const char& operator*() const { return *at_; }
  CountingIterator& operator++() {
    *lines_ += *at_ == '\n' ? 1 : 0;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  int* lines_;
};

std::string join(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

// Notes the line of each key, and what is wrong with the text if anything is. Objects in arrays go by the array's name.
class LineNotes final : public nlohmann::json_sax<json> {
 public:
  LineNotes(const std::string& text, const int& line) : text_(text), line_(line) {}

  bool key(string_t& name) override {
    key_ = join(open_.back(), name);
    if (!lines.emplace(key_, line_).second && arrays_ == 0) {
      problem = "key " + key_ + " is there twice: keep one";
      problemLine = line_;
      return false;
    }
    return true;
  }
  bool start_object(std::size_t) override {
    open_.push_back(key_);
    return isShallow();
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override {
    ++arrays_;
    return isShallow();
  }
  bool end_array() override {
    --arrays_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
    // "[json.exception...] parse error at line 1, column 2: what is wrong", or without the place.
    const std::string what = error.what();
    const auto at = what.find(": ");
    problem = "not valid JSON: " + what.substr(at == std::string::npos ? what.find("] ") + 2 : at + 2);
    // The parser may have looked one character ahead, so count up to the last it took.
    const auto taken = static_cast<std::ptrdiff_t>(std::min(std::max<std::size_t>(position, 1) - 1, text_.size()));
    problemLine = 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + taken, '\n'));
    return false;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }

  std::map<std::string, int> lines;
  std::string problem;
  int problemLine = 0;

 private:
  // Input files are a few levels deep; what reads or shows values follows them down.
  bool isShallow() {
    constexpr std::size_t kDeepest = 64;
    if (open_.size() + static_cast<std::size_t>(arrays_) <= kDeepest) {
      return true;
    }
    problem =
        "nested more than " + std::to_string(kDeepest) + " deep" + (key_.empty() ? "" : " at key " + shortened(key_));
    problemLine = line_;
    return false;
  }
  static std::string shortened(const std::string& text) {
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
  }

  const std::string& text_;
  const int& line_;
  std::string key_;
  std::vector<std::string> open_;
  int arrays_ = 0;
};

std::string shown(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// As it is in the file, but short.
std::string shown(const json& value) {
  std::string text = value.dump();
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

}  // namespace

struct JsonInput::File {
  std::filesystem::path path;
  std::string text;
  json root;
  std::map<std::string, int> lines;

  // The object at a path of keys, such as "orbit"; "" is the root.
  [[nodiscard]] const json& at(std::string keys) const {
    if (keys.empty()) {
      return root;
    }
    std::replace(keys.begin(), keys.end(), '.', '/');
    return root.at(json::json_pointer("/" + keys));
  }
};

struct JsonInput::Value {
  const json& content;
  std::string path;
};

JsonInput JsonInput::read(const std::filesystem::path& path) {
  std::error_code error;
  const bool isFolder = std::filesystem::is_directory(path, error);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || isFolder) {
    throw eagle::Error(eagle::ErrorCode::io, "cannot read the input file " + path.string() + ": " +
                                                 (isFolder ? "it is a folder" : std::strerror(errno)));
  }
  auto file = std::make_shared<File>();
  file->path = path;
  file->text.assign(std::istreambuf_iterator<char>(stream), {});

  int line = 1;
  LineNotes notes(file->text, line);
  const char* text = file->text.data();
  if (!json::sax_parse(CountingIterator(text, &line), CountingIterator(text + file->text.size(), &line), &notes)) {
    throw eagle::Error(eagle::ErrorCode::invalidArgument,
                       path.string() + ":" + std::to_string(notes.problemLine) + ": " + notes.problem);
  }
  file->root = json::parse(file->text);
  file->lines = std::move(notes.lines);
  JsonInput input(file, "");
  if (!file->root.is_object()) {
    throw eagle::Error(eagle::ErrorCode::invalidArgument,
                       path.string() + ":1: expected an object in braces, found " + shown(file->root));
  }
  return input;
}

const std::string& JsonInput::text() const {
  return file_->text;
}

void JsonInput::allowOnly(std::initializer_list<std::string_view> keys) const {
  const json& object = file_->at(path_);
  for (const auto& [key, value] : object.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      std::string known;
      for (const std::string_view each : keys) {
        known += (known.empty() ? "" : ", ") + std::string(each);
      }
      fail(pathOf(key), "unknown key; expected " + known);
    }
  }
}

JsonInput JsonInput::object(std::string_view key) const {
  const Value value = find(key, "an object in braces");
  if (!value.content.is_object()) {
    fail(value.path, "expected an object in braces, found " + shown(value.content));
  }
  return {file_, value.path};
}

std::string JsonInput::string(std::string_view key) const {
  const Value value = find(key, "a text in quotes");
  if (!value.content.is_string()) {
    fail(value.path, "expected a text in quotes, found " + shown(value.content));
  }
  return value.content.get<std::string>();
}

double JsonInput::number(std::string_view key, const std::string& expected, bool (*fits)(double, double, double),
                         double low, double high) const {
  const Value value = find(key, expected);
  if (!value.content.is_number() || !fits(value.content.get<double>(), low, high)) {
    fail(value.path, "expected " + expected + ", found " + shown(value.content));
  }
  return value.content.get<double>();
}

double JsonInput::numberAbove(std::string_view key, double low) const {
  const auto fits = [](double x, double least, double) { return x > least && std::isfinite(x); };
  return number(key, "a number above " + shown(low), fits, low, 0);
}

double JsonInput::numberFrom(std::string_view key, double low) const {
  const auto fits = [](double x, double least, double) { return x >= least && std::isfinite(x); };
  return number(key, "a number, " + shown(low) + " or more", fits, low, 0);
}

double JsonInput::numberBetween(std::string_view key, double low, double high) const {
  const auto fits = [](double x, double least, double most) { return x > least && x <= most; };
  return number(key, "a number above " + shown(low) + " and up to " + shown(high), fits, low, high);
}

std::array<double, 3> JsonInput::vector3(std::string_view key) const {
  const Value value = find(key, "three numbers in brackets");
  const bool three =
      value.content.is_array() && value.content.size() == 3 &&
      std::all_of(value.content.begin(), value.content.end(), [](const json& e) { return e.is_number(); });
  if (!three) {
    fail(value.path, "expected three numbers in brackets, found " + shown(value.content));
  }
  return value.content.get<std::array<double, 3>>();
}

std::int64_t JsonInput::count(std::string_view key, std::int64_t low) const {
  const std::string expected = "a whole number, " + std::to_string(low) + " or more";
  const Value value = find(key, expected);
  const bool fits = value.content.is_number_integer() &&
                    (!value.content.is_number_unsigned() || value.content.get<std::uint64_t>() <= INT64_MAX);
  if (!fits || value.content.get<std::int64_t>() < low) {
    fail(value.path, "expected " + expected + ", found " + shown(value.content));
  }
  return value.content.get<std::int64_t>();
}

std::string JsonInput::pathOf(std::string_view key) const {
  return join(path_, key);
}

JsonInput::Value JsonInput::find(std::string_view key, const std::string& expected) const {
  const json& object = file_->at(path_);
  const auto found = object.find(std::string(key));
  if (found == object.end()) {
    fail(path_, "key " + pathOf(key) + " is missing: expected " + expected);
  }
  return {*found, pathOf(key)};
}

void JsonInput::fail(const std::string& path, const std::string& problem) const {
  const auto line = file_->lines.find(path);
  throw eagle::Error(eagle::ErrorCode::invalidArgument,
                     file_->path.string() + ":" + std::to_string(line == file_->lines.end() ? 1 : line->second) + ": " +
                         (path.empty() || problem.starts_with("key ") ? "" : path + ": ") + problem);
}

}  // namespace apps
