// Steps through a game from its beginning, by buttons and arrow keys.

import { html, useEffect, useState } from "./vendor/preact.js";
import { get } from "./connection.js";
import { useKeys } from "./keys.js";
import { t } from "./words.js";

// All positions of a finished game; null until they have arrived, or without an id.
export function useReplay(id, plies, fail) {
  const [found, setFound] = useState(null);
  useEffect(() => {
    let wanted = true;
    setFound(null);
    if (id) get(`/api/tables/${id}/replay`).then((answer) => wanted && setFound(answer.plies), fail);
    return () => {
      wanted = false;
    };
  }, [id, plies]);
  return found;
}

const ICONS = { first: "M5 4h3v16H5zM20 4v16L9 12z", previous: "M17 4v16L6 12z", following: "M7 4l11 8L7 20z", last: "M16 4h3v16h-3zM4 4l11 8L4 20z" };

export function Steps({ ply, last, choose }) {
  const button = (name, to) => html`<button type="button" class="icon" aria-label=${t(name)} title=${t(name)} onClick=${() => choose(Math.min(last, Math.max(0, to)))}>
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${ICONS[name]} /></svg></button>`;
  return html`<div class="row steps" role="group" aria-label=${t("replay")}>
    ${button("first", 0)}${button("previous", ply - 1)}
    <input type="range" min="0" max=${last} value=${ply} aria-label=${t("move")} onInput=${(event) => choose(Number(event.target.value))} />
    ${button("following", ply + 1)}${button("last", last)}
    <span class="muted small count">${t("of", ply, last)}</span>
  </div>`;
}

export function useArrows(enabled, ply, last, choose) {
  useKeys(enabled, (event) => {
    const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return false;
    choose(Math.min(last, Math.max(0, to)));
    return true;
  });
}
