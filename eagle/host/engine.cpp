#include "eagle/host/engine.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/base/fork_join.h"
#include "eagle/host/event_state.h"
#include "eagle/host/kernel.h"
#include "eagle/host/stream_state.h"

namespace eagle::host {

void run(const Kernel& kernel, Index samples) {
  if (samples <= 0) {
    return;
  }
  // Isolated: a thread that waits for its part must not pick up another node, which may block or take its locks.
  tbb::this_task_arena::isolate([&] {
    detail::forkOrJoin();
    tbb::parallel_for(tbb::blocked_range<Index>(0, samples), [&](const tbb::blocked_range<Index>& part) {
      const detail::Task task;
      kernel.run(part.begin(), part.end());
    });
    detail::forkOrJoin();
  });
}

std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan) {
  std::vector<graph::BuiltNode> nodes;
  nodes.reserve(plan.size());
  for (const graph::PlanNode& node : plan) {
    if (std::holds_alternative<graph::NativeSpec>(node.spec)) {
      throw Error(ErrorCode::invalidArgument,
                  "node '" + node.label + "' was captured on a CUDA device, the graph is for the host");
    }
    nodes.push_back(graph::builtNode(node));
  }
  return nodes;
}

/// What every run needs: the nodes with their successors.
struct Engine::Program {
  std::vector<graph::BuiltNode> nodes;
  std::vector<std::vector<std::uint32_t>> successors;
  std::vector<std::uint32_t> events;  // nodes that record one or wait for one

  explicit Program(std::vector<graph::BuiltNode> built) : nodes(std::move(built)), successors(nodes.size()) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      for (const std::uint32_t dependency : nodes[i].dependencies) {
        successors[dependency].push_back(i);
      }
      if (std::holds_alternative<graph::EventSpec>(nodes[i].spec)) {
        events.push_back(i);
      }
    }
  }

  /// What the events are as of a launch: the recordings that it waits for and those that it makes.
  [[nodiscard]] Marks marks(const Settings& settings) const {
    Marks marks(events.empty() ? 0 : nodes.size());
    for (const std::uint32_t node : events) {
      const auto& spec = std::get<graph::EventSpec>(settings[node].spec);
      marks[node] = spec.isWait ? static_cast<const EventState&>(*spec.event).last() : EventMark::ahead();
      if (marks[node]->capture) {
        throw Error(ErrorCode::invalidState,
                    "launch: node '" + nodes[node].label + "' waits for an event that was last recorded in a capture");
      }
    }
    return marks;
  }

  /// Lets those that ask from now on wait for the recordings that the launch makes.
  void record(const Settings& settings, const Marks& marks) const noexcept {
    for (const std::uint32_t node : events) {
      const auto& spec = std::get<graph::EventSpec>(settings[node].spec);
      if (!spec.isWait) {
        static_cast<EventState&>(*spec.event).renew(marks[node]);
      }
    }
  }

  static void execute(const Setting& node, const Marks& marks, std::uint32_t index) {
    if (!node.enabled) {
      return;
    }
    if (const auto* kernel = std::get_if<graph::KernelSpec>(&node.spec)) {
      run(static_cast<const Kernel&>(*kernel->kernel), node.samples);
    } else if (const auto* host = std::get_if<graph::HostSpec>(&node.spec)) {
      (*host->function)();
    } else if (const auto* set = std::get_if<graph::MemsetSpec>(&node.spec)) {
      std::memset(set->destination, set->value, set->bytes);
    } else if (const auto* copy = std::get_if<graph::MemcpySpec>(&node.spec)) {
      std::memcpy(copy->destination, copy->source, copy->bytes);
    } else if (const auto* event = std::get_if<graph::EventSpec>(&node.spec)) {
      event->isWait ? marks[index]->wait() : marks[index]->reach();
    }
  }
};

namespace {

/// One run of a program.
template <class Execute>
class Run {
 public:
  Run(const std::vector<graph::BuiltNode>& nodes, const std::vector<std::vector<std::uint32_t>>& successors,
      Execute execute)
      : successors_(successors), waiting_(nodes.size()), execute_(std::move(execute)) {
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      waiting_[i].store(static_cast<std::uint32_t>(nodes[i].dependencies.size()), std::memory_order_relaxed);
      if (nodes[i].dependencies.empty()) {
        roots.push_back(i);
      }
    }
    start(roots);
    group_.wait();
  }

