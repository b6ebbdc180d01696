// Cards as buttons and as pictures: a rank, and a figure drawn here: the suit, or in games without
// suits what kind of card it is.

import { h, html, useRef } from "./vendor/preact.js";
import { bidWord } from "./auction.js";
import { kbd } from "./keys.js";
import { costOf, streetOf } from "./poker.js";
import { placesOf, reorder, suitsOf } from "./suits.js";
import { chips, classes, t } from "./words.js";
import { button, element, figure, hidden, panel, picture } from "./parts.js";

const DEAL_MS = 35; // between the cards of a hand that is dealt

export const RANKS = ["3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2", "L", "B"];
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const STAR =
  "M12 1.800l3.050 6.760 7.370.740-5.540 4.900 1.620 7.240L12 17.680l-6.500 3.760 1.620-7.240\
L1.580 9.300l7.370-.740z";
const FIGURES = {
  s: "M12 1.500C7.500 7 2.500 10 2.500 14.300c0 2.600 2 4.500 4.300 4.500 1.600 0 3-.800 3.900\
-2.100-.200 2.200-1 3.900-2.500 5.300h7.600c-1.500-1.400-2.300-3.100-2.500-5.300.9 1.300\
 2.300 2.100 3.900 2.100 2.300 0 4.300-1.900 4.300-4.500C21.500 10 16.500 7 12 1.500z",
  h: "M12 21.500C5 15.700 2 12 2 8 2 5 4.200 3 6.800 3 9 3 11 4.200 12 6.300 13 4.200 15 3\
 17.200 3 19.800 3 22 5 22 8c0 4-3 7.700-10 13.500z",
  d: "M12 1.500 20.500 12 12 22.500 3.500 12z",
  c: "M12 1.800a4.700 4.700 0 0 0-4 7.200 4.700 4.700 0 1 0 2.700 7.700C10.500 19 9.700 20.600\
 8.200 22h7.600c-1.500-1.400-2.300-3-2.500-5.300A4.700 4.700 0 1 0 16 9a4.700 4.700 0 0 0\
-4-7.200z",
  number:
    "M12 12C8.400 9 8.400 4.500 12 2c3.600 2.500 3.600 7 0 10zm0 0c3-3.600 7.500-3.600 10 0\
-2.500 3.600-7 3.600-10 0zm0 0c3.600 3 3.600 7.500 0 10-3.600-2.500-3.600-7 0-10zm0 0c-3\
 3.600-7.500 3.600-10 0 2.500-3.600 7-3.600 10 0z",
  court:
    "M3.500 18.500h17v3h-17zM3.400 16.500 1.500 6.200l5.600 4.300L12 2.500l4.900 8 5.600-4.300\
-1.900 10.300z",
  high: "M12 1l2.800 5.200 5.700-1.700-1.700 5.700L24 13l-5.200 2.800 1.700 5.700-5.700-1.700L12 25\
l-2.800-5.200-5.700 1.700 1.700-5.700L0 13l5.200-2.800-1.700-5.700 5.700 1.700z",
  joker: STAR,
};

// Hands show their highest cards first.
export const highFirst = (cards) => [...cards].reverse();

// Whether a list of card names holds only ranks, as in Doudizhu.
export const isRanks = (cards) => cards.every((card) => RANKS.includes(card));

const rankOf = (card) => card[0];
const suitOf = (card) => (card.length > 1 && SUITS[card[1]] ? card[1] : null);
const rankText = (card) =>
  suitOf(card) || card.length === 1 ? (rankOf(card) === "T" ? "10" : rankOf(card)) : card;

export function cardName(card) {
  if (card === "L" || card === "B") return t(card === "B" ? "big_joker" : "little_joker");
  return suitOf(card) ? `${rankText(card)}${SUITS[suitOf(card)]}` : rankText(card);
}

