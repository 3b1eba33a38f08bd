#include "bench/workload_a.h"
#include "eagle/cuda/gpu_model.cuh"

EAGLE_GPU_MODEL(workload_a::Oscillator);