 private:
  /// Spawns all but the last, which runs here: a chain needs no task, and a node that blocks holds up no other.
  void start(const std::vector<std::uint32_t>& ready) {
    for (std::size_t i = 0; i + 1 < ready.size(); ++i) {
      group_.run([this, node = ready[i]] { follow(node); });
    }
    if (!ready.empty()) {
      follow(ready.back());
    }
  }

  void follow(std::uint32_t node) {
    std::vector<std::uint32_t> ready;
    while (true) {
      execute_(node);
      ready.clear();
      for (const std::uint32_t next : successors_[node]) {
        if (waiting_[next].fetch_sub(1, std::memory_order_acq_rel) == 1) {
          ready.push_back(next);
        }
      }
      if (ready.empty()) {
        return;
      }
      for (std::size_t i = 0; i + 1 < ready.size(); ++i) {
        group_.run([this, other = ready[i]] { follow(other); });
      }
      node = ready.back();
    }
  }

  const std::vector<std::vector<std::uint32_t>>& successors_;
  std::vector<std::atomic<std::uint32_t>> waiting_;
  Execute execute_;
  tbb::task_group group_;
};

}  // namespace

Engine::Engine(std::vector<graph::BuiltNode> nodes, const std::optional<StreamRef>& stream)
    : Engine(std::move(nodes), stream ? nullptr : std::make_shared<Stream>(), stream,
             std::make_shared<graph::FirstError>()) {}

Engine::Engine(std::vector<graph::BuiltNode> nodes, std::shared_ptr<Stream> own, const std::optional<StreamRef>& stream,
               std::shared_ptr<graph::FirstError> errors)
    : own_(std::move(own)),
      stream_(stream ? *stream : own_->ref()),
      program_(std::make_shared<const Program>(std::move(nodes))),
      errors_(std::move(errors)),
      settings_(std::make_shared<Settings>()) {
  for (const graph::BuiltNode& node : program_->nodes) {
    settings_->push_back({node.spec, node.sizing.samples, true});
  }
}

Engine::~Engine() {
  lastRun_.synchronize();
}

std::string_view Engine::backend() const {
  return kBackend;
}

const std::vector<graph::BuiltNode>& Engine::nodes() const {
  return program_->nodes;
}

Engine::Setting& Engine::change(std::size_t node) {
  ++calls_;
  if (isHandedOver_) {
    if (!lastRun_.query()) {
      settings_ = std::make_shared<Settings>(*settings_);
    }
    isHandedOver_ = false;
  }
  return (*settings_)[node];
}

void Engine::set(std::size_t node, const graph::NodeSpec& spec, const LaunchDims&, Index samples) {
  Setting& setting = change(node);
  setting.spec = spec;
  setting.samples = samples;
}

void Engine::setEnabled(std::size_t node, bool enabled) {
  change(node).enabled = enabled;
}

bool Engine::isEnabled(std::size_t node) const {
  return (*settings_)[node].enabled;
}

std::vector<graph::BuiltNode> Engine::describe(const std::vector<graph::PlanNode>& plan) const {
  return host::describe(plan);
}

std::unique_ptr<graph::Executable> Engine::rebuilt(std::vector<graph::BuiltNode> nodes) const {
  return std::unique_ptr<graph::Executable>(new Engine(std::move(nodes), own_, stream_, errors_));
}

void Engine::launch() {
  const auto stream = stream_.lock();
  if (stream->capture() != nullptr) {
    throw Error(ErrorCode::invalidState, "launch: the launcher's stream is being captured: add the graph as a node");
  }
  // Events are as of the place in the queue: whoever sees a recording of this launch comes after it.
  stream->enqueueMade([this] {
    const Marks marks = program_->marks(*settings_);
    std::function<void()> task = [program = program_, errors = errors_,
                                  settings = std::shared_ptr<const Settings>(settings_), marks] {
      const auto execute = [&](std::uint32_t node) {
        errors->guard([&] { Program::execute((*settings)[node], marks, node); });
      };
      Run run(program->nodes, program->successors, execute);
    };
    program_->record(*settings_, marks);
    return task;
  });
  isHandedOver_ = true;
  lastRun_.record(stream_);
}

bool Engine::isIdle() const noexcept {
  return lastRun_.query();
}

void Engine::synchronize() {
  stream_.lock()->synchronize();
  errors_->rethrow();
}

}  // namespace eagle::host
