#include "apps/cislunar/flight.h"

#include "eagle/cuda/gpu_model.cuh"

EAGLE_GPU_MODEL(cislunar::Flight);
