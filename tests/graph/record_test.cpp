// The record of a launcher over a backend that counts calls and fails them on demand.
#include "eagle/graph/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "eagle/base/error.h"
#include "eagle/graph/whole_update.h"
#include "eagle/host/graph.h"

namespace eagle::graph {
namespace {

struct Nothing {
  void operator()(Index, int) const {}
};

/// Remembers what it was told; the call number `failAt` from now fails.
class FakeExecutable final : public Executable {
 public:
  struct State {
    NodeSpec spec = EmptySpec{};
    LaunchDims dims;
    Index samples = -1;
    bool enabled = true;
  };

  explicit FakeExecutable(std::vector<BuiltNode> nodes) : nodes_(std::move(nodes)), states(nodes_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      states[i] = {nodes_[i].spec, nodes_[i].sizing.shape.dims, nodes_[i].sizing.samples, true};
    }
  }
  [[nodiscard]] std::string_view backend() const override { return host::kBackend; }
  [[nodiscard]] const std::vector<BuiltNode>& nodes() const override { return nodes_; }
  void set(std::size_t node, const NodeSpec& spec, const LaunchDims& dims, Index samples) override {
    call();
    states[node] = {spec, dims, samples, states[node].enabled};
  }
  void setEnabled(std::size_t node, bool enabled) override {
    call();
    states[node].enabled = enabled;
  }
  [[nodiscard]] bool isEnabled(std::size_t node) const override { return states[node].enabled; }
  [[nodiscard]] std::uint64_t driverCalls() const override { return calls; }
  [[nodiscard]] std::vector<BuiltNode> describe(const std::vector<PlanNode>& plan) const override {
    std::vector<BuiltNode> nodes;
    for (const PlanNode& node : plan) {
      nodes.push_back(builtNode(node));
    }
    return nodes;
  }
  [[nodiscard]] std::unique_ptr<Executable> rebuilt(std::vector<BuiltNode> nodes) const override {
    return std::make_unique<FakeExecutable>(std::move(nodes));
  }
  void launch() override {}
  void upload() override {}
  [[nodiscard]] bool isIdle() const noexcept override { return true; }
  void synchronize() override {}

 private:
  void call() {
    ++calls;
    if (isLost_ || (failAt > 0 && --failAt == 0)) {
      isLost_ = failsForGood;
      throw Error(ErrorCode::backend, "the driver said no");
    }
  }
  std::vector<BuiltNode> nodes_;

 public:
  std::vector<State> states;
  std::uint64_t calls = 0;
  int failAt = 0;
  bool failsForGood = false;  // once it failed

 private:
  bool isLost_ = false;
};

struct OtherEvent final : NativeEvent {
  [[nodiscard]] std::string_view backend() const override { return "another backend"; }
};

enum Nodes : std::size_t { kKernel, kMemset, kMemcpy, kHost, kOther, kRecord, kWait };

class RecordTest : public testing::Test {
 protected:
  RecordTest() {
    host::Graph graph;
    graph.addKernel(perSample(8), Nothing{}, 1);
    graph.addMemset(memory_, 1, 4);
    graph.addMemcpy(memory_, memory_ + 4, 4);
    graph.addHostNode([] {});
    graph.addKernel(perSample(8), Nothing{}, 2);
    graph.addEventRecord(host::Event());
    graph.addEventWait(waited_);
    const FakeExecutable empty({});
    auto executable = std::make_unique<FakeExecutable>(empty.describe(flatten(graph.recipe())));
    fake_ = executable.get();
    record_.emplace(std::move(executable), graph.recipe().id());
    record_->setLogicalSize(16);
    before_ = fake_->states;
    fake_->calls = 0;
  }

  /// One update of each kind.
  [[nodiscard]] std::vector<std::pair<std::string, std::function<void()>>> updates() {
    return {
        {"kernel", [this] { record_->update(kKernel, host::kernel(perSample(4), Nothing{}, 3)); }},
        {"argument",
         [this] {
           const int value = 9;
           record_->setArgument(kKernel, 0, {&typeid(int), sizeof value, &value});
         }},
        {"memset",
         [this] {
           record_->update(kMemset, MemsetSpec{memory_, 2, 2});
         }},
        {"memcpy",
         [this] {
           record_->update(kMemcpy, MemcpySpec{memory_, memory_ + 8, 2});
         }},
        {"host", [this] { record_->update(kHost, HostSpec{std::make_shared<const HostFunction>([] {})}); }},
        {"event record",
         [this] {
           record_->update(kRecord, EventSpec{host::Event().native(), false});
         }},
        {"event wait",
         [this] {
           record_->update(kWait, EventSpec{host::Event().native(), true});
         }},
        {"size of one", [this] { record_->resize(kKernel, 100); }},
        {"disable", [this] { record_->setWanted(kMemset, false); }},
    };
  }

  void expectUntouched(const std::string& what) {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      EXPECT_TRUE(isSame(fake_->states[i].spec, before_[i].spec)) << what << ", node " << i;
      EXPECT_EQ(fake_->states[i].dims, before_[i].dims) << what << ", node " << i;
      EXPECT_EQ(fake_->states[i].samples, before_[i].samples) << what << ", node " << i;
      EXPECT_EQ(fake_->states[i].enabled, before_[i].enabled) << what << ", node " << i;
      EXPECT_EQ(record_->nodes()[i].setting.dims, before_[i].dims) << what << ", node " << i;
      EXPECT_TRUE(isSame(record_->nodes()[i].work.spec, before_[i].spec)) << what << ", node " << i;
    }
    EXPECT_EQ(record_->logicalSize(), 16) << what;
    EXPECT_EQ(record_->bytesOwned(), 0U) << what;
    EXPECT_EQ(record_->counts().updates, 0U) << what;
  }

