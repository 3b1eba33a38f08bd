# Every test, in the order of the source tree.
eagle_add_test(base/device_test)
