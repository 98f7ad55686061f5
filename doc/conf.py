# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx configuration of the manual. `make html` builds it, and passes the version."""
project = "espalier"
author = "the espalier authors"
copyright = "2026, the espalier authors"
root_doc = "manual/index"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["html"]
html_theme = "furo"
html_title = "espalier"
# Lines of 100 columns, such as tables of espalier, fit the page.
html_theme_options = {"light_css_variables": {"code-font-size": "0.72rem"}}
# index.html leads to the first page.
html_extra_path = ["index.html"]
html_copy_source = False
html_show_sourcelink = False
# Pages that are read from file:// can load nothing from the network.
html_static_path = []
