// What only CUDA has: raw kernels with attributes, default streams, and the code that users of EAGLE write.
#include <cooperative_groups.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "eagle/eagle.h"
#include "tests/support/graph_test.h"

__global__ void myKernel(int* cells) {
  atomicAdd(cells, 1);
}

namespace {

__global__ void __cluster_dims__(2, 1, 1) clusterKernel(int* cells) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  atomicAdd(cells, shared[threadIdx.x]);
}

}  // namespace

namespace eagle::test {
namespace {

using testing::HasSubstr;

// A cluster and more dynamic shared memory than any kernel gets unasked must survive a resize.
TEST(Native, AttributesOutliveAResize) {
  constexpr int kShared = 100 * 1024;
  ASSERT_EQ(cudaFuncSetAttribute(clusterKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), cudaSuccess);
  const Cells cells(1);
  int* address = cells.data();
  void* arguments[] = {&address};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(clusterKernel);
  params.gridDim = {4, 1, 1};
  params.blockDim = {32, 1, 1};
  params.sharedMemBytes = kShared;
  params.kernelParams = arguments;
  cuda::Graph graph;
  const NodeId node = graph.addKernelNode(params);
  address = nullptr;  // the arguments were copied
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 128);
  launcher.setLogicalSize(33);  // two blocks: one cluster
  EXPECT_EQ(launcher.sizes(node).front().dims.grid.x, 2u);
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 128 + 64);
  launcher.setLogicalSize(65);  // three blocks, rounded up
  EXPECT_EQ(launcher.sizes(node).front().dims.grid.x, 4u);
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 128 + 64 + 128);
}

TEST(Native, ACapturedClusterOutlivesAResize) {
  constexpr int kShared = 100 * 1024;
  ASSERT_EQ(cudaFuncSetAttribute(clusterKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), cudaSuccess);
  const Cells cells(1);
  cuda::Graph graph;
  const NodeId region = graph.addCapture([&](cuda::StreamCapturer& capturer) {
    clusterKernel<<<4, 32, kShared, capturer.stream().cuda()>>>(cells.data());
  });
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 128);
  launcher.setLogicalSize(65);  // three blocks, rounded up to clusters
  EXPECT_EQ(launcher.sizes(region).front().dims.grid.x, 4u);
  launcher.setLogicalSize(33);
  EXPECT_EQ(launcher.sizes(region).front().dims.grid.x, 2u);
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 128 + 64);
}

TEST(Native, TakesLaunchAttributes) {
  const Cells cells(1);
  int* address = cells.data();
  void* arguments[] = {&address};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(myKernel);
  params.gridDim = {4, 1, 1};
  params.blockDim = {32, 1, 1};
  params.kernelParams = arguments;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  cuda::Graph graph;
  const NodeId node = graph.addKernelNode(params, Dependencies::previous(), {&cluster, 1});
  Launcher launcher = graph.launcher(33);
  EXPECT_EQ(launcher.sizes(node).front().dims.grid.x, 2u);
  runOnce(launcher);
  launcher.setLogicalSize(65);  // three blocks, rounded up to clusters
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 64 + 128);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[node].update(cuda::kernel(params)); }),
              HasSubstr("keeps its cluster"));
  launcher[node].update(cuda::kernel(params, {&cluster, 1}));
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 64 + 128 + 128);
}

__global__ void gather(int* cells) {
  cooperative_groups::this_grid().sync();
  atomicAdd(cells, 1);
}

// Faults of captures that hold more than kernels and of cooperative launches that lose what they are.
TEST(Native, ACooperativeLaunchStaysOneWhenItIsResized) {
  const Cells cells(1);
  int* address = cells.data();
  void* arguments[] = {&address};
  cuda::Stream stream;
  cuda::StreamCapturer capturer(stream);
  capturer.begin();
  ASSERT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(gather), dim3(2), dim3(64), arguments, 0,
                                        stream.cuda()),
            cudaSuccess);
  cuda::Graph graph;
  graph.addNode(capturer.end());
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 128);
  launcher.setLogicalSize(8 * 64);
  runOnce(launcher);  // would hang or fail without the grid's barrier
  EXPECT_EQ(cells.values().front(), 128 + 512);
  EXPECT_THROW(launcher.setLogicalSize(100'000'000), Error);  // more blocks than fit at once
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 128 + 512 + 512);
}

