# Sphinx settings; run by scripts/docs, which puts Doxygen's reference beside the pages.
project = "eagle"
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "eagle"
html_extra_path = ["../build/docs/extra"]
html_show_copyright = False