  char memory_[16] = {};
  host::Event waited_;
  FakeExecutable* fake_ = nullptr;
  std::optional<Record> record_;
  std::vector<FakeExecutable::State> before_;
};

TEST_F(RecordTest, EveryUpdateIsOneCall) {
  for (const auto& [what, update] : updates()) {
    fake_->calls = 0;
    update();
    EXPECT_EQ(fake_->calls, 1U) << what;
  }
}

TEST_F(RecordTest, RefusesEventsOfOtherKindAndBackend) {
  EXPECT_THROW(record_->update(kRecord, EventSpec{host::Event().native(), true}), Error);
  EXPECT_THROW(record_->update(kMemset, EventSpec{host::Event().native(), true}), Error);
  EXPECT_THROW(record_->update(kWait, EventSpec{std::make_shared<OtherEvent>(), true}), Error);
  EXPECT_EQ(fake_->calls, 0U);
  expectUntouched("refused");
}

TEST_F(RecordTest, AnUpdateThatFailsLeavesEverything) {
  for (const auto& [what, update] : updates()) {
    fake_->failAt = 1;
    EXPECT_THROW(update(), Error) << what;
    expectUntouched(what);
  }
}

TEST_F(RecordTest, AnEditThatFailsAtAnyCallIsUndone) {
  const auto edit = [this] {
    Transaction transaction(*record_);
    for (const auto& [what, update] : updates()) {
      update();
    }
    record_->setLogicalSize(0);  // disables both kernels
    record_->setLogicalSize(200);
    transaction.commit();
  };
  const int calls = 9 + 2 + 4;
  for (int fail = 1; fail <= calls; ++fail) {
    fake_->failAt = fail;
    EXPECT_THROW(edit(), Error) << fail;
    expectUntouched("failing call " + std::to_string(fail));
  }
  fake_->calls = 0;
  edit();
  EXPECT_EQ(fake_->calls, static_cast<std::uint64_t>(calls));
}

TEST_F(RecordTest, ASizeThatFailsAtAnyNodeIsUndone) {
  for (int fail = 1; fail <= 2; ++fail) {
    fake_->failAt = fail;
    EXPECT_THROW(record_->setLogicalSize(64), Error);
    expectUntouched("failing call " + std::to_string(fail));
  }
  fake_->calls = 0;
  record_->setLogicalSize(16);
  EXPECT_EQ(fake_->calls, 0U);  // nothing to change
  record_->setLogicalSize(64);
  EXPECT_EQ(fake_->calls, 2U);
}

TEST_F(RecordTest, AWholeUpdateThatFailsNamesTheNodeAndIsUndone) {
  host::Graph other;
  other.addKernel(perSample(8), Nothing{}, 10);
  other.addMemset(memory_, 7, 4);
  other.addMemcpy(memory_, memory_ + 4, 4);
  other.addHostNode([] {});
  other.addKernel(perSample(8), Nothing{}, 20);
  other.addEventRecord(host::Event());
  other.addEventWait(waited_);
  for (const auto& [fail, node] :
       {std::pair(1, "kernel#0"), {2, "memset#1"}, {3, "host#3"}, {4, "kernel#4"}, {5, "record#5"}}) {
    fake_->failAt = fail;
    const UpdateResult result = updateWhole(*record_, other.recipe(), UpdatePolicy::patchOnly);
    EXPECT_FALSE(result);
    EXPECT_EQ(result.node, node);
    EXPECT_THAT(result.reason, testing::HasSubstr("the driver said no"));
    EXPECT_EQ(record_->generation(), 0U);
    expectUntouched("failing call " + std::to_string(fail));
  }
  fake_->calls = 0;
  EXPECT_TRUE(updateWhole(*record_, other.recipe(), UpdatePolicy::patchOnly));
  EXPECT_EQ(fake_->calls, 5U);  // the copy and the event waited for are the same
  EXPECT_EQ(record_->generation(), 1U);
}

TEST_F(RecordTest, AnInnerFailureIsUndoneToWhereItBegan) {
  Transaction transaction(*record_);
  record_->update(kMemset, MemsetSpec{memory_, 2, 2});
  record_->setLogicalSize(32);
  fake_->failAt = 2;
  EXPECT_THROW(record_->setLogicalSize(64), Error);
  EXPECT_EQ(record_->logicalSize(), 32);
  EXPECT_EQ(fake_->states[kKernel].samples, 32);
  EXPECT_EQ(fake_->states[kOther].samples, 32);
  EXPECT_TRUE(isSame(fake_->states[kMemset].spec, MemsetSpec{memory_, 2, 2}));
  transaction.commit();
  EXPECT_NO_THROW(record_->launch());
}

TEST_F(RecordTest, HalfAChangeThatCannotBeTakenBackIsNotLaunched) {
  record_->setWanted(kKernel, false);
  record_->setLogicalSize(0);
  record_->setWanted(kKernel, true);
  fake_->failAt = 2;  // the size is set, the enabling refused, and so is the way back
  fake_->failsForGood = true;
  EXPECT_THROW(record_->setLogicalSize(64), Error);
  EXPECT_THROW(record_->launch(), Error);
}

TEST_F(RecordTest, WhatCannotBeUndoneIsNotLaunched) {
  {
    Transaction transaction(*record_);
    record_->update(kMemset, MemsetSpec{memory_, 2, 2});
    fake_->failAt = 1;
  }
  EXPECT_THROW(record_->launch(), Error);
}

}  // namespace
}  // namespace eagle::graph
