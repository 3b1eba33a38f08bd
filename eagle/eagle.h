// Everything users include: graphs and batches on the host and, where the CUDA backend is built, on GPUs.
#pragma once

#include "eagle/base/buffer.h"
#include "eagle/base/config.h"
#include "eagle/base/device.h"
#include "eagle/base/error.h"
#include "eagle/batch/batch.h"
#include "eagle/batch/model.h"
#include "eagle/batch/simulate.h"
#include "eagle/graph/graph.h"
#include "eagle/graph/launch_rule.h"
#include "eagle/graph/launcher.h"
#include "eagle/host/capture.h"
#include "eagle/host/graph.h"
#include "eagle/host/launch.h"
#include "eagle/host/stream.h"

#if defined(EAGLE_HAS_CUDA)
#include "eagle/cuda/capture.h"
#include "eagle/cuda/graph.h"
#include "eagle/cuda/platform.h"
#include "eagle/cuda/stream.h"
#if defined(__CUDACC__)
#include "eagle/cuda/gpu_model.cuh"
#include "eagle/cuda/launch.cuh"
#endif
#endif
