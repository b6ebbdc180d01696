// A poker table: seats around an oval, with the chips of each before it; what moves cost, and the
// names of hands.

import { h, html } from "./vendor/preact.js";
import { cardRow, downCards, moveText, moveWord } from "./cards.js";
import { Face } from "./faces.js";
import { gameOf, playerTitle, roleTitle, shortTitle } from "./players.js";
import { element, hidden, picture, thinkingDots } from "./parts.js";
import { chips, classes, gain, pageOf, shownChips, signedChips, t } from "./words.js";

// Whether every seat pays chips into a pot.
export const isPoker = (view) => view.seats.every((one) => typeof one.facts?.paid === "number");

const about = (view) => pageOf(view.game).poker ?? {};
const opened = (view) => view.public?.public ?? [];
const dealt = (view) => opened(view).length;

// The name of the betting round, by the number of open cards; undefined where it has none.
export const streetOf = (view) => about(view).streets?.[dealt(view)];

// The chips that a move adds to the pot; undefined where the page cannot know.
export function costOf(view, move) {
  const paid = view.seats.map((one) => one.facts?.paid);
  if (!isPoker(view) || view.to_move === null) return undefined;
  const call = Math.min(
    Math.max(...paid) - paid[view.to_move],
    view.seats[view.to_move].facts.stacks ?? Infinity,
  );
  const raise = about(view).raises?.[dealt(view)];
  return move === "call" ? call : move === "raise" && raise ? call + raise : undefined;
}

const ORDER = "23456789TJQKA";

// The best hand of some cards: its name and its five cards; null before there are five.
function bestHand(cards) {
  if (!cards || cards.length < 5) return null;
  const rank = (card) => ORDER.indexOf(card[0]);
  const all = [...cards].sort((a, b) => rank(b) - rank(a));
  const counts = [...new Set(all.map(rank))]
    .map((one) => [all.filter((card) => rank(card) === one).length, one])
    .sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const straight = (some) =>
    some
      .filter((top) => rank(top) > 2)
      .map((top) =>
        [0, 1, 2, 3, 4].map((k) => some.find((card) => rank(card) === (rank(top) + 13 - k) % 13)),
      )
      .find((run) => run.every(Boolean));
  const suit = [..."shdc"].find((one) => all.filter((card) => card[1] === one).length >= 5);
  const flush = all.filter((card) => card[1] === suit);
  const named = (name, five, ranks = [rank(five[0])]) => ({
    five,
    name: t(`hand_${name}`, ...ranks.map((one) => ORDER[one].replace("T", "10"))),
  });
  // Cards of some ranks, then the highest others.
  const sets = (name, ...ranks) => {
    const inside = all.filter((card) => ranks.includes(rank(card)));
    return named(name, [...new Set([...inside, ...all])].slice(0, 5), ranks);
  };
  const [[most, first], [more, second]] = counts;
  if (straight(flush)) return named("straight_flush", straight(flush));
  if (most === 4) return sets("quads", first);
  if (most === 3 && more >= 2) return sets("full_house", first, second);
  if (suit) return named("flush", flush.slice(0, 5));
  if (straight(all)) return named("straight", straight(all));
  if (most === 3) return sets("trips", first);
  if (most === 2) return more === 2 ? sets("two_pair", first, second) : sets("pair", first);
  return sets("high", first);
}

export const handName = (cards) => bestHand(cards)?.name ?? null;

const handOf = (view, { cards }) =>
  cards && about(view).hands ? bestHand([...cards, ...opened(view)]) : null;

// The cards of the hands that won where hands were compared.
export function winning(view) {
  const shown = view.returns ? view.seats.filter((one) => !one.facts.folded) : [];
  const most = Math.max(...(view.returns ?? []));
  const found = shown
    .filter((one) => view.returns[one.seat] === most)
    .flatMap((one) => handOf(view, one)?.five ?? []);
  return shown.length > 1 && found.length ? found : undefined;
}

// A move without its amount, which lies before the seat.
const actOf = (word) => word.replace(/ ?(to|到)? ?[½¼¾\d].*$/, "");

const WORTHS = [5000, 500, 25, 5, 1, 0.5, 0.1]; // of chips, as they are shown
const MOST_CHIPS = 8;

// The chips that make an amount, the dearest first.
export function pileOf(amount) {
  const found = [];
  WORTHS.forEach((worth, k) => {
    for (; amount >= worth && found.length < MOST_CHIPS; amount -= worth) found.push(k);
  });
  return found;
}

