#include "eagle/graph/dot.h"

namespace eagle::graph {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

std::string dot(const std::vector<Drawn>& nodes) {
  std::string text = "digraph eagle {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Drawn& node = nodes[i];
    const std::string lines = node.detail.empty() ? node.label : node.label + "\n" + node.detail;
    text += "  n" + std::to_string(i) + " [label=" + quoted(lines) +
            (node.isDimmed ? ", color=gray, fontcolor=gray" : "") + "];\n";
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::uint32_t dependency : nodes[i].dependencies) {
      text += "  n" + std::to_string(dependency) + " -> n" + std::to_string(i) + ";\n";
    }
  }
  return text + "}\n";
}

}  // namespace eagle::graph
