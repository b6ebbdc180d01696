// What all input has in common: keyboard shortcuts, a line to type a move, hints, timers, and what
// the browser keeps.

import { h, useEffect, useRef, useState } from "./vendor/preact.js";
import { wordAt } from "./cards.js";
import { button, input } from "./parts.js";
import { classes, t } from "./words.js";

const typing = (event) => ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);

// The handler changes with each rendering at once, not after the next frame: people type faster
// than that.
export function useKeys(enabled, handle) {
  const latest = useRef(null);
  latest.current = handle;
  useEffect(() => {
    if (!enabled) return undefined;
    const hear = (event) => {
      if (
        typing(event) ||
        event.ctrlKey ||
        event.altKey ||
        event.metaKey ||
        event.defaultPrevented ||
        document.querySelector("dialog[open]")
      )
        return;
      if (latest.current(event)) event.preventDefault();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, [enabled]);
}

// Acts after some milliseconds, as the last rendering says, unless one of `deps` changes before;
// null: never.
export function useLater(milliseconds, act, deps) {
  const latest = useRef(null);
  latest.current = act;
  useEffect(() => {
    if (milliseconds === null) return undefined;
    const timer = setTimeout(() => latest.current(), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds === null, ...deps]);
}

// The hint for a view, and what asks for it, or for the next best one. An answer that is late is
// for no other view.
export function useHint(view, hint) {
  const [found, setFound] = useState({});
  const latest = useRef(null);
  latest.current = view;
  const suggested = found.view === view ? found.move : null;
  const ask = async (now) => {
    if (!hint || view.to_move !== view.you || view.over) return null;
    const move = await hint(now || suggested || "");
    if (!move || latest.current !== view) return null;
    setFound({ view, move });
    return move;
  };
  return [suggested, ask];
}

// Settings that the browser keeps; where it keeps none, they are for this page only.
export function kept(name, usual) {
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(name) ?? "{}") };
  } catch {
    return usual;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // full, or denied
  }
}

export const kbd = (key) => h("kbd", { "aria-hidden": "true" }, key);

// A button for each move; `keyOf`: its key, shown if `keys`; `plain`: whether it is no main button.
export const moveButtons = ({ view, moves, play, suggested, keys, keyOf, plain }) =>
  moves.map((move, k) => {
    const key = keyOf(move, k);
    return button(
      [wordAt(view, move), keys && ![undefined, move].includes(key) && kbd(key)],
      () => play(move),
      classes(!plain(move, k) && "primary", move === suggested && "suggested"),
      { key: move, "aria-keyshortcuts": key },
    );
  });

export const isFold = (move) => move === "fold";

// Whether a key is pressed on what acts by itself.
export const onButton = (event) => ["BUTTON", "A", "SUMMARY"].includes(event.target.tagName);

export function TypedMove({ turn, play }) {
  const [text, setText] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (text.trim() && turn) {
      play(text.trim());
      setText("");
    }
  };
  return h(
    "form",
    { class: "typed", onSubmit: submit },
    input(text, setText, {
      "aria-label": t("type_move"),
      placeholder: t("type_move"),
      enterkeyhint: "go",
      onKeyDown: (event) => event.key === "Escape" && (setText(""), event.target.blur()),
    }),
  );
}