const Chips = ({ count, children }) => html`
  <span class="bet-chip">
    <span class="pile" aria-hidden="true">
      ${pileOf(shownChips(count)).map((k) => element("i", "", `worth-${k}`))}
    </span>
    ${children}
    <b>${chips(count)}</b>
  </span>
`;

function Place({ view, seat, made, notes, thinking, next, lit }) {
  const one = view.seats[seat];
  const { stacks, paid, bets = paid, folded } = one.facts;
  const won = view.returns ? view.returns[seat] : null;
  const me = view.you ?? 0;
  const own = seat === me;
  const angle = Math.PI * (0.5 + (2 * (seat - me)) / view.seats.length);
  const at = { "--x": Math.cos(angle).toFixed(3), "--y": Math.sin(angle).toFixed(3) };
  const player = playerTitle(one.player);
  const name = shortTitle(view, seat);
  const role = roleTitle(gameOf(view.game), seat, view);
  const fresh =
    made && view.to_move !== seat && (notes[made.ply]?.street ?? streetOf(view)) === streetOf(view);
  const behind = stacks === undefined ? null : won === null ? stacks : stacks + paid + won;
  const hand = handOf(view, one)?.name;
  return html`
    <section
      class=${classes(
        "seat",
        "spot",
        own && "bottom",
        view.to_move === seat && "turn",
        folded && "folded",
        won > 0 && "winner",
      )}
      style=${at}
      aria-label=${`${player}, ${role}`}
    >
      ${one.cards
        ? cardRow(one.cards, own ? "" : "small", t("hand"), undefined, lit)
        : !own && !folded && !view.over && downCards((view.seats[me].cards ?? [1]).length, "small")}
      <div class="plate">
        ${h(Face, { player: one.player, seat })}
        <b class="name">${name}</b>
        <div class="played">
          ${next !== undefined
            ? element("span", moveText(next), "next")
            : thinking
              ? thinkingDots()
              : won !== null
                ? element("b", signedChips(won), `return ${gain(won)}`)
                : folded || fresh
                  ? h(
                      "b",
                      { class: "word", key: made?.ply },
                      folded ? t("folded") : actOf(notes[made.ply]?.word ?? moveWord(made.move)),
                    )
                  : element("small", name === role ? player : role)}
        </div>
        ${behind !== null && element("b", [hidden(`${t("stack")} `), chips(behind)], "stack")}
        ${about(view).button &&
        seat === view.seats.length - 1 &&
        picture(t("dealer"), "D", "dealer")}
      </div>
      ${(own || won !== null) && hand && !folded && element("small", hand, "made")}
    </section>
    ${won === null && bets > 0
      ? h(
          "div",
          { class: classes("spot", "stakes", own && "own"), style: at },
          h(Chips, { count: bets }),
        )
      : won > 0 &&
        h(
          "div",
          { class: "spot stakes slides", style: at, "aria-hidden": true },
          h(Chips, { count: won + paid }),
        )}
  `;
}

// The oval with all seats, the open cards and the pot without the bets that lie before the seats.
export function Ring({ view, last, notes, thinking, next }) {
  const paid = view.seats.reduce((sum, { facts }) => sum + facts.paid, 0);
  const bets = view.seats.reduce((sum, { facts }) => sum + (facts.bets ?? facts.paid), 0);
  const waiting = view.over ? 0 : bets;
  const open = opened(view);
  const pots = view.facts?.pots ?? [];
  const street = streetOf(view);
  const lit = winning(view);
  return html`
    <div class=${`ring of-${view.seats.length}`}>
      <div class="center board">
        ${open.length > 0 &&
        element("div", cardRow(open, undefined, t("public"), undefined, lit), "open-cards")}
        ${paid > waiting &&
        !view.returns &&
        element("p", h(Chips, { count: paid - waiting }), "pot")}
        ${element(
          "small",
          !view.returns &&
            [
              street && t(`value_${street}`),
              waiting > 0 && `${t("pot")} ${chips(paid)}`,
              ...(pots.length > 1 && waiting === 0 ? pots : []).map(
                (one, k) => `${t(k ? "side_pot" : "main_pot", k)} ${chips(one.chips)}`,
              ),
            ]
              .filter(Boolean)
              .join(" · "),
          "pot",
        )}
      </div>
      ${view.seats.map((_, seat) =>
        h(Place, {
          view,
          seat,
          notes,
          lit,
          made: last[seat],
          thinking: thinking === seat,
          next: view.to_move === seat ? next : undefined,
        }),
      )}
    </div>
  `;
}
