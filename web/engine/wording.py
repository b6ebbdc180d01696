"""Answers of players as the fields of messages (``docs/web-protocol.md``)."""

from typing import Any

from web.engine.asking import Answer, Row


def rounded(value: float | None, digits: int = 4) -> float | None:
    """Returns a number short enough to send."""
    return None if value is None else round(value, digits)


def row_fields(row: Row, unit: str) -> dict[str, Any]:
    """Returns a move of the root."""
    wins = unit == "wp"
    return {
        "move": row.move,
        "prior": rounded(row.prior),
        "visits": row.visits,
        "wp": rounded(row.value) if wins else None,
        "se": rounded(row.se),
        "points": None if wins else rounded(row.value),
    }


def answer_fields(answer: Answer) -> dict[str, Any]:
    """Returns an answer."""
    return {
        "move": answer.move,
        "done": answer.done,
        "total": answer.total,
        "rows": None if answer.rows is None else [row_fields(row, answer.unit) for row in answer.rows],
        "unit": answer.unit,
        "value": rounded(answer.value),
        "se": rounded(answer.value_se),
        "policy": None if answer.policy is None else {move: rounded(p) for move, p in answer.policy.items()},
        "hidden": answer.hidden,
        "seconds": rounded(answer.seconds, 3),
    }
