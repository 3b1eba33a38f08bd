#include "eagle/cuda/gpu_model.cuh"
#include "kernels/models/oscillator.h"

EAGLE_GPU_MODEL(eagle::kernels::Oscillator);
