# Every test, in the order of the source tree.
eagle_add_test(base/device_test)
eagle_add_test(batch/batch_test BOTH)
eagle_add_test(batch/finite_test)
eagle_add_test(graph/launch_rule_test)
eagle_add_test(graph/graph_test BOTH)
eagle_add_test(graph/launcher_test BOTH)
