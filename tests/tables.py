"""Tables of cases as text."""


def rows(text: str) -> list[tuple[str, ...]]:
    """Returns the rows of a table whose columns are parted by ``|``; an empty cell is ""."""
    return [
        tuple(cell.strip() for cell in line.split("|")) for line in text.splitlines() if "|" in line
    ]
