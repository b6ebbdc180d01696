// The players round the table, and what lies on it, from a view; for any game.

import { html } from "./vendor/preact.js";
import { Cards, MoveText, isRanks } from "./cards.js";
import { playerTitle } from "./lobby.js";
import { number, t } from "./words.js";

// The last move of each seat since the seat itself moved before.
export function lastMoves(view) {
  const last = {};
  const count = view.seats.length;
  view.moves.slice(-count).forEach((one) => {
    if (one.seat !== null) last[one.seat] = one.move;
  });
  return last;
}

const plain = (value) => (Array.isArray(value) ? value.map((one) => one ?? "–").join(" ") : String(value));
const label = (name) => ({ to_beat: t("to_beat"), bombs: t("bombs"), paid: t("paid"), pot: t("pot"), bottom: t("bottom") })[name] ?? name.replaceAll("_", " ");

export function Facts({ facts, skip = [] }) {
  const shown = Object.entries(facts ?? {}).filter(([name, value]) => !skip.includes(name) && value !== null && plain(value) !== "" && !name.endsWith("_seat"));
  if (!shown.length) return null;
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div key=${name}><dt>${label(name)}</dt>
    <dd>${Array.isArray(value) && value.length && isRanks(value.map(String)) ? html`<${Cards} cards=${value} small=${true} />` : plain(value)}</dd></div>`)}</dl>`;
}

export function Seat({ view, seat, config, turn, thinking, showHand = true, progress }) {
  const one = view.seats[seat];
  const move = lastMoves(view)[seat];
  const game = config.games.find((each) => each.name === view.game);
  const team = game?.teams[one.team] ?? "";
  return html`<section class=${`seat ${turn ? "turn" : ""} team-${one.team}`} aria-label=${`${one.name} ${playerTitle(one.player, config)}`}>
    <header><b>${playerTitle(one.player, config)}</b>
      ${team !== one.name && html`<span class="tag">${t(team)}</span>`}
      ${one.count !== null && html`<span class="count" title=${t("cards_left", one.count)}>${one.count}</span>`}</header>
    <div class="played" aria-live="off">${thinking
      ? html`<span class="thinking" aria-label=${t("thinks", playerTitle(one.player, config))}><i></i><i></i><i></i>${progress ? html` <small>${progress}</small>` : ""}</span>`
      : move === undefined ? html`<span class="muted">${t("no_move")}</span>` : html`<${MoveText} move=${move} pass=${t("passes")} />`}</div>
    ${showHand && one.cards && seat !== view.you && html`<${Cards} cards=${one.cards} small=${true} />`}
    <${Facts} facts=${one.facts} skip=${["played", "role"]} />
    ${view.returns && html`<p class=${`return ${view.returns[seat] > 0 ? "gain" : "lose"}`}>${view.returns[seat] > 0 ? "+" : ""}${number(view.returns[seat], Number.isInteger(view.returns[seat]) ? 0 : 2)}</p>`}
  </section>`;
}

export function Board({ view }) {
  const open = Object.entries(view.public ?? {}).filter(([, cards]) => cards?.length);
  return html`<div class="board">
    ${open.map(([name, cards]) => html`<div class="open-cards" key=${name}><span class="muted small">${label(name)}</span><${Cards} cards=${cards} /></div>`)}
    <${Facts} facts=${view.facts} skip=${["to_beat", "rules", "role"]} />
  </div>`;
}

// What happened, newest last.
export function Log({ view, config }) {
  return html`<ol class="log" aria-label=${t("log")}>${view.moves.map((one, ply) => html`<li key=${ply}>
    <span class="muted">${one.seat === null ? "?" : view.seats[one.seat].name}</span> ${one.move === "pass" ? t("passes") : one.move ?? "?"}</li>`)}
    ${view.returns && html`<li><b>${t("game_over")}</b> ${view.returns.map((value, seat) => `${playerTitle(view.seats[seat].player, config)} ${number(value, 1)}`).join(", ")}</li>`}
  </ol>`;
}
