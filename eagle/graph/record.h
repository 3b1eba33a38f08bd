// What a launcher built and set: the state behind launchers and their node views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/built_node.h"
#include "eagle/graph/executable.h"

namespace eagle::graph {

/// Objects that must live as long as an update is in force.
using Owners = std::vector<std::shared_ptr<const void>>;

/// The executable with all that was built and set. It changes only after the driver accepted a change, and is never
/// read back from the driver: a raw handle changed behind its back is outside the promise.
class Record {
 public:
  Record(std::unique_ptr<Executable> executable, std::uint64_t graph);
  ~Record();
  Record(Record&&) noexcept = default;
  Record& operator=(Record&&) noexcept = default;
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  /// What a node does.
  struct Work {
    NodeSpec spec;
    KernelSizing sizing;  ///< of kernels
  };
  /// How much of it, and whether.
  struct Setting {
    LaunchDims dims;
    Index samples = -1;    ///< indices a kernel runs over; -1 if none were set yet
    bool hasWork = true;   ///< false for a kernel of size 0
    bool isWanted = true;  ///< false between disable() and enable()

    [[nodiscard]] bool isEnabled() const { return hasWork && isWanted; }
    friend bool operator==(const Setting&, const Setting&) = default;
  };
  struct Node {
    Work work;
    Setting setting;
  };

  /// Of the recipe it was built from, or updated to.
  [[nodiscard]] std::uint64_t graph() const { return graph_; }
  /// Changes with each update of the whole: views from before are stale.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] const Executable& executable() const { return *executable_; }
  /// As the recipe has them.
  [[nodiscard]] const std::vector<BuiltNode>& built() const { return built_; }
  /// As they are set now.
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] std::optional<Index> logicalSize() const { return logicalSize_; }
  /// Constant time. Throws Error (invalidArgument) if no node has the label, or several have.
  [[nodiscard]] std::size_t find(const std::string& label) const;
  /// The first node that belongs to a node of the recipe.
  [[nodiscard]] std::size_t firstOf(std::uint32_t owner) const;

  // Changes apply to later launches; one that throws has changed nothing.

  /// Sets all parameters of a node; a kernel takes the size that its new rule gives it now. Throws Error
  /// (invalidArgument) if the specification is of another kind, or of a kind that cannot be updated.
  void update(std::size_t node, NodeSpec&& spec, const Owners& owners = {});
  /// Likewise, a kernel keeping its size if it is to be fixed.
  void update(std::size_t node, NodeSpec&& spec, bool isFixed, const Owners& owners = {});
  void setArgument(std::size_t node, std::size_t index, const Argument& value);
  /// Where an argument of a kernel lies, of that type and size. Throws as setArgument() does.
  [[nodiscard]] const void* argument(std::size_t node, std::size_t index, const Argument& like) const;
  /// Grid and number of indices of one kernel; its block stays.
  void resize(std::size_t node, Index n);
  void setWanted(std::size_t node, bool wanted);
  void setLogicalSize(Index n);

  /// A state that changes made since can be undone to.
  struct Savepoint {
    std::size_t undo;
    std::size_t ledger;
    std::uint64_t updates;
    std::optional<Index> logicalSize;
  };
  /// Changes from begin() on are undone together by rollBack(), until commit(); one such pair may lie within another.
  [[nodiscard]] Savepoint begin();
  void commit() noexcept;
  void rollBack(const Savepoint& to) noexcept;
  [[nodiscard]] bool isInTransaction() const { return transactions_ > 0; }
  /// Throws Error (invalidState) in a transaction, and in a launch rule that a change has called.
  void requireNoChangeUnderWay(const char* what) const;

  void launch();
  void synchronize();
  void upload();

  /// The nodes are now those of another recipe, having been set to its parameters: `order[i]` is the node here that
  /// other[i] describes, and isKept[i] whether it was so already: what such a node was given stays.
  void adopt(const std::vector<BuiltNode>& other, const std::vector<std::size_t>& order,
             const std::vector<bool>& isKept, std::uint64_t graph);
  /// Builds another executable and takes it instead, at the same logical size; nodes of the same label stay disabled.
  /// The old one goes once its launches are done.
  void rebuild(std::vector<BuiltNode> other, std::uint64_t graph);

  struct Counts {
    std::uint64_t updates = 0;
    std::uint64_t rebuilds = 0;
    std::uint64_t driverCalls = 0;
  };
  [[nodiscard]] Counts counts() const;
  /// Of arguments and functions that updates handed over and that are still kept.
  [[nodiscard]] std::uint64_t bytesOwned() const;
  /// The setting the recipe alone would give a node at the logical size there is.
  [[nodiscard]] Setting settingAsBuilt(std::size_t node) const;

 private:
  struct Undo {
    std::size_t node;
    Setting setting;
    bool hasWork;  // the last of undoneWork_ is this node's
  };
  struct Owned {
    std::size_t node;
    std::shared_ptr<const void> object;
    std::size_t bytes;  // of arguments and functions
  };
  struct Retired {
    std::unique_ptr<Executable> executable;  // none if only the ledger was renewed
    std::vector<Owned> ledger;
  };

  void reset();
  void set(std::size_t node, const Setting& to);
  void replace(std::size_t node, NodeSpec&& spec, const KernelSizing& sizing, const Setting& to, const Owners& owners);
  void keep(std::size_t node, const NodeSpec& spec, const Owners& owners);
  void undo(const Undo& step);
  void restore(std::size_t node) noexcept;
  void dropRetired() noexcept;
  void shrinkLedger(std::size_t size) noexcept;
  [[nodiscard]] Setting sized(const KernelSizing& sizing, const Setting& from) const;
  template <class Action>
  void guarded(std::size_t node, Action action);

  std::unique_ptr<Executable> executable_;
  std::uint64_t graph_;
  std::uint64_t generation_ = 0;
  std::vector<BuiltNode> built_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> kernels_;
  LabelMap byLabel_;
  std::optional<Index> logicalSize_;
  std::vector<Owned> ledger_;
  std::vector<Retired> retired_;  // until no launch of theirs can be under way
  Counts counts_;

  int transactions_ = 0;   // one within another
  int rulesUnderWay_ = 0;  // changes that may be calling a launch rule
  bool isBroken_ = false;  // a change could not be undone
  std::vector<Undo> undo_;
  std::vector<Work> undoneWork_;  // apart, since sizes change more often
};

/// Undoes the changes of a record unless told to keep them.
class Transaction {
 public:
  explicit Transaction(Record& record) : record_(&record), start_(record.begin()) {}
  ~Transaction() {
    if (record_ != nullptr) {
      record_->rollBack(start_);
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() noexcept { std::exchange(record_, nullptr)->commit(); }

 private:
  Record* record_;
  Record::Savepoint start_;
};

}  // namespace eagle::graph
