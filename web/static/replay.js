// A game from its beginning, all hands open, by buttons and arrow keys.

import { html, useEffect, useState } from "./vendor/preact.js";
import { Cards, MoveText } from "./cards.js";
import { get } from "./connection.js";
import { playerTitle } from "./lobby.js";
import { t } from "./words.js";

export function useReplay(id, last, fail) {
  const [plies, setPlies] = useState(null);
  useEffect(() => {
    get(`/api/tables/${id}/replay`).then((answer) => setPlies(answer.plies), fail ?? (() => setPlies(null)));
  }, [id, last]);
  return plies;
}

export function Position({ at, config }) {
  return html`<div class="position">${at.view.seats.map((one) => html`<div class="row" key=${one.seat}>
    <span class=${`name ${at.view.to_move === one.seat ? "turn" : ""}`}>${playerTitle(one.player, config)}</span>
    <${Cards} cards=${one.cards ?? []} small=${true} />
    ${at.seat === one.seat && at.move !== null && html`<span>→ <${MoveText} move=${at.move} pass=${t("pass")} /></span>`}
  </div>`)}</div>`;
}

export function Steps({ ply, last, choose, children }) {
  return html`<div class="row steps">
    <button type="button" aria-label=${t("first")} onClick=${() => choose(0)}>⏮</button>
    <button type="button" aria-label=${t("previous")} onClick=${() => choose(Math.max(0, ply - 1))}>◀</button>
    <input type="range" min="0" max=${last} value=${ply} aria-label=${t("move")} onInput=${(event) => choose(Number(event.target.value))} />
    <button type="button" aria-label=${t("following")} onClick=${() => choose(Math.min(last, ply + 1))}>▶</button>
    <button type="button" aria-label=${t("last")} onClick=${() => choose(last)}>⏭</button>
    <span class="muted small">${ply} / ${last}</span>${children}
  </div>`;
}

export function useArrows(ply, last, choose, more = {}) {
  useEffect(() => {
    const hear = (event) => {
      if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.type !== "range") return;
      const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[event.key];
      if (to !== undefined) choose(Math.min(last, Math.max(0, to)));
      else if (more[event.key]) more[event.key]();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  });
}

export function Replay({ id, over, ply: now, config, fail }) {
  const plies = useReplay(id, now, fail);
  const [ply, choose] = useState(0);
  const last = plies ? plies.length - 1 : 0;
  useEffect(() => choose(over ? 0 : last), [plies]);
  useArrows(ply, last, choose);
  if (!plies?.[ply]) return null;
  return html`<section class="panel"><h2>${over ? t("replay") : t("all_hands")}</h2>
    <${Position} at=${plies[ply]} config=${config} />
    <${Steps} ply=${ply} last=${last} choose=${choose} />
  </section>`;
}
