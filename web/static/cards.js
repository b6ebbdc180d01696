// Cards as buttons and as pictures: a rank and, where the game has suits, a glyph of its own colour.

import { h, html, useRef } from "./vendor/preact.js";

export const RANKS = ["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "L", "B"];
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const NAMES = { T: "10", L: "joker", B: "JOKER" };

// Whether a list of card names is of ranks alone, as in Doudizhu.
export const isRanks = (cards) => cards.every((card) => RANKS.includes(card));

const rankOf = (card) => card[0];
const suitOf = (card) => (card.length > 1 ? card[1] : null);

export function cardName(card) {
  const rank = NAMES[rankOf(card)] ?? rankOf(card);
  return suitOf(card) ? `${rank} ${SUITS[suitOf(card)] ?? suitOf(card)}` : rank;
}

function face(card) {
  const rank = rankOf(card);
  const suit = suitOf(card);
  const joker = rank === "L" || rank === "B";
  return html`<span class="rank">${joker ? "★" : NAMES[rank] ?? rank}</span>
    <span class="suit">${suit ? SUITS[suit] ?? suit : joker ? (rank === "B" ? "大" : "小") : ""}</span>`;
}

function colourClass(card) {
  const suit = suitOf(card);
  return `${suit ? `suit-${suit}` : ""} ${rankOf(card) === "B" ? "red" : ""} ${rankOf(card) === "L" ? "black" : ""}`;
}

// Cards that lie on the table.
export function Cards({ cards, small }) {
  if (!cards?.length) return null;
  return html`<span class=${`cards ${small ? "small" : ""}`} role="img" aria-label=${cards.map(cardName).join(", ")}>
    ${cards.map((card) => html`<span class=${`card ${colourClass(card)}`} aria-hidden="true">${face(card)}</span>`)}
  </span>`;
}

// A move as cards where it is made of ranks, else as its text.
export function MoveText({ move, pass, small = true }) {
  if (move === null || move === undefined) return html`<span class="muted">?</span>`;
  if (move === "pass") return html`<span class="muted">${pass}</span>`;
  const cards = [...move];
  return isRanks(cards) && cards.length ? html`<${Cards} cards=${cards} small=${small} />` : html`<span>${move}</span>`;
}

// The hand of Doudizhu: a column for each rank, fifteen of them fit a phone. `chosen` is a count by rank.
// A tap takes one more card or gives it back; a stroke over columns takes or gives back, as the first touched card did.
export function RankHand({ cards, chosen, choose, disabled, label }) {
  const stroke = useRef(null);
  const columns = RANKS.map((rank) => [rank, cards.filter((card) => card === rank).length]).filter(([, n]) => n);
  const touch = (rank, place) => {
    const count = chosen[rank] ?? 0;
    return place < count ? place : place + 1;
  };
  const begin = (event, rank, place) => {
    if (disabled) return;
    const count = touch(rank, place);
    stroke.current = { taking: count > (chosen[rank] ?? 0), seen: new Set([rank]) };
    choose({ ...chosen, [rank]: count });
    event.target.releasePointerCapture?.(event.pointerId);
  };
  const move = (event) => {
    if (!stroke.current || event.buttons === 0) return;
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-rank]");
    const rank = found?.dataset.rank;
    if (!rank || stroke.current.seen.has(rank)) return;
    stroke.current.seen.add(rank);
    choose({ ...chosen, [rank]: stroke.current.taking ? Math.max(1, chosen[rank] ?? 0) : 0 });
  };
  const end = () => {
    stroke.current = null;
  };
  const arrow = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const all = [...event.currentTarget.querySelectorAll("button")];
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length]?.focus();
    event.preventDefault();
  };
  return html`<div class="hand" role="group" aria-label=${label} onPointerMove=${move} onPointerUp=${end} onPointerCancel=${end} onKeyDown=${arrow}>
    ${columns.map(([rank, count], column) => html`<div class="column" data-rank=${rank} key=${rank}>
      ${Array.from({ length: count }, (_, place) => html`<button
        type="button" class=${`card ${colourClass(rank)} ${place < (chosen[rank] ?? 0) ? "up" : ""}`} disabled=${disabled}
        aria-pressed=${place < (chosen[rank] ?? 0) ? "true" : "false"} aria-label=${`${cardName(rank)}, ${place + 1} / ${count}`}
        tabindex=${column === 0 && place === 0 ? 0 : -1}
        onPointerDown=${(event) => begin(event, rank, place)}
        onClick=${(event) => event.detail === 0 && !disabled && choose({ ...chosen, [rank]: touch(rank, place) })}>${face(rank)}</button>`)}
    </div>`)}
  </div>`;
}

export const chosenText = (chosen) => RANKS.map((rank) => rank.repeat(chosen[rank] ?? 0)).join("");
export const sorted = (text) => [...text].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b)).join("");
export function countsOf(text) {
  const counts = {};
  for (const rank of text) counts[rank] = (counts[rank] ?? 0) + 1;
  return counts;
}
export { h };
