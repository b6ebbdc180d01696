"""Tables in notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape


def html_table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Returns a table in HTML, all texts escaped: a line with the title, then one for each row; the
    keys of the first row are the names of the columns.
    """

    def line(tag: str, cells: Iterable[object]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"

    lines = [line("th", rows[0]), *(line("td", row.values()) for row in rows)] if rows else []
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}</table>"
