# Every test, in the order of the source tree.
eagle_add_test(base/device_test)
eagle_add_test(batch/batch_test BOTH)
eagle_add_test(batch/finite_test)
eagle_add_test(kernels/events_test BOTH)
eagle_add_test(kernels/integrators_test BOTH)
eagle_add_test(kernels/models_test BOTH)
eagle_add_test(kernels/philox_test BOTH)
