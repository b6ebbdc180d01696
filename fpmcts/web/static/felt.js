// The table from above: the players around it, the last move of each, the public cards, and your
// place below. It shows any game from its view; unknown fields are shown by their names.

import { h, html, useEffect, useRef } from "./vendor/preact.js";
import { Sum, hasAuction, said, stake } from "./auction.js";
import {
  backs,
  cardRow,
  downCards,
  highFirst,
  isRanks,
  moveText,
  moveWord,
  sheds,
  showRanks,
} from "./cards.js";
import { Effects } from "./effects.js";
import { Face } from "./faces.js";
import {
  besideTitle,
  gameOf,
  playerTitle,
  roleTitle,
  seatTitle,
  shortTitle,
  teamOf,
} from "./players.js";
import { openSuits, suitsOf } from "./suits.js";
import { amount, classes, gain, ofGame, signed, t } from "./words.js";
import { Ring, isPoker, streetOf } from "./poker.js";
import { button, element, grid, hidden, note, picture, scroll, thinkingDots } from "./parts.js";

// The last move of each seat within a round.
export function lastMoves(view) {
  const last = {};
  const from = Math.max(0, view.moves.length - view.seats.length);
  view.moves.slice(from).forEach((one, k) => {
    if (one.seat !== null) last[one.seat] = { move: one.move, ply: from + k };
  });
  return last;
}

function plain(value) {
  if (Array.isArray(value))
    return value.map((one) => (Array.isArray(one) ? `[${plain(one)}]` : plain(one))).join(" ");
  if (value !== null && typeof value === "object")
    return Object.entries(value)
      .map(([name, one]) => `${label(name)} ${plain(one)}`)
      .join(" · ");
  return value === null
    ? "–"
    : typeof value === "number"
      ? amount(value)
      : (t.known(`value_${value}`) ?? String(value));
}
const label = (name) => t.known(`fact_${name}`) ?? t.known(name) ?? name.replaceAll("_", " ");

// A board: rows of as many cells each, with spaces between them; a dot is an empty cell.
const isBoard = (value) =>
  Array.isArray(value) &&
  value.length > 1 &&
  value.every(
    (row) =>
      typeof row === "string" &&
      /^\S{1,2}( \S{1,2})+$/.test(row) &&
      row.split(" ").length === value[0].split(" ").length,
  );

// The board of a view and its name, where it has one.
export const boardOf = (view) =>
  Object.entries(view.facts ?? {}).find(([, value]) => isBoard(value)) ?? null;