TEST(Native, ACaptureMayHoldAllocations) {
  const Cells cells(1);
  cuda::Stream stream;
  cuda::StreamCapturer capturer(stream);
  capturer.begin();
  void* scratch = nullptr;
  ASSERT_EQ(cudaMallocAsync(&scratch, 1 << 20, stream.cuda()), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(scratch, 0, 1 << 20, stream.cuda()), cudaSuccess);
  myKernel<<<1, 1, 0, stream.cuda()>>>(cells.data());
  ASSERT_EQ(cudaFreeAsync(scratch, stream.cuda()), cudaSuccess);
  cuda::Graph graph;
  const NodeId region = graph.addNode(capturer.end());
  graph.setLabel(region, "region");
  std::optional<Launcher> launcher;
  const std::string problem = [&]() -> std::string {
    try {
      launcher.emplace(graph.launcher());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }();
  if (launcher) {
    runOnce(*launcher);
    runOnce(*launcher);
    EXPECT_EQ(cells.values().front(), 2);
    EXPECT_THROW(launcher->find("region/allocate#0").disable(), Error);
  } else {  // CUDA takes no child graph with allocations: said with the node's name
    EXPECT_THAT(problem, HasSubstr("'region'"));
  }
}

TEST(Native, RefusesDimensionsThatNoDeviceTakes) {
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(myKernel);
  params.gridDim = {1, 70000, 1};
  params.blockDim = {1, 1, 1};
  cuda::Graph graph;
  EXPECT_THROW(graph.addKernelNode(params), Error);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Native, GlobalFunctionsFollowTheirRule) {
  const Cells cells(1);
  cuda::Graph graph;
  graph.addKernel(perSample(64), myKernel, cells.data());
  Launcher launcher = graph.launcher(130);
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 3 * 64);
}

void expectDefaultStreamIsNamed(cudaStream_t defaultStream) {
  const Cells cells(1);
  cuda::Stream stream;
  cuda::StreamCapturer capturer(stream);
  capturer.begin();
  myKernel<<<1, 1, 0, stream.cuda()>>>(cells.data());
  myKernel<<<1, 1, 0, defaultStream>>>(cells.data());
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)capturer.end(); }), HasSubstr("default stream"));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  capturer.begin();
  myKernel<<<1, 1, 0, stream.cuda()>>>(cells.data());
  EXPECT_EQ(capturer.end().nodeCount(), 1u);
}

TEST(Native, WorkOnTheLegacyDefaultStreamIsNamed) {
  expectDefaultStreamIsNamed(cudaStreamLegacy);
}

TEST(Native, WorkOnTheThreadsDefaultStreamIsNamed) {
  expectDefaultStreamIsNamed(cudaStreamPerThread);
}

TEST(Native, ACaptureOfThisThreadAloneLeavesOthersAlone) {
  const Cells cells(10);
  const Cells others(1);
  cuda::Graph graph;
  graph.addCapture(
      [&](cuda::StreamCapturer& capturer) {
        cuda::launch(capturer.stream(), perSample(), 10, Increment{}, cells.data());
      },
      Dependencies::previous(), CaptureMode::threadLocal);
  std::atomic<bool> stop{false};
  std::atomic<int> refused{0};
  std::thread other([&] {
    while (!stop) {
      myKernel<<<1, 1, 0, cudaStreamLegacy>>>(others.data());
      refused += cudaGetLastError() == cudaSuccess ? 0 : 1;
    }
  });
  for (int k = 0; k < 100; ++k) {
    EXPECT_NO_THROW((void)graph.launcher());
  }
  stop = true;
  other.join();
  EXPECT_EQ(refused, 0);
}

bool isCaptured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
  return status != cudaStreamCaptureStatusNone;
}

TEST(Native, TheDefaultStreamsWorkAfterACapturedStreamWasDestroyed) {
  const Cells cells(1);
  for (const bool broken : {false, true}) {
    auto stream = std::make_unique<cuda::Stream>();
    cuda::StreamCapturer capturer(*stream);
    capturer.begin();
    myKernel<<<1, 1, 0, stream->cuda()>>>(cells.data());
    if (broken) {
      EXPECT_EQ(cudaStreamSynchronize(stream->cuda()), cudaErrorStreamCaptureUnsupported);
      EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureUnsupported);
    }
    stream.reset();
    EXPECT_FALSE(isCaptured(cudaStreamPerThread));
    myKernel<<<1, 1, 0, cudaStreamPerThread>>>(cells.data());
    myKernel<<<1, 1, 0, cudaStreamLegacy>>>(cells.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)capturer.end(); }), HasSubstr("destroyed"));
  }
  EXPECT_EQ(cells.values().front(), 4);
}

