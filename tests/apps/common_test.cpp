#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "apps/common/json_input.h"
#include "apps/common/program.h"
#include "apps/common/statistics.h"
#include "eagle/base/error.h"

namespace {

using apps::JsonInput;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class JsonInputTest : public testing::Test {
 protected:
  ~JsonInputTest() override { std::filesystem::remove(path_); }
  JsonInput read(const std::string& text) {
    std::ofstream(path_) << text;
    return JsonInput::read(path_);
  }
  // The message of the error that comes, after the name of the file.
  std::string problem(const std::string& text, const std::function<void(const JsonInput&)>& use) {
    try {
      use(read(text));
    } catch (const eagle::Error& error) {
      const std::string message = error.what();
      return message.starts_with(path_.string()) ? message.substr(path_.string().size()) : message;
    }
    return "none";
  }

  std::filesystem::path path_ = std::filesystem::path(testing::TempDir()) /
                                (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".json");
};

constexpr auto kNoUse = [](const JsonInput&) {};
const std::string kGood = R"({
  "title": "t",
  "orbit": {
    "position": [1, 2.5,
                 -3],
    "period": 2e-3
  },
  "samples": 12
})";

TEST_F(JsonInputTest, GivesWhatTheFileSays) {
  const JsonInput input = read(kGood);
  EXPECT_EQ(input.string("title"), "t");
  EXPECT_THAT(input.object("orbit").vector3("position"), ElementsAre(1, 2.5, -3));
  EXPECT_EQ(input.object("orbit").numberAbove("period", 0), 2e-3);
  EXPECT_EQ(input.count("samples", 1), 12);
  EXPECT_EQ(input.text(), kGood);
  input.allowOnly({"title", "orbit", "samples"});
}

TEST_F(JsonInputTest, NamesLineKeyAndWhatWasExpected) {
  const auto orbit = [](const JsonInput& input) { return input.object("orbit"); };
  EXPECT_EQ(problem(kGood, [](const JsonInput& input) { (void)input.count("title", 1); }),
            ":2: title: expected a whole number, 1 or more, found \"t\"");
  EXPECT_EQ(problem(kGood, [](const JsonInput& input) { (void)input.count("samples", 13); }),
            ":8: samples: expected a whole number, 13 or more, found 12");
  EXPECT_EQ(problem(kGood, [&](const JsonInput& input) { (void)orbit(input).vector3("period"); }),
            ":6: orbit.period: expected three numbers in brackets, found 0.002");
  EXPECT_EQ(problem(kGood, [&](const JsonInput& input) { (void)orbit(input).numberAbove("period", 1); }),
            ":6: orbit.period: expected a number above 1, found 0.002");
  EXPECT_EQ(problem(kGood, [&](const JsonInput& input) { (void)orbit(input).numberBetween("period", 0, 1e-3); }),
            ":6: orbit.period: expected a number above 0 and up to 0.001, found 0.002");
  EXPECT_EQ(problem(kGood, [&](const JsonInput& input) { (void)orbit(input).string("name"); }),
            ":3: key orbit.name is missing: expected a text in quotes");
  EXPECT_EQ(problem(kGood, [](const JsonInput& input) { (void)input.object("title"); }),
            ":2: title: expected an object in braces, found \"t\"");
  EXPECT_EQ(problem(kGood,
                    [](const JsonInput& input) {
                      input.allowOnly({"title", "orbit"});
                    }),
            ":8: samples: unknown key; expected title, orbit");
  EXPECT_EQ(problem(kGood, [&](const JsonInput& input) { orbit(input).allowOnly({"period"}); }),
            ":4: orbit.position: unknown key; expected period");
}

