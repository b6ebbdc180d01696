// Which card of a rank a hand plays, and suits for games in which they mean nothing: dealt at
// random, for the eye alone, from the name of the table and what is seen there, so they tell
// nothing. A card keeps its suit when it is played.

import { countsOf } from "./cards.js";
import { keep, kept } from "./keys.js";
import { pageOf } from "./words.js";

const KEPT = "fpmcts.suits";
let now; // the table
let order = kept(KEPT, {}); // in which a seat plays the cards of a rank, where a touch chose it

export function dealSuits(view, table, wanted) {
  now = { view, table, shows: wanted && pageOf(view.game).suits };
  if (order.table !== table) order = { table };
}

const countOf = (cards, rank) => countsOf(cards)[rank] ?? 0;
const playedOf = (one, rank) => countOf(one.facts.played, rank);
const hash = (text) =>
  [...text].reduce((sum, one) => Math.imul(sum ^ one.charCodeAt(), 16777619), 1);

// A seat's cards of a rank are numbered; of these, some in the order in which they are played.
const numbers = (one, rank, from, count) =>
  (order[one.seat + rank] ?? [...Array(from + count).keys()]).slice(from, from + count);
const inHand = (some) => [...some].sort().reverse();

// The places of the cards of a rank in a hand, the first to be played first.
export function placesOf(one, rank, count) {
  const some = numbers(one, rank, playedOf(one, rank), count);
  return some.map((number) => inHand(some).indexOf(number));
}

export function reorder(one, rank, places) {
  const from = playedOf(one, rank);
  const shown = inHand(numbers(one, rank, from, places.length));
  order[one.seat + rank] = [...numbers(one, rank, 0, from), ...places.map((place) => shown[place])];
  keep(KEPT, order);
}

// The suit of a numbered card. Other hands may be hidden: in the deck, the next player's cards
// follow yours, and the last player's come from the other end.
function suitOf(seat, rank, number) {
  const { view, table } = now;
  const mine = view.seats[view.you ?? 0];
  const own = playedOf(mine, rank) + countOf(mine.cards, rank);
  const by = (suit) => hash(suit + rank + table);
  const deck = [..."shdc"].sort((a, b) => by(a) - by(b));
  return deck.at([own - 1 - number, own + number, -1 - number][(seat - mine.seat + 3) % 3]);
}

// The suits of cards of a seat: of its hand or its next move, or of the move it made last.
export const suitsOf = (one, made) => (cards) =>
  cards.map((rank, k) => {
    const count = countOf(cards, rank);
    const some = numbers(one, rank, playedOf(one, rank) - (made ? count : 0), count);
    return now.shows && suitOf(one.seat, rank, inHand(some)[countOf(cards.slice(0, k), rank)]);
  });

// The suits of the open cards; of the landlord's cards they have the first numbers.
export const openSuits = (cards) =>
  cards.map(
    (rank, k) =>
      now.shows && suitOf(now.view.facts.landlord ?? 0, rank, countOf(cards.slice(0, k), rank)),
  );
