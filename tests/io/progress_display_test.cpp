#include "eagle/io/progress_display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

using eagle::io::ProgressDisplay;
using testing::HasSubstr;
using testing::Not;

class ProgressDisplayTest : public testing::Test {
 protected:
  ~ProgressDisplayTest() override { std::fclose(stream_); }
  [[nodiscard]] std::string written() const {
    std::string text(static_cast<std::size_t>(std::ftell(stream_)), '\0');
    std::rewind(stream_);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), stream_), text.size());
    return text;
  }
  std::FILE* stream_ = std::tmpfile();
};

TEST_F(ProgressDisplayTest, WritesPlainLinesNowAndThenWhereThereIsNoTerminal) {
  ProgressDisplay display(stream_);
  for (int tenths = 1; tenths < 100; ++tenths) {
    display.show({.done = tenths * 10, .total = 1000, .seconds = 0.1 * tenths});
  }
  display.show({.done = 1000, .total = 1000, .seconds = 10});
  EXPECT_EQ(written(),
            " 20 %  200 of 1000 samples, 100 a second, 8 s left\n"
            " 70 %  700 of 1000 samples, 100 a second, 3 s left\n"
            "100 %  1000 of 1000 samples, 100 a second, 10.0 s\n");
}

TEST_F(ProgressDisplayTest, RedrawsOneLineOnATerminal) {
  ProgressDisplay display(stream_, ProgressDisplay::Style::bar);
  display.show({.done = 0, .total = 30, .seconds = 0});
  display.show({.done = 15, .total = 30, .seconds = 3600});
  display.show({.done = 30, .total = 30, .seconds = 7200});
  const std::string text = written();
  EXPECT_THAT(text, HasSubstr("\r[..............................]   0 %  0 of 30 samples\033[K"));
  EXPECT_THAT(text,
              HasSubstr("\r[###############...............]  50 %  15 of 30 samples, 0 a second, 1 h 00 min left"));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST_F(ProgressDisplayTest, AnEmptyRunIsDone) {
  ProgressDisplay display(stream_);
  display.show({.done = 0, .total = 0, .seconds = 0});
  EXPECT_EQ(written(), "100 %  0 of 0 samples, 0.0 s\n");
}

}  // namespace