TEST_F(JsonInputTest, RefusesNumbersThatAreNone) {
  const auto count = [](const JsonInput& input) { (void)input.count("n", 0); };
  EXPECT_THAT(problem(R"({"n": 1.5})", count), EndsWith("found 1.5"));
  EXPECT_THAT(problem(R"({"n": 99999999999999999999})", count), HasSubstr("expected a whole number"));
  EXPECT_THAT(problem(R"({"n": 18446744073709551615})", count), HasSubstr("expected a whole number"));
  EXPECT_THAT(problem(R"({"n": -1})", count), EndsWith("found -1"));
  EXPECT_THAT(problem(R"({"n": null})", count), EndsWith("found null"));
  EXPECT_THAT(problem("{\n\"n\": 1e999}", count), HasSubstr(":2: not valid JSON: number overflow"));
}

TEST_F(JsonInputTest, NamesTheLineOfWhatIsNoJson) {
  EXPECT_THAT(problem("{\n  \"a\": 1,\n  \"b\" 2\n}\n", kNoUse), HasSubstr(":3: not valid JSON: "));
  EXPECT_THAT(problem("{\n  \"a\": 1", kNoUse), HasSubstr("unexpected end of input"));
  EXPECT_THAT(problem("", kNoUse), HasSubstr(":1: not valid JSON"));
  EXPECT_THAT(problem("[1, 2]", kNoUse), EndsWith(":1: expected an object in braces, found [1,2]"));
  EXPECT_EQ(problem("{\n\"a\": 1,\n\"a\": 2}", kNoUse), ":3: key a is there twice: keep one");
}

TEST_F(JsonInputTest, RefusesFilesThatAreNestedTooDeep) {
  EXPECT_THAT(problem("{\n\"a\": " + std::string(300'000, '['), kNoUse),
              EndsWith(":2: nested more than 64 deep at key a"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_THAT(problem(objects, kNoUse), HasSubstr(":1: nested more than 64 deep at key a.a"));
  std::string deep = "{\"a\": ";
  deep += std::string(60, '[') + std::string(60, ']') + "}";
  EXPECT_EQ(problem(deep, kNoUse), "none");
}

TEST_F(JsonInputTest, SaysWhyAFileCannotBeRead) {
  EXPECT_THAT(
      [] { JsonInput::read("/no/such/file.json"); },
      testing::ThrowsMessage<eagle::Error>("cannot read the input file /no/such/file.json: No such file or directory"));
  EXPECT_THAT([] { JsonInput::read("/tmp"); }, testing::ThrowsMessage<eagle::Error>(HasSubstr("it is a folder")));
}

TEST(Statistics, WilsonsInterval) {
  // By R's prop.test(c, n, correct = FALSE).
  const auto some = apps::wilson95(20, 100);
  EXPECT_THAT(some.low, DoubleNear(0.1333669, 1e-7));
  EXPECT_THAT(some.high, DoubleNear(0.2888292, 1e-7));
  const auto none = apps::wilson95(0, 10);
  EXPECT_EQ(none.low, 0);
  EXPECT_THAT(none.high, DoubleNear(0.2775328, 1e-7));
  EXPECT_EQ(apps::wilson95(10, 10).high, 1);
}

TEST(Statistics, Quantiles) {
  EXPECT_THAT(apps::quantiles({4, 1, 3, 2}, {0, 0.5, 1}), ElementsAre(1, 2.5, 4));
  EXPECT_THAT(apps::quantiles({7}, {0.05, 0.95}), ElementsAre(7, 7));
  EXPECT_TRUE(apps::quantiles({}, {0.5}).empty());
}

TEST(Texts, ArePrintedWithoutControlCharacters) {
  EXPECT_EQ(apps::printable("a\x1b[31mb\tµ"), "a?[31mb?µ");
}

TEST(Numbers, AreGrouped) {
  EXPECT_EQ(apps::grouped(0), "0");
  EXPECT_EQ(apps::grouped(999), "999");
  EXPECT_EQ(apps::grouped(1000), "1,000");
  EXPECT_EQ(apps::grouped(-1234567), "-1,234,567");
  EXPECT_EQ(apps::grouped(-123), "-123");
}

}  // namespace
