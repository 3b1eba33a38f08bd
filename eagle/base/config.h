// Compiler and backend switches. The only header that tests for a compiler; no macro here changes a class or a body.
#pragma once

#define EAGLE_VERSION_MAJOR 0
#define EAGLE_VERSION_MINOR 1
#define EAGLE_VERSION_PATCH 0

// Marks a function that runs on the host and, where nvcc compiles it, on the device.
#if defined(__CUDACC__)
#define EAGLE_HD __host__ __device__
#else
#define EAGLE_HD
#endif

// Asks the compiler to vectorise the loop that follows: its iterations do not depend on each other.
#if defined(__CUDACC__)
#define EAGLE_SIMD
#elif defined(__clang__)
#define EAGLE_SIMD _Pragma("clang diagnostic ignored \"-Wpass-failed\"") _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define EAGLE_SIMD _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define EAGLE_SIMD
#endif

// A function into which everything it calls is inlined, calls inside of those calls included.
#if defined(__GNUC__)
#define EAGLE_FLATTEN __attribute__((flatten))
#else
#define EAGLE_FLATTEN
#endif
