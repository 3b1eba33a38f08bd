// The model of workload B, compiled for GPUs.
#include "eagle/cuda/gpu_model.cuh"
#include "kernels/models/kepler.h"

EAGLE_GPU_MODEL(eagle::kernels::Kepler);
