"""The lists of departures in the documentation: ``python -m fpmcts.papers.departures`` writes them.

Between two comments, ``docs/train.md`` has the keys in which the default run of Doudizhu differs
from ``experiment=paper``, and what no key changes; ``docs/results.md`` has the sentences of every
study (``departs`` in ``conf/papers``) and its size.
"""

from fpmcts.configuration import choices, load
from fpmcts.papers.__main__ import kind_of
from fpmcts.plots import markdown_table
from fpmcts.training.algorithms import read_run
from fpmcts.training.departures import changed_keys, structural
from games.base.files import ROOT
from games.base.settings import build

BEGIN = "<!-- written by python -m fpmcts.papers.departures -->\n\n"
END = "\n\n<!-- end -->"


def _cell(text: str) -> str:
    """Returns a text for a cell of a table in Markdown."""
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def _rows_of_default() -> list[list[str]]:
    default, paper = read_run(["game=doudizhu"]), read_run(["experiment=paper"])
    keys = [[f"`{d.what}`", d.paper, d.ours, d.why] for d in changed_keys(default, paper)]
    rest = [[f"section {d.what}", "", "in every run", d.why] for d in structural()]
    return [["key", "`experiment=paper`", "default", "what it is"], *keys, *rest]


def _rows_of_studies() -> list[list[str]]:
    notes = {
        name: build(kind_of(name), load(f"papers/{name}", {}, ())).notes()  # makes no game
        for name in choices("papers")
    }
    return [["study", "departures from its paper"]] + [
        [f"`{name}`", " ".join(sentences)] for name, sentences in notes.items()
    ]


def pages() -> dict[str, str]:
    """Returns the text that each page should have, by its path from the root. Raises ValueError if
    a page has no place for its list.
    """
    found = {}
    for page, rows in (
        ("docs/train.md", _rows_of_default()),
        ("docs/results.md", _rows_of_studies()),
    ):
        cells = [[_cell(text) for text in row] for row in rows]
        before, begin, after = (ROOT / page).read_text().partition(BEGIN)
        _, end, after = after.partition(END)
        if not begin or not end:
            raise ValueError(f"{page}: expected the lines {BEGIN.strip()} and {END.strip()}")
        found[page] = before + BEGIN + markdown_table(cells) + END + after
    return found


if __name__ == "__main__":
    for page, text in pages().items():
        (ROOT / page).write_text(text)
