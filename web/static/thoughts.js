// What the player thinks: the moves that were searched, the hidden hands, the value over the game.

import { html } from "./vendor/preact.js";
import { MoveText } from "./cards.js";
import { number, percent, t } from "./words.js";

export const rowScore = (row) => row.wp ?? row.points;

export function scoreText(row, digits = 1) {
  if (row.wp !== null && row.wp !== undefined)
    return `${percent(row.wp, digits)}${row.se === null || row.se === undefined ? "" : ` ± ${percent(row.se, digits)}`} %`;
  if (row.points !== null && row.points !== undefined)
    return `${number(row.points, 2)}${row.se === null || row.se === undefined ? "" : ` ± ${number(row.se, 2)}`}`;
  return "–";
}

// The root of the search. `choose` makes a row a button.
export function Moves({ result, choose }) {
  const rows = result.rows ?? [];
  if (!rows.length) return null;
  const inPoints = result.unit === "points";
  const most = Math.max(1, ...rows.map((row) => row.visits ?? 0));
  return html`<div class="scroll"><table class="moves">
    <thead><tr><th>${t("move")}</th><th title=${t("prior_help")}>${t("prior")}</th><th title=${t("visits_help")}>${t("visits")}</th>
      <th title=${t(inPoints ? "pts_help" : "wp_help")}>${t(inPoints ? "pts" : "wp")}</th></tr></thead>
    <tbody>${rows.slice(0, 12).map((row) => html`<tr key=${row.move}>
      <td>${choose
        ? html`<button type="button" class="link" onClick=${() => choose(row.move)}><${MoveText} move=${row.move} pass=${t("pass")} /></button>`
        : html`<${MoveText} move=${row.move} pass=${t("pass")} />`}</td>
      <td>${row.prior === null ? "–" : `${percent(row.prior, 1)} %`}</td>
      <td><span class="bar" style=${{ width: `${(48 * (row.visits ?? 0)) / most}px` }}></span> ${row.visits ?? "–"}</td>
      <td>${scoreText(row)}</td></tr>`)}</tbody></table></div>
    <p class="muted small">${result.done ?? ""}${result.total ? ` / ${result.total}` : ""}</p>`;
}

// Rank by count for each hidden seat: a cell is the chance to hold at least so many.
export function Hands({ hidden, name }) {
  if (!hidden) return null;
  return html`<div>
    <p class="muted small">${hidden.active ? t("ess", number(hidden.ess, 0)) : t("prior_only")}</p>
    ${hidden.seats.map((seat, s) => html`<figure class="belief" key=${seat}>
      <figcaption>${name(seat)}</figcaption>
      ${hidden.hands
        ? html`<ol class="posterior">${hidden.hands.filter((one) => one.seat === seat).slice(0, 10).map((one) => html`<li>
            <span class="bar" style=${{ width: `${100 * one.p}px` }}></span> ${one.cards.join(" ")} ${percent(one.p, 1)} %</li>`)}</ol>`
        : html`<div class="heat" role="img" aria-label=${t("at_least")}>${hidden.ranks.map((rank, r) => {
            const p = hidden.p[s][r];
            return html`<span class="rank-column"><b>${rank}</b>${p.slice(1).map((_, c) => {
              const share = p.slice(c + 1).reduce((a, b) => a + b, 0);
              return html`<i title=${`${rank} × ${c + 1}: ${percent(share)} %`} style=${{ opacity: 0.08 + 0.92 * share }}></i>`;
            })}</span>`;
          })}</div>`}
    </figure>`)}
    <p class="muted small">${t("at_least")}</p>
  </div>`;
}

const WIDTH = 600;
const HEIGHT = 150;

// The value at each decision with a band of two errors; a point can be chosen.
export function Curve({ decisions, ply, choose }) {
  const points = decisions.filter((one) => (one.wp ?? one.value) !== null);
  if (points.length < 2) return null;
  const shares = points.every((one) => one.wp !== null && one.wp !== undefined);
  const value = (one) => (shares ? one.wp : one.value);
  const values = points.map(value);
  const low = shares ? 0 : Math.min(...values);
  const high = shares ? 1 : Math.max(...values, low + 1e-6);
  const last = Math.max(...points.map((one) => one.ply), 1);
  const x = (one) => 24 + ((WIDTH - 36) * one.ply) / last;
  const y = (v) => HEIGHT - 14 - ((HEIGHT - 28) * (v - low)) / (high - low);
  const seats = [...new Set(points.map((one) => one.seat))];
  const path = (seat) => points.filter((one) => one.seat === seat).map((one, k) => `${k ? "L" : "M"}${x(one)} ${y(value(one))}`).join("");
  return html`<svg class="curve" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label=${t("curve")}>
    <line x1="24" x2=${WIDTH - 12} y1=${y((low + high) / 2)} y2=${y((low + high) / 2)} class="axis" />
    <text x="0" y="18">${shares ? "100" : number(high, 1)}</text><text x="0" y=${HEIGHT - 8}>${shares ? "0" : number(low, 1)}</text>
    ${seats.map((seat) => html`<path d=${path(seat)} class=${`line seat-${seat}`} />`)}
    ${points.map((one) => html`<circle key=${`${one.ply}`} cx=${x(one)} cy=${y(value(one))} r=${one.ply === ply ? 7 : 4.5} tabindex="0" role="button"
      class=${`point ${one.class ?? ""} ${one.ply === ply ? "here" : ""}`} aria-label=${`${one.ply}: ${one.move}`}
      onClick=${() => choose(one.ply)} onKeyDown=${(event) => event.key === "Enter" && choose(one.ply)}><title>${one.move} ${scoreText(one)}</title></circle>`)}
  </svg>`;
}