function kindOf(card, suit) {
  const rank = rankOf(card);
  if (rank === "L" || rank === "B") return "joker";
  return (
    suitOf(card) ||
    suit ||
    (["J", "Q", "K"].includes(rank)
      ? "court"
      : (byRanks ? ["A", "2"] : ["A"]).includes(rank)
        ? "high"
        : "number")
  );
}

const looks = (card, suit) =>
  `card kind-${kindOf(card, suit)} ${card === "B" ? "big" : card[0] === "T" ? "ten" : ""}`;

function face(card, suit) {
  const kind = kindOf(card, suit);
  return html`
    <b class="rank">
      ${kind === "joker"
        ? element("span", t(card === "B" ? "big_joker_face" : "little_joker_face"), "stacked")
        : rankText(card)}
    </b>
    ${figure(FIGURES[kind], { class: "figure", ...(kind === "high" && { viewBox: "0 1 24 24" }) })}
  `;
}

// Cards that lie on the table, as one picture. `suitsFor` gives suits to cards without; `lit`: the
// cards that won, the others are dark.
export function cardRow(cards, size = "", label, suitsFor, lit) {
  if (!cards?.length) return null;
  const names = cards.map(cardName).join(" ");
  const suits = suitsFor?.(cards) ?? [];
  return picture(
    label ? `${label}: ${names}` : names,
    cards.map((card, k) =>
      element(
        "span",
        face(card, suits[k]),
        classes(
          looks(card, suits[k]),
          k > 0 && card === cards[k - 1] && "same",
          lit && (lit.includes(card) ? "lit" : "unlit"),
        ),
      ),
    ),
    `cards ${size}`,
  );
}

export const CardButton = ({ card, disabled, play, shortcut }) =>
  button([face(card), shortcut && shortcut !== card && kbd(shortcut)], play, looks(card), {
    disabled,
    "aria-label": cardName(card),
    "aria-keyshortcuts": shortcut,
  });

// Face-down cards.
export const downCards = (count, size = "") =>
  picture(
    t("face_down", count),
    Array.from({ length: count }, () => element("span", "", "card down")),
    `cards ${size}`,
  );

// A stack of face-down cards with their number.
export const backs = (count) =>
  picture(t("cards_left", count), element("b", count), `backs ${count <= 2 ? "few" : ""}`);

// The word for a move in a position, with what it costs where the page knows: in betting games a
// call of nothing is a check, a raise of nothing a bet.
export function wordAt(view, move) {
  const cost = costOf(view, move);
  if (cost === 0) return t("move_check");
  const bet = move === "raise" && costOf(view, "call") === 0 && streetOf(view) !== "preflop";
  return `${bet ? t("move_bet") : moveWord(move)}${cost === undefined ? "" : ` ${chips(cost)}`}`;
}

// The word for a move that was made; a bet of any amount is named by its total.
export function madeWord(before, after, seat, move) {
  const is = after.seats[seat].facts;
  if (typeof is.stacks !== "number" || ["fold", "call"].includes(move)) return wordAt(before, move);
  const raised = before.seats.some((one) => one.facts.bets > 0);
  return t(is.stacks === 0 ? "all_in_of" : raised ? "raise_to" : "bet_of", chips(is.bets));
}

let byRanks = true;

// Whether players shed cards: such a game shows which cards each seat played.
export const sheds = (view) => view.seats.every((one) => Array.isArray(one.facts?.played));
// Whether moves are cards of your hand.
export const playsCards = (view) => sheds(view) && isRanks(view.seats[view.you]?.cards ?? []);
// Whether moves written as ranks are cards; the other moves of such a game are bids.
export const showRanks = (view) => (byRanks = sheds(view));
export const isCardMove = (move) => byRanks && Boolean(move) && isRanks([...move]);
const SHARES = { 0.25: "¼ ", 0.5: "½ ", 0.75: "¾ ", 1: "" };
// A bet by its amount or its share of the pot, as no-limit games write it.
const betWord = (move) =>
  /^r\d+$/.test(move)
    ? t("raise_to", chips(Number(move.slice(1))))
    : / pot$/.test(move)
      ? t("pots", SHARES[parseFloat(move)] ?? `${parseFloat(move)} `)
      : null;
