// Keyboard shortcuts, and a line to type a move.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { t } from "./words.js";

const typing = (event) => ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);

// The handler changes with each rendering at once, not after the next frame: people type faster
// than that.
export function useKeys(enabled, handle) {
  const latest = useRef(null);
  latest.current = handle;
  useEffect(() => {
    if (!enabled) return undefined;
    const hear = (event) => {
      if (typing(event) || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      if (latest.current(event)) event.preventDefault();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, [enabled]);
}

export function TypedMove({ turn, play }) {
  const [text, setText] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (text.trim() && turn) {
      play(text.trim());
      setText("");
    }
  };
  return html`<form class="typed" onSubmit=${submit}><input aria-label=${t("type_move")} placeholder=${t("type_move")} value=${text} enterkeyhint="go"
    autocapitalize="off" autocomplete="off" spellcheck=${false} onInput=${(event) => setText(event.target.value)}
    onKeyDown=${(event) => event.key === "Escape" && (setText(""), event.target.blur())} /></form>`;
}
