"""The documentation site: ``make docs`` writes it to ``docs/_build``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from fpmcts import __version__  # noqa: E402

project = "fpmcts"
author = "The fpmcts authors"
copyright = author
release = version = __version__

nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(collections\.abc|numpy|pathlib)\..*"),  # no other site is asked
    (r"py:.*", r"\w*Error|IllegalMove"),
    (
        r"py:.*",
        r"(.*\.)?(GameLike|GameSpec|Learned|PlayedGames|PlayerLike|Records|RunConfig|Score"
        r"|SequentialResult)",
    ),
]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build", "docker"]

highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # JSON with … in it
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
default_role = "code"  # docstrings write `x` in the manner of Markdown

html_theme = "furo"
html_title = "fpmcts"

html_copy_source = False
html_show_sphinx = False