export const moveWord = (move) =>
  move === null || move === undefined
    ? t("unseen")
    : isCardMove(move)
      ? [...move].map(cardName).join(" ")
      : ((byRanks ? bidWord(move) : undefined) ??
        t.known(`move_${move.replace("-", "_")}`) ??
        betWord(move) ??
        move);

// A move as cards if it is written as ranks, else as a word.
export const moveText = (move, size = "small", word, suitsFor) =>
  isCardMove(move)
    ? cardRow([...move], size, undefined, suitsFor)
    : element(
        "span",
        word ?? moveWord(move),
        `word ${move === "pass" ? "passed" : move === null ? "unseen" : ""}`,
      );

// The hand in a game of ranks: a column for each rank on a phone (fifteen fit), a fan on a wide
// table. `chosen` counts cards by rank. A tap selects or deselects a card; a swipe over several
// ranks does to one card of each what it did to the first. Cards of a rank are interchangeable;
// those that were touched are shown as selected before the others. `dull`: ranks that no legal move
// has.
export function RankHand({ one, chosen, choose, disabled, label, dull = [] }) {
  const stroke = useRef(null);
  const focus = useRef("");
  const { cards } = one;
  const columns = highFirst(RANKS)
    .map((rank) => [rank, cards.filter((card) => card === rank).length])
    .filter(([, count]) => count);
  const spots = columns.flatMap(([rank, count]) =>
    Array.from({ length: count }, (_, place) => `${rank}${place}`),
  );
  const roving = spots.includes(focus.current) ? focus.current : spots[0];
  const isUp = (rank, place, count) =>
    placesOf(one, rank, count)
      .slice(0, chosen[rank] ?? 0)
      .includes(place);
  // Selects or deselects the touched card; returns how many of its rank are then selected.
  const touched = (rank, place, count) => {
    const up = isUp(rank, place, count);
    const rest = placesOf(one, rank, count).filter((other) => other !== place);
    const taken = chosen[rank] ?? 0;
    reorder(
      one,
      rank,
      up ? [...rest, place] : [...rest.slice(0, taken), place, ...rest.slice(taken)],
    );
    return taken + (up ? -1 : 1);
  };
  const begin = (event, rank, place, of) => {
    if (disabled || event.button > 0) return;
    const count = touched(rank, place, of);
    stroke.current = {
      taking: count > (chosen[rank] ?? 0),
      seen: new Set([rank]),
      chosen: { ...chosen, [rank]: count },
    };
    choose(stroke.current.chosen);
    event.target.releasePointerCapture?.(event.pointerId);
  };
  const move = (event) => {
    const at = stroke.current;
    if (!at || event.buttons === 0) return;
    const rank = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-rank]")
      ?.dataset.rank;
    if (!rank || at.seen.has(rank)) return;
    at.seen.add(rank);
    at.chosen = { ...at.chosen, [rank]: at.taking ? Math.max(1, at.chosen[rank] ?? 0) : 0 };
    choose(at.chosen);
  };
  const end = () => {
    stroke.current = null;
  };
  const arrow = (event) => {
    const all = [...event.currentTarget.querySelectorAll("button")];
    const now = all.indexOf(document.activeElement);
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    all.at(to % all.length).focus();
    event.preventDefault();
  };
  return html`
    <div
      class="hand"
      role="group"
      aria-label=${label}
      onPointerMove=${move}
      onPointerUp=${end}
      onPointerCancel=${end}
      onKeyDown=${arrow}
    >
      ${columns.map(
        ([rank, count]) => html`
          <div class="column" data-rank=${rank}>
            ${Array.from({ length: count }, (_, place) => {
              const up = isUp(rank, place, count);
              const suit = suitsOf(one)(Array(count).fill(rank))[place];
              return html`
                <span
                  class=${`slot ${place === count - 1 ? "last" : ""}`}
                  style=${{ animationDelay: `${DEAL_MS * spots.indexOf(`${rank}${place}`)}ms` }}
                  key=${place}
                >
                  ${button(
                    face(rank, suit),
                    (event) =>
                      event.detail === 0 &&
                      !disabled &&
                      choose({ ...chosen, [rank]: touched(rank, place, count) }),
                    `${looks(rank, suit)} ${up ? "up" : dull.includes(rank) ? "dull" : ""}`,
                    {
                      disabled,
                      "aria-pressed": up,
                      "aria-label":
                        count > 1 ? `${cardName(rank)}, ${place + 1} / ${count}` : cardName(rank),
                      tabindex: `${rank}${place}` === roving ? 0 : -1,
                      onFocus: () => (focus.current = `${rank}${place}`),
                      onPointerDown: (event) => begin(event, rank, place, count),
                    },
                  )}
                </span>
              `;
            })}
          </div>
        `,
      )}
    </div>
  `;
}

