// Draws graphs in the language of Graphviz.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eagle::graph {

/// One node of a drawing.
struct Drawn {
  std::string label;
  std::string detail;  ///< a second line; may be empty
  std::vector<std::uint32_t> dependencies;
  bool isDimmed = false;  ///< does nothing at the next launch
};

/// A digraph with an edge from each dependency. Labels may hold any text.
[[nodiscard]] std::string dot(const std::vector<Drawn>& nodes);

}  // namespace eagle::graph
