#include "eagle/io/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "eagle/base/error.h"

namespace {

namespace fs = std::filesystem;
using eagle::io::ResultsFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ResultsFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("results_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file() const { return folder_ / "deep" / "r.h5"; }
  // Names of everything in the file's folder.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "deep")) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  fs::path folder_;
};

// Read back through HDF5 itself.
struct Opened {
  explicit Opened(const fs::path& path) : id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~Opened() { H5Fclose(id); }
  template <class T>
  [[nodiscard]] std::vector<T> values(const char* name, hid_t type, std::vector<hsize_t>& shape) const {
    const hid_t dataset = H5Dopen2(id, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    shape.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    std::vector<T> result(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data());
    H5Sclose(space);
    H5Dclose(dataset);
    return result;
  }
  [[nodiscard]] std::string text(const char* object, const char* attribute) const {
    const hid_t handle = H5Aopen_by_name(id, object, attribute, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(handle);
    std::string result(H5Tget_size(type), '\0');
    H5Aread(handle, type, result.data());
    H5Tclose(type);
    H5Aclose(handle);
    return result;
  }
  hid_t id;
};

TEST_F(ResultsFileTest, KeepsValuesShapesNamesAndUnits) {
  const std::vector<double> positions{1, 2, 3, 4.5, 5, -6};
  const std::vector<std::int64_t> steps{7, std::int64_t{1} << 60};
  const std::vector<std::uint8_t> reasons{1, 0, 1};
  const std::string_view names[] = {"impact", "escape"};
  {
    ResultsFile results(file());
    results.write("samples/position", positions, 3, {{"units", "km"}});
    results.write("steps", steps, 1, {{"units", "1"}});
    results.writeNamed("reason", reasons, names);
    results.describe({"title", "test of µ"});
    results.describe({"seed", std::int64_t{5}});
    results.describe({"radius", 1737.4});
    results.commit();
  }
  EXPECT_THAT(files(), ElementsAre("r.h5"));
  const Opened opened(file());
  std::vector<hsize_t> shape;
  EXPECT_EQ(opened.values<double>("samples/position", H5T_NATIVE_DOUBLE, shape), positions);
  EXPECT_THAT(shape, ElementsAre(2, 3));
  EXPECT_EQ(opened.text("samples/position", "units"), "km");
  EXPECT_EQ(opened.values<std::int64_t>("steps", H5T_NATIVE_INT64, shape), steps);
  EXPECT_THAT(shape, ElementsAre(2));
  EXPECT_EQ(opened.text("/", "title"), "test of µ");

  const hid_t dataset = H5Dopen2(opened.id, "reason", H5P_DEFAULT);
  const hid_t type = H5Dget_type(dataset);
  const std::uint8_t one = 1;
  char name[16] = {};
  EXPECT_EQ(H5Tget_class(type), H5T_ENUM);
  EXPECT_GE(H5Tenum_nameof(type, &one, name, sizeof name), 0);
  EXPECT_STREQ(name, "escape");
  EXPECT_EQ(opened.values<std::uint8_t>("reason", type, shape), reasons);
  H5Tclose(type);
  H5Dclose(dataset);
}

TEST_F(ResultsFileTest, WithoutCommitLeavesTheFormerFileAndNothingElse) {
  fs::create_directories(file().parent_path());
  std::ofstream(file()) << "former";
  {
    ResultsFile results(file());
    results.write("x", std::vector<double>{1});
    EXPECT_EQ(files().size(), 2u);
  }
  EXPECT_THAT(files(), ElementsAre("r.h5"));
  std::string content;
  std::ifstream(file()) >> content;
  EXPECT_EQ(content, "former");
}

TEST_F(ResultsFileTest, Moves) {
  ResultsFile first(file());
  ResultsFile second = std::move(first);
  second.write("x", std::vector<double>{});
  first = ResultsFile(folder_ / "deep" / "other.h5");
  first = std::move(second);
  first.commit();
  EXPECT_THAT(files(), ElementsAre("r.h5"));
}

TEST_F(ResultsFileTest, SaysWhyAPlaceCannotBeWritten) {
  EXPECT_THAT([] { ResultsFile("/dev/null/r.h5"); },
              ThrowsMessage<eagle::Error>(AllOf(HasSubstr("cannot write /dev/null/r.h5"), HasSubstr("folder"))));
  fs::create_directories(file());
  EXPECT_THAT([&] { ResultsFile{file()}; }, ThrowsMessage<eagle::Error>(HasSubstr("it is a folder")));
  fs::create_directories(folder_ / "x.h5.partial");
  EXPECT_THAT([&] { ResultsFile{folder_ / "x.h5"}; }, ThrowsMessage<eagle::Error>(HasSubstr("s a directory")));
}

TEST_F(ResultsFileTest, RefusesWhatMakesNoSense) {
  ResultsFile results(file());
  const std::vector<double> five(5);
  const std::vector<std::uint8_t> two{2};
  const std::string_view names[] = {"impact", "escape"};
  EXPECT_THAT([&] { results.write("x", five, 3); }, ThrowsMessage<eagle::Error>(HasSubstr("do not fill 3 columns")));
  EXPECT_THAT([&] { results.writeNamed("x", two, names); }, ThrowsMessage<eagle::Error>(HasSubstr("has no name")));
  results.write("x", five);
  EXPECT_THAT([&] { results.write("x", five); }, ThrowsMessage<eagle::Error>(HasSubstr("cannot write")));
  results.commit();
  EXPECT_THAT([&] { results.write("y", five); }, ThrowsMessage<eagle::Error>(HasSubstr("has been committed")));
  EXPECT_THAT([&] { results.commit(); }, ThrowsMessage<eagle::Error>(HasSubstr("already")));
}

}  // namespace