// How many cards of each rank the other hands and hidden cards hold: the deck without your hand and
// what was played.
export function unseenCounts(view) {
  const gone = countsOf([
    ...view.seats[view.you].cards,
    ...view.seats.flatMap((one) => one.facts.played),
  ]);
  return RANKS.map((rank) => [rank, ("LB".includes(rank) ? 1 : 4) - (gone[rank] ?? 0)]);
}

// The titles of columns of ranks.
export const rankTitle = (rank) => html`
  <span aria-hidden="true">${{ T: "10", L: "☆", B: "★" }[rank] ?? rank}</span>
  ${hidden(cardName(rank))}
`;

export function Counter({ view }) {
  if (!playsCards(view)) return null;
  const counts = highFirst(unseenCounts(view));
  return panel(
    "counter",
    html`
      <table>
        <tbody>
          <tr>${counts.map(([rank]) => h("th", { scope: "col" }, rankTitle(rank)))}</tr>
          <tr>
            ${counts.map(([rank, count]) =>
              element("td", count, count === 4 ? "all" : count ? "" : "none"),
            )}
          </tr>
        </tbody>
      </table>
    `,
    "counter",
  );
}

// Whether a move is a "bomb" or the "rocket"; null for any other.
export const bombOf = (move) =>
  !isCardMove(move)
    ? null
    : ["LB", "BL"].includes(move)
      ? "rocket"
      : move.length === 4 && new Set(move).size === 1
        ? "bomb"
        : null;

// Moves with cards in the order in which a hint shows them: the lowest first, of these the longest;
// bombs, then a pass, last.
export function cheapestFirst(moves) {
  const key = (move) => {
    if (!isRanks([...move])) return Infinity;
    const counts = Object.entries(countsOf(move)).map(([rank, count]) => [
      RANKS.indexOf(rank),
      count,
    ]);
    const most = Math.max(...counts.map(([, count]) => count));
    const main = Math.max(...counts.filter(([, count]) => count === most).map(([rank]) => rank));
    const sum = counts.reduce((sum, [rank, count]) => sum + rank * count, 0);
    return (bombOf(move) ? 1e9 : 0) + 1e6 * main - 1e4 * move.length + sum;
  };
  const keys = new Map(moves.map((move) => [move, key(move)]));
  return [...moves].sort((a, b) => keys.get(a) - keys.get(b));
}

// The cheapest of some moves that has a card; undefined where none has.
export const cheapestWith = (card, moves) =>
  cheapestFirst(moves).find((move) => isRanks([...move]) && move.includes(card));

export const chosenText = (chosen) => RANKS.map((rank) => rank.repeat(chosen[rank] ?? 0)).join("");
export const sorted = (text) =>
  [...text].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b)).join("");
export function countsOf(text) {
  const counts = {};
  for (const rank of text) counts[rank] = (counts[rank] ?? 0) + 1;
  return counts;
}