// Cells are numbered from 1, row by row; legal ones are buttons.
export function Squares({ board: [name, rows], legal = [], play, suggested }) {
  const width = rows[0].split(" ").length;
  return html`
    <table class="squares" aria-label=${label(name)}>
      <tbody>
        ${rows.map(
          (row, y) => html`
            <tr>
              ${row.split(" ").map((cell, x) => {
                const move = String(y * width + x + 1);
                const shown = cell === "." ? element("small", move) : element("b", cell);
                return element(
                  "td",
                  play && legal.includes(move)
                    ? button(shown, () => play(move), move === suggested ? "suggested" : "", {
                        "aria-label": t("square", move),
                      })
                    : element("span", shown),
                );
              })}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

const isLines = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((line) => typeof line === "string" && line.includes(" "));

function Facts({ game, facts, skip, cards }) {
  const shown = Object.entries(facts ?? {}).filter(
    ([name, value]) =>
      !skip.includes(name) && value !== null && plain(value) !== "" && !name.endsWith("_seat"),
  );
  if (!shown.length) return null;
  return html`
    <dl class="facts">
      ${shown.map(
        ([name, value]) => html`
          <div>
            <dt>${label(name)}</dt>
            <dd>
              ${isBoard(value)
                ? h(Squares, { board: [name, value] })
                : isLines(value)
                  ? element(
                      "ol",
                      value.map((line) =>
                        element(
                          "li",
                          line.replace(/[a-z]+/g, (said) => ofGame(game, `say_${said}`) ?? said),
                        ),
                      ),
                      "lines",
                    )
                  : cards && Array.isArray(value) && value.length && isRanks(value.map(String))
                    ? cardRow(value, "small")
                    : plain(value)}
            </dd>
          </div>
        `,
      )}
    </dl>
  `;
}

// The cards of a seat, where they are seen.
const handRow = (view, one, size) =>
  one.cards &&
  (sheds(view)
    ? cardRow(highFirst(one.cards), size, t("hand"), suitsOf(one))
    : cardRow(one.cards, size, t("hand")));

function Seat({ view, seat, place, thinking, progress, made, next, notes }) {
  const one = view.seats[seat];
  const game = gameOf(view.game);
  const team = teamOf(game, seat, view);
  const turn = view.to_move === seat;
  const beat = view.facts?.to_beat_seat === seat;
  const name = playerTitle(one.player);
  const about = [roleTitle(game, seat, view), besideTitle(view, seat)].filter(Boolean).join(" · ");
  const own = view.you === null ? null : view.seats[view.you].cards;
  const down = !sheds(view) && !one.cards && own ? (one.count ?? own.length) : 0;
  return html`
    <section
      class=${classes("seat", place, turn && "turn", beat && "leads")}
      aria-label=${`${name}, ${about}`}
    >
      <header>
        <span class="disc">${h(Face, { player: one.player, seat, team })}</span>
        <span class="who">
          <b>${name}</b>
          <small>
            ${about}${said(view, seat).map((move) => element("b", moveWord(move), "said"))}
          </small>
        </span>
        ${one.count !== null &&
        sheds(view) &&
        (one.cards ? picture(t("cards_left", one.count), one.count, "tally") : backs(one.count))}
        ${view.returns &&
        seat !== view.you &&
        element("b", signed(view.returns[seat]), `return ${gain(view.returns[seat])}`)}
      </header>
      ${place !== "bottom" && handRow(view, one, sheds(view) ? "small fanned" : "small")}
      ${place !== "bottom" && down > 0 && downCards(down, "small")}
      <div class="played" key=${made?.ply}>
        ${next !== undefined
          ? element(
              "span",
              [
                element("small", t("now_plays")),
                moveText(next, undefined, undefined, suitsOf(one)),
              ],
              "next",
            )
          : thinking
            ? thinkingDots(progress)
            : made && [
                beat && element("small", t("to_beat"), "crown"),
                moveText(made.move, undefined, notes[made.ply]?.word, suitsOf(one, true)),
              ]}
      </div>
      ${h(Facts, {
        game: view.game,
        facts: one.facts,
        skip: [...(hasAuction(view) ? ["bids", "doubled"] : []), "played"],
        cards: sheds(view),
      })}
    </section>
  `;
}

// The middle of the table.
function Board({ view, children }) {
  const board = boardOf(view);
  const open = Object.entries(view.public ?? {}).filter(([, cards]) => cards?.length);
  const bombs = view.facts?.bombs;
  const auction = hasAuction(view)
    ? ["bidding", "doubling", "phase", "landlord", "factor", "spring"]
    : [];
  return html`
    <div class="board">
      ${open.map(([name, cards]) =>
        element(
          "div",
          [
            name === "bottom"
              ? cardRow(cards, "small", label(name), openSuits)
              : cardRow(cards, "", label(name)),
            element("small", label(name)),
          ],
          "open-cards",
        ),
      )}
      ${auction.length > 0 &&
      !open.length &&
      element("div", [downCards(3, "small"), element("small", t("bottom"))], "open-cards")}
      ${bombs !== undefined &&
      stake(view) > 0 &&
      element(
        "p",
        [
          element("b", `× ${stake(view)}`),
          element("small", t("stake") + (bombs ? ` · ${t("bombs_n", bombs)}` : "")),
        ],
        "stake",
      )}
      ${board && !children && h(Squares, { board })}
      ${h(Facts, {
        game: view.game,
        facts: view.facts,
        skip: ["to_beat", "rules", "role", "bombs", board?.[0], ...auction],
        cards: sheds(view),
      })}
    </div>
  `;
}

// `next` is a move about to be made, in a replay. `children`: what your own place offers instead of
// the hand; `foot`: below it.
export function Felt({ view, thinking, progress, next, status, notes = {}, foot, children }) {
  showRanks(view);
  const bottom = view.you ?? 0;
  const count = view.seats.length;
  const others = Array.from({ length: count - 1 }, (_, k) => (bottom + 1 + k) % count);
  if (count === 3) others.reverse(); // the next player sits to the right
  const places = count === 3 ? ["left", "right"] : others.map(() => "top");
  const last = lastMoves(view);
  const seat = (which, place) =>
    h(Seat, {
      key: which,
      view,
      place,
      progress,
      notes,
      seat: which,
      thinking: thinking === which,
      made: last[which],
      next: view.to_move === which ? next : undefined,
    });
  const poker = isPoker(view);
  const kind = poker ? "poker" : count === 3 ? "of-three" : count === 2 ? "of-two" : "of-many";
  return html`
    <div class=${`felt ${kind}`}>
      ${poker
        ? h(Ring, { view, last, notes, thinking, next })
        : html`
            <div class="others">${others.map((which, k) => seat(which, places[k]))}</div>
            ${h(Board, { view, children })}
          `}
      ${h(Effects, { view })}
      <div class="me">
        ${!poker && seat(bottom, "bottom")} ${status && element("p", status, "status")}
        ${h(Sum, { view })}
        ${children ||
        (view.seats[bottom].cards &&
          !poker &&
          element("div", handRow(view, view.seats[bottom]), "lying"))}
        ${foot}
      </div>
    </div>
  `;
}

// The log: a row for each round, a column for each seat. `choose` makes moves buttons, `at` marks
// one.
export function Log({ view, notes = {}, at, choose }) {
  const list = useRef(null);
  useEffect(() => {
    const region = list.current;
    if (!region) return;
    const here = region.querySelector(".here");
    region.scrollTop = here ? here.offsetTop - region.clientHeight / 2 : region.scrollHeight;
  }, [at, view.ply]);
  const textOf = (ply) => moveText(view.moves[ply].move, "tiny", notes[ply]?.word);
  const made = (ply, text = textOf(ply)) =>
    choose
      ? button(text, () => choose(ply), `link ${ply === at ? "here" : ""}`, {
          "aria-current": ply === at ? "step" : undefined,
        })
      : text;
  const game = gameOf(view.game);
  if (!view.moves.length) return note(t("no_moves_yet"));
  const region = (content) => scroll(t("log"), content, { class: "log", ref: list });
  if (isPoker(view) || view.moves.some((one) => one.seat === null)) {
    // Checks that follow each other are one row.
    const rows = [];
    view.moves.forEach((_, ply) => {
      const { word, street } = notes[ply] ?? {};
      const row = rows.at(-1);
      if (word === t("move_check") && row?.word === word && row.street === street)
        row.plies.push(ply);
      else rows.push({ word, street, plies: [ply] });
    });
    if (rows.at(-1).street && !view.over) rows.push({ street: streetOf(view), plies: [] });
    return region(html`
      <ol class="moves-made">
        ${rows.map(({ street, plies }, k) => [
          street && street !== rows[k - 1]?.street && element("li", t(`value_${street}`), "street"),
          plies.length > 0 &&
            h(
              "li",
              { value: plies[0] + 1 },
              plies.map((ply) => {
                const { seat } = view.moves[ply];
                const who = seat !== null && element("b", shortTitle(view, seat));
                return ply < plies.at(-1) ? [made(ply, who), ", "] : [who, " ", made(ply)];
              }),
            ),
        ])}
      </ol>
    `);
  }
  const rounds = [];
  view.moves.forEach((one, ply) => {
    const row = rounds.at(-1);
    const before = ply ? view.moves[ply - 1].seat : -1;
    if (row && one.seat > before && row[one.seat] === undefined) row[one.seat] = ply;
    else rounds.push({ [one.seat]: ply });
  });
  return region(
    grid(
      [
        hidden(t("round")),
        ...view.seats.map((one, seat) => [
          `${playerTitle(one.player)} `,
          element(
            "small",
            besideTitle(view, seat) ||
              (game ? (seat === view.you ? roleTitle : seatTitle)(game, seat, view) : one.name),
          ),
        ]),
      ],
      rounds.map((row, k) => [
        k + 1,
        ...view.seats.map((_, seat) => row[seat] !== undefined && made(row[seat])),
      ]),
    ),
  );
}
