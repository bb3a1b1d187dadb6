"""The documentation site: `python docs/build.py`, or `sphinx-build -W docs build/site`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS / "_ext"))
os.environ.setdefault("OMP_NUM_THREADS", "1")

from sparsest._core.version import __version__

project = "sparsest"
author = "The sparsest developers"
project_copyright = author
version = release = __version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "site_pages",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_ext", "_templates", "generated/gallery/*.ipynb", "**.ipynb_checkpoints"]
default_role = "code"
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "html_image"]
myst_heading_anchors = 3
suppress_warnings = [
    "config.cache",  # the settings of the gallery are not all cached
    "ref.python",  # words of a type that are also names of members, such as "(p, p) matrix"
]

autosummary_generate = True
autosummary_imported_members = False
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # the docstrings say it, in words
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": True,
    "remove_config_comments": True,
    "min_reported_time": 8,
    "show_memory": False,
    "only_warn_on_example_error": False,
    "abort_on_example_error": True,
    "matplotlib_animations": False,
    "default_thumb_file": str(DOCS / "images" / "report.png"),
    "show_signature": False,
    "capture_repr": (),
    "image_scrapers": ("site_pages.own_figures", "matplotlib"),
    "write_computation_times": False,  # its page loads scripts from elsewhere
}

html_theme = "pydata_sphinx_theme"
html_title = f"sparsest {release}"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["llms.txt"]
html_copy_source = True
html_show_sourcelink = True
html_sourcelink_suffix = ""
html_last_updated_fmt = None
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "back_to_top_button": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc", "sourcelink"],
}
html_sidebars = {"index": [], "changelog": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
