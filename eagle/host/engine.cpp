#include "eagle/host/engine.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/host/kernel.h"
#include "eagle/host/stream_state.h"

namespace eagle::host {

void run(const Kernel& kernel, Index samples) {
  if (samples <= 0) {
    return;
  }
  // Isolated: a thread that waits for its part must not pick up another node, which may block or take its locks.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<Index>(0, samples),
                      [&](const tbb::blocked_range<Index>& part) { kernel.range()(part.begin(), part.end()); });
  });
}

/// The plan with what a run needs of it: successors and the place of each kernel.
struct Engine::Program {
  std::vector<graph::PlanNode> plan;
  std::vector<std::vector<std::uint32_t>> successors;
  std::vector<std::uint32_t> kernelOf;  // index into the kernels, for kernel nodes
  std::vector<graph::BuiltKernel> kernels;

  explicit Program(std::vector<graph::PlanNode> nodes)
      : plan(std::move(nodes)), successors(plan.size()), kernelOf(plan.size()) {
    for (std::uint32_t i = 0; i < plan.size(); ++i) {
      for (const std::uint32_t dependency : plan[i].dependencies) {
        successors[dependency].push_back(i);
      }
      if (const auto* kernel = std::get_if<graph::KernelSpec>(&plan[i].spec)) {
        kernelOf[i] = static_cast<std::uint32_t>(kernels.size());
        kernels.push_back(graph::builtKernel(plan[i], *kernel));
      }
    }
  }

  void execute(std::uint32_t node, const Sizes& sizes) const {
    const graph::NodeSpec& spec = plan[node].spec;
    if (const auto* kernel = std::get_if<graph::KernelSpec>(&spec)) {
      const KernelState& state = sizes[kernelOf[node]];
      if (state.enabled) {
        run(static_cast<const Kernel&>(*kernel->kernel), state.samples);
      }
    } else if (const auto* host = std::get_if<graph::HostSpec>(&spec)) {
      (*host->function)();
    } else if (const auto* set = std::get_if<graph::MemsetSpec>(&spec)) {
      std::memset(set->destination, set->value, set->bytes);
    } else if (const auto* copy = std::get_if<graph::MemcpySpec>(&spec)) {
      std::memcpy(copy->destination, copy->source, copy->bytes);
    }
  }
};

namespace {

/// One run of a program.
template <class Execute>
class Run {
 public:
  Run(const std::vector<graph::PlanNode>& plan, const std::vector<std::vector<std::uint32_t>>& successors,
      Execute execute)
      : successors_(successors), waiting_(plan.size()), execute_(std::move(execute)) {
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < plan.size(); ++i) {
      waiting_[i].store(static_cast<std::uint32_t>(plan[i].dependencies.size()), std::memory_order_relaxed);
      if (plan[i].dependencies.empty()) {
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

Engine::Engine(std::vector<graph::PlanNode> plan, const std::optional<StreamRef>& stream)
    : own_(stream ? nullptr : std::make_unique<Stream>()),
      stream_(stream ? *stream : own_->ref()),
      program_(std::make_shared<const Program>(std::move(plan))),
      errors_(std::make_shared<graph::FirstError>()),
      sizes_(std::make_shared<Sizes>()) {
  for (const graph::PlanNode& node : program_->plan) {
    if (const auto* kernel = std::get_if<graph::KernelSpec>(&node.spec)) {
      sizes_->push_back({kernel->samples, true});
    }
  }
}

Engine::~Engine() {
  lastRun_.synchronize();
}

const std::vector<graph::BuiltKernel>& Engine::kernels() const {
  return program_->kernels;
}

Engine::Sizes& Engine::change() {
  if (sizes_.use_count() > 1) {
    sizes_ = std::make_shared<Sizes>(*sizes_);
  }
  return *sizes_;
}

void Engine::resize(std::size_t kernel, const LaunchDims&, Index samples) {
  change()[kernel].samples = samples;
}

void Engine::setEnabled(std::size_t kernel, bool enabled) {
  change()[kernel].enabled = enabled;
}

void Engine::launch() {
  const auto stream = stream_.lock();
  if (stream->capture() != nullptr) {
    throw Error(ErrorCode::invalidState, "launch: the launcher's stream is being captured: add the graph as a node");
  }
  stream->enqueue([program = program_, errors = errors_, sizes = std::shared_ptr<const Sizes>(sizes_)] {
    const auto execute = [&](std::uint32_t node) { errors->guard([&] { program->execute(node, *sizes); }); };
    Run run(program->plan, program->successors, execute);
  });
  lastRun_.record(stream_);
}

void Engine::synchronize() {
  stream_.lock()->synchronize();
  errors_->rethrow();
}

}  // namespace eagle::host
