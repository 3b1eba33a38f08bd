// What the nodes of a recipe are: identities, dependencies and specifications.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <variant>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/launch_rule.h"

namespace eagle {

/// Identity of one node of one graph. Given to another graph it is refused.
class NodeId {
 public:
  /// Made by graphs.
  NodeId(std::uint64_t graph, std::uint32_t index) : graph_(graph), index_(index) {}
  /// Id of the recipe, unique in the process.
  [[nodiscard]] std::uint64_t graph() const { return graph_; }
  /// Number of the node in its graph, from 0 in the order they were added.
  [[nodiscard]] std::uint32_t index() const { return index_; }
  friend bool operator==(const NodeId&, const NodeId&) = default;

 private:
  std::uint64_t graph_;
  std::uint32_t index_;
};

/// What a new node waits for. Left out, it follows the node added before it, as on a stream; `{}` waits for nothing;
/// `{a, b}` waits for those.
class Dependencies {
 public:
  Dependencies() = default;
  Dependencies(NodeId node) : nodes_{node} {}                            // NOLINT(google-explicit-constructor)
  Dependencies(std::initializer_list<NodeId> nodes) : nodes_(nodes) {}   // NOLINT(google-explicit-constructor)
  Dependencies(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {}  // NOLINT(google-explicit-constructor)

  /// The node added before; nothing for the first node.
  [[nodiscard]] static Dependencies previous() {
    Dependencies dependencies;
    dependencies.previous_ = true;
    return dependencies;
  }

  [[nodiscard]] bool isPrevious() const { return previous_; }
  [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_; }

 private:
  bool previous_ = false;
  std::vector<NodeId> nodes_;
};

namespace graph {

class Recipe;

/// What is known of a parameter of a kernel before any value.
struct ArgumentType {
  const std::type_info* type;  ///< null where only its size is known
  std::size_t bytes;
};

/// One argument of a kernel, where its kernel keeps it.
struct Argument {
  const std::type_info* type;  ///< null where only the backend's own tables tell of it
  std::size_t bytes;
  const void* value;
};

/// A kernel as one backend knows it, with its arguments; immutable and shared by recipes and launchers.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// "the host" or "a CUDA device".
  [[nodiscard]] virtual std::string_view backend() const = 0;
  /// What launch rules must know of it.
  [[nodiscard]] virtual KernelShape shape() const = 0;
  /// Whether both run the same code, whatever their arguments.
  [[nodiscard]] virtual bool isSameFunction(const Kernel& other) const = 0;
  /// Those a user gave, in order; empty for a kernel that cannot tell.
  [[nodiscard]] virtual std::vector<Argument> arguments() const = 0;
  /// The size of these together.
  [[nodiscard]] virtual std::size_t argumentBytes() const = 0;
  /// The same kernel with `value`, of the argument's type and size, for argument `index`.
  [[nodiscard]] virtual std::shared_ptr<const Kernel> withArgument(std::size_t index, const void* value) const = 0;
};

/// A finished capture that only its backend can read; immutable and shared likewise.
class NativeRegion {
 public:
  virtual ~NativeRegion() = default;
};

/// A node of a capture that has no other specification here, such as a copy in three dimensions.
class NativeNode {
 public:
  virtual ~NativeNode() = default;
  /// Whether both say the same work in every parameter.
  [[nodiscard]] virtual bool isSame(const NativeNode& other) const = 0;
};

/// An event as one backend knows it, shared by the event and the graphs that use it.
class NativeEvent {
 public:
  virtual ~NativeEvent() = default;
  /// As Kernel has it.
  [[nodiscard]] virtual std::string_view backend() const = 0;
};

using HostFunction = std::function<void()>;

/// A kernel and how its grid follows the logical size. `samples` is the number of indices the kernel runs over until a
/// logical size is set: -1 if it has none of its own.
struct KernelSpec {
  std::shared_ptr<const Kernel> kernel;
  LaunchRule rule;
  Index samples = -1;
};
/// A function that is called on a host thread.
struct HostSpec {
  std::shared_ptr<const HostFunction> function;
};
/// `bytes` bytes at `destination` set to `value`.
struct MemsetSpec {
  void* destination;
  unsigned char value;
  std::size_t bytes;
  friend bool operator==(const MemsetSpec&, const MemsetSpec&) = default;
};
/// `bytes` bytes copied. The memory is the caller's.
struct MemcpySpec {
  void* destination;
  const void* source;
  std::size_t bytes;
  friend bool operator==(const MemcpySpec&, const MemcpySpec&) = default;
};
/// An event that is recorded, or waited for.
struct EventSpec {
  std::shared_ptr<NativeEvent> event;
  bool isWait;
  friend bool operator==(const EventSpec&, const EventSpec&) = default;
};
/// Nothing: a point where branches meet.
struct EmptySpec {};
/// The nodes of another recipe.
struct ChildSpec {
  std::shared_ptr<const Recipe> recipe;
};
/// What was captured, as one native graph.
struct NativeSpec {
  std::shared_ptr<const NativeRegion> region;
};
/// A node in it that none of the others describes.
struct NativeNodeSpec {
  std::shared_ptr<const NativeNode> node;
};
/// Recorded anew for every launcher.
struct CaptureSpec {
  std::function<std::variant<ChildSpec, NativeSpec>()> capture;
};

using NodeSpec = std::variant<KernelSpec, HostSpec, MemsetSpec, MemcpySpec, EmptySpec, ChildSpec, NativeSpec,
                              CaptureSpec, NativeNodeSpec, EventSpec>;

}  // namespace graph
}  // namespace eagle
