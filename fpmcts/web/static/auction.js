// The whole game of Doudizhu from the facts of its view: the auction, the landlord, and the factors
// of the points. The page has no other rules of it.

import { element } from "./parts.js";
import { amount, t } from "./words.js";

export const hasAuction = (view) => view.facts?.landlord !== undefined;
export const isBidding = (view) => hasAuction(view) && !view.over && view.facts.phase !== "playing";
export const isThrownIn = (view) => hasAuction(view) && view.over && view.facts.landlord === null;

const doublesAlone = (view) => view.facts.doubling === "each";

// What multiplies the points, by name; factors of 1 included.
export function factors(view) {
  const { bombs, factor, landlord, spring } = view.facts;
  if (!hasAuction(view)) return [["bombs", 2 ** bombs]];
  // Where each doubles alone, a peasant's is not in the factor of all.
  const counts = (one, seat) => one.facts.doubled && (!doublesAlone(view) || seat === landlord);
  const doubled = 2 ** view.seats.filter(counts).length;
  return [
    ["bid", factor / doubled],
    ["bombs", 2 ** bombs],
    ["spring", spring ? 2 : 1],
    ["doubling", doubled],
  ];
}

export const stake = (view) => factors(view).reduce((product, [, factor]) => product * factor, 1);

export const bidWord = (move) => t.known(`bid_${move.replace(" ", "_")}`);

// What a seat said that counts to the end: the landlord's bid, and who doubled.
export function said(view, seat) {
  if (!hasAuction(view) || view.facts.landlord === null) return [];
  const { bids, doubled } = view.seats[seat].facts;
  return [
    view.facts.landlord === seat ? bids : null,
    doubled && view.facts.phase === "playing" ? "double" : null,
  ].filter(Boolean);
}

// A spring of the landlord or of the peasants; null where there is none.
export const springOf = (view) =>
  !view.over || !view.facts?.spring
    ? null
    : view.returns[view.facts.landlord] > 0
      ? "spring"
      : "anti_spring";

// After the end: how the points came about.
export function Sum({ view }) {
  if (!hasAuction(view) || !view.over || isThrownIn(view)) return null;
  const shown = factors(view).filter(([name, factor]) => name === "bid" || factor > 1);
  return element(
    "p",
    [
      view.facts.spring && [element("b", t(springOf(view)), "yours"), " "],
      shown.map(([name, factor], k) => [
        k > 0 && " · ",
        element("small", t(`factor_${name}`)),
        " ",
        element("b", (name === "bid" ? "" : "×") + amount(factor)),
      ]),
      " = ",
      element("b", t(stake(view) === 1 ? "points_1" : "points", amount(stake(view)))),
      " ",
      element("small", t(doublesAlone(view) ? "landlord_both" : "landlord_twice")),
    ],
    "sum-line",
  );
}