TEST(Native, AskingForAnEventLeavesNoError) {
  std::promise<void> asked;
  cuda::Graph graph;
  cuda::Stream stream;
  graph.stream(stream);
  graph.addHostNode([&] { asked.get_future().wait(); });
  Launcher launcher = graph.launcher();
  launcher.launch();
  cuda::Event event;
  event.record(stream);
  EXPECT_FALSE(event.query());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  asked.set_value();
  launcher.synchronize();
  EXPECT_TRUE(event.query());
}

TEST(Native, AStreamOfAnotherDeviceIsCapturedThere) {
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  if (devices < 2) {
    GTEST_SKIP() << "one GPU";
  }
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  auto stream = std::make_unique<cuda::Stream>();
  cuda::Stream other;
  cudaStream_t foreign = nullptr;
  ASSERT_EQ(cudaStreamCreate(&foreign), cudaSuccess);
  int* cells = nullptr;
  ASSERT_EQ(cudaMallocManaged(&cells, sizeof(int)), cudaSuccess);
  *cells = 0;
  cuda::Event fork;
  cuda::Event join;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  for (const cuda::StreamRef& ref : {stream->ref(), cuda::StreamRef(foreign)}) {
    cuda::StreamCapturer capturer(ref);
    capturer.begin();
    fork.record(ref);
    other.waitFor(fork);
    join.record(other);
    ASSERT_EQ(cudaStreamWaitEvent(ref.cuda(), join.cuda(), 0), cudaSuccess);
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    myKernel<<<1, 1, 0, ref.cuda()>>>(cells);
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    cuda::CapturedGraph captured = capturer.end();
    EXPECT_EQ(captured.nodeCount(), 1u);
    cuda::Graph graph;
    graph.addNode(std::move(captured));
    Launcher launcher = graph.launcher();
    runOnce(launcher);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  EXPECT_EQ(*cells, 2);
  {
    cuda::StreamCapturer dropped(*stream);
    dropped.begin();
  }
  cuda::StreamCapturer broken(*stream);
  broken.begin();
  stream.reset();
  EXPECT_THROW((void)broken.end(), Error);
  int current = -1;
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFree(cells), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(foreign), cudaSuccess);
}

TEST(Native, AnErrorTheUserLeftPendingStays) {
  ASSERT_EQ(cudaFree(reinterpret_cast<void*>(1)), cudaErrorInvalidValue);
  cuda::Graph graph;
  cudaKernelNodeParams params{};
  params.gridDim = {1, 1, 1};
  params.blockDim = {1, 1, 1};
  EXPECT_THROW(graph.addKernelNode(params), Error);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

// The code blocks of EAGLE's page, as they stand there.
TEST(Native, EaglesOwnExamplesRun) {
  const Cells cells(1);
  int* args = cells.data();
  const dim3 grid(1);
  const dim3 block(1);
  int result = 0;
  {
    eagle::cuda::Stream stream;
    eagle::cuda::Graph graph;
    graph.stream(stream.cuda());

    // Capture a kernel into the graph
    eagle::cuda::StreamCapturer cap(stream.cuda());
    cap.begin();
    myKernel<<<grid, block, 0, stream.cuda()>>>(args);
    graph.addNode(cap.end());

    // Add a host callback (runs on the CPU as a graph node)
    graph.addHostNode([&result]() { result = 7; });

    // Instantiate and launch
    eagle::cuda::Launcher launcher = graph.launcher();
    launcher.launch();
    launcher.synchronize();

    eagle::cuda::Stream myStream;   // creates a new CUDA stream
    graph.stream(myStream.cuda());  // hand the raw handle to the graph
    myStream.synchronize();
  }
  EXPECT_EQ(result, 7);
  EXPECT_EQ(cells.values().front(), 1);

  eagle::cuda::Stream streamA, streamB;
  eagle::cuda::Event doneOnA;
  doneOnA.record(streamA);
  streamB.waitFor(doneOnA);
  streamB.synchronize();
}

}  // namespace
}  // namespace eagle::test
