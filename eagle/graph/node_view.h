// Views of the nodes of a launcher, by which they are looked at and changed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/node.h"
#include "eagle/graph/record.h"

namespace eagle {

/// What one kernel of a launcher runs at its next launch.
struct NodeSize {
  std::string label;
  LaunchDims dims;
  bool follows;  ///< changes with the logical size
  bool enabled;  ///< false at size 0 and while disabled
};

/// All parameters of a memset node. `owner`, if given, is kept as long as the launcher may use the memory.
struct MemsetParams {
  MemsetParams(void* destination, unsigned char value, std::size_t bytes, std::shared_ptr<const void> owner = nullptr)
      : spec{destination, value, bytes}, owners(owner ? graph::Owners{std::move(owner)} : graph::Owners{}) {}
  graph::MemsetSpec spec;
  graph::Owners owners;
};

/// All parameters of a memory copy; `owners` likewise.
struct MemcpyParams {
  MemcpyParams(void* destination, const void* source, std::size_t bytes, graph::Owners owners = {})
      : spec{destination, source, bytes}, owners(std::move(owners)) {}
  graph::MemcpySpec spec;
  graph::Owners owners;
};

/// A node of a launcher, as the launcher built it. Copyable, small. It can be used while the launcher lives and was not
/// updated as a whole; later use throws Error (invalidState). Used by the thread that uses the launcher.
///
/// Changes apply to later launches; launches already queued run as they were. A change that is refused throws an Error
/// that names the node and leaves everything as it was. Nothing is inferred: update() takes all parameters of the node.
/// What it hands over (arguments, functions, owners) is kept until the launcher is updated as a whole or destroyed;
/// memory given by address stays the caller's.
class NodeView {
 public:
  /// Of node `node` of the record, or of the whole child graph or capture it belongs to.
  NodeView(const std::shared_ptr<graph::Record>& record, std::size_t node, bool isGroup = false);

  /// With the path for a node in a capture or child graph.
  [[nodiscard]] const std::string& label() const;
  [[nodiscard]] NodeKind kind() const;

  /// A kernel, from `cuda::kernel(...)` or `host::kernel(...)`: its rule decides how it follows the logical size from
  /// now on. Attributes such as clusters stay those of the node; names of arguments do not stay with another functor.
  /// One driver call.
  void update(graph::KernelSpec kernel) const;
  /// A memset; throws Error (invalidArgument) for a null address or 0 bytes. One driver call.
  void update(const MemsetParams& params) const;
  /// A memory copy likewise.
  void update(const MemcpyParams& params) const;
  /// A host node, to call another function. Throws Error (invalidArgument) without one.
  void update(std::function<void()> function) const;
  /// An event record or an event wait, to record or wait for another event, which the launcher keeps. Throws Error
  /// (invalidArgument) for an event of another backend. One driver call.
  template <class Event>
    requires requires(const Event& event) {
      { event.native() } -> std::convertible_to<std::shared_ptr<graph::NativeEvent>>;
    }
  void update(const Event& event) const {
    updateEvent(event.native());
  }
  /// A child graph or capture, to do what `child`, a graph or capture of the same shape, does: a driver call for each
  /// node that differs, all or none. Launch rules come with it; sizes and disabled nodes stay.
  template <class Child>
    requires requires(const Child& child) {
      { child.spec() } -> std::convertible_to<graph::NodeSpec>;
    }
  void update(const Child& child) const {
    updateGroup(child.spec());
  }

  /// Grid and number of indices of a kernel alone, until a logical size is set next. Its block stays. With 0 it runs
  /// nothing. Throws Error (invalidArgument) for another node or a negative n.
  void resize(Index n) const;

  /// One argument of a kernel, counted from 0 after the index of the sample or named by GraphBase::setArgumentNames.
  /// `T` must be the kernel's own type; of captured and untyped kernels only the size is known and checked. Throws
  /// Error (invalidArgument) for another type or size, and for an argument that there is not.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void setArgument(std::size_t index, const T& value) const {
    setArgument(index, graph::Argument{&typeid(T), sizeof(T), &value});
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void setArgument(const std::string& name, const T& value) const {
    setArgument(argumentIndex(name), value);
  }
  /// An argument as last set. Throws as setArgument does.
  template <class T>
  [[nodiscard]] T argument(std::size_t index) const {
    return *static_cast<const T*>(argument(index, typeid(T), sizeof(T)));
  }

  /// A disabled kernel, memory copy or memset keeps its place in the order and does nothing. Updates do not enable it,
  /// and a kernel of size 0 runs nothing though enabled.
  /// Throws Error (invalidArgument) for a node of another kind.
  void enable() const;
  void disable() const;
  /// As the native graph has it: asked of the driver.
  [[nodiscard]] bool isEnabled() const;

  /// What the node was last set to.
  [[nodiscard]] const graph::NodeSpec& parameters() const;
  /// Throws Error (invalidArgument) for a node that is no kernel.
  [[nodiscard]] NodeSize size() const;

 private:
  [[nodiscard]] graph::Record& record() const;
  [[nodiscard]] graph::Record& recordOfOne() const;
  void updateGroup(const graph::NodeSpec& spec) const;
  void updateEvent(std::shared_ptr<graph::NativeEvent> event) const;
  void setArgument(std::size_t index, const graph::Argument& value) const;
  [[nodiscard]] const void* argument(std::size_t index, const std::type_info& type, std::size_t bytes) const;
  [[nodiscard]] std::size_t argumentIndex(const std::string& name) const;

  std::weak_ptr<graph::Record> owner_;  // tells whether there still is a
  graph::Record* record_;
  std::uint64_t generation_;
  std::size_t node_;
  bool isGroup_;
};

}  // namespace eagle
