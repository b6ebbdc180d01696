"""The sources of games and players from outside the project, found without running them.

What a source imports by statements is followed, in any folder of ``sys.path``, but not into
installed packages. Modules that are imported by a name made at run time, and data that a program
reads, are not found.
"""

import ast
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from games.base.files import ROOT
from games.kernels import PACKAGES, PARSING


def module_sources(name: str) -> list[Path]:
    """Returns the files of a module, and of what it imports; none where there is no such module."""
    return _with_imports(file for folder in _folders() for file in _files(folder, name))


def program_sources(command: Sequence[str]) -> list[Path]:
    """Returns the files that a command names, the program among them, and what they import."""
    # Unlike Path.is_file, os.path.isfile takes words too long for a file name: the code after -c.
    found = dict.fromkeys(Path(word) for word in command[1:] if os.path.isfile(word))
    if program := shutil.which(command[0]) if command else None:
        found[Path(program)] = None
    modules = [name for option, name in zip(command, command[1:], strict=False) if option == "-m"]
    return sorted(
        {*_with_imports(found), *(file for name in modules for file in module_sources(name))}
    )


def _folders() -> list[Path]:
    """Returns where modules are found."""
    return [folder for folder in map(Path, dict.fromkeys(sys.path)) if folder.is_dir()]


def _files(folder: Path, name: str) -> Iterator[Path]:
    """Yields the files of a module and of the packages that it lies in."""
    for part in name.split("."):
        yield from filter(Path.is_file, (folder / f"{part}.py", folder / part / "__init__.py"))
        folder = folder / part


def _with_imports(files: Iterable[Path]) -> list[Path]:
    """Returns files, and those from outside the project and the installed packages that they
    import.
    """
    left = [file.resolve() for file in files]
    folders = [*_folders(), *(file.parent for file in left)]
    installed = {Path(path).resolve() for path in sysconfig.get_paths().values()}
    home = {file.parent for file in left} - installed  # an installed package may be asked for
    own = {ROOT / package for package in PACKAGES}
    found = set[Path]()
    while left:
        file = left.pop()
        found.add(file)
        imported = {path.resolve() for path in _imported(file, folders)} - found
        left += [
            path
            for path in imported
            if not own & {*path.parents}
            and (home & {*path.parents} or not installed & {*path.parents})
        ]
    return sorted(found)


def _imported(file: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """Yields the files that a source imports; none where it is not Python."""
    try:
        with PARSING:
            tree = ast.parse(file.read_bytes()) if file.suffix == ".py" else ast.Module([], [])
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names, places = [alias.name for alias in node.names], folders
        elif isinstance(node, ast.ImportFrom):
            within = f"{node.module}." if node.module else ""
            names = [f"{within}{alias.name}" for alias in node.names]
            places = [file.parents[node.level - 1]] if node.level else folders
        else:
            continue
        for name in names:
            for place in places:
                yield from _files(place, name)
