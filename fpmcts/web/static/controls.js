// Input of moves: cards of a hand, bets of any amount, a button for each legal move, or a line of
// text; with the keyboard.

import { h, html, useEffect, useState } from "./vendor/preact.js";
import { isBidding } from "./auction.js";
import { BetControls, isBets } from "./bets.js";
import {
  CardButton,
  RANKS,
  RankHand,
  cardRow,
  cheapestWith,
  chosenText,
  countsOf,
  isCardMove,
  moveWord,
  playsCards,
  sorted,
} from "./cards.js";
import { Squares, boardOf } from "./felt.js";
import { TypedMove, isFold, moveButtons, onButton, useHint, useKeys, useLater } from "./keys.js";
import { isPoker } from "./poker.js";
import { classes, t } from "./words.js";
import { button, element } from "./parts.js";

const MOST_BUTTONS = 40;
const AUTO_PASS_MS = 900; // at least; it varies, as a person's does

function rankOfKey(event) {
  const key = /^Digit([2-9])$/.exec(event.code)?.[1] ?? event.key.toUpperCase().replace("0", "T");
  return RANKS.includes(key) ? key : null;
}

function CardControls({ view, play, hint, advised, autopass, combine, say, keys, turn }) {
  const [chosen, setChosen] = useState({});
  const [, ask] = useHint(view, hint);
  const own = view.seats[view.you].cards;
  const legal = new Map(view.legal.map((move) => [move === "pass" ? "pass" : sorted(move), move]));
  const text = chosenText(chosen);
  const mayPass = legal.has("pass");
  useEffect(() => setChosen((before) => fitting(before, own)), [own.join("")]);
  const send = (move) => {
    setChosen({});
    play(move);
  };
  const bids = isBidding(view) ? view.legal : null; // there are no moves with cards yet
  const submit = () => {
    if (!turn || bids) return;
    if (!text) say(t(mayPass ? "choose_first" : "must_lead"));
    else if (!legal.has(text)) say(t("not_legal", moveWord(text)));
    else send(legal.get(text));
  };
  const pass = () => {
    if (!turn) return;
    if (bids) send(bids[0]);
    else if (mayPass) send("pass");
    else say(t("must_lead"));
  };
  const askHint = async () => {
    const found = await ask(text); // may be no selection of cards
    if (!found) return;
    setChosen(isCardMove(found) ? countsOf(found) : {});
    if (!isCardMove(found)) say(`${t("hint")}: ${moveWord(found)}`);
  };
  useKeys(keys && !view.over, (event) => {
    if (bids?.[Number(event.key) - 1]) return (send(bids[Number(event.key) - 1]), true);
    const rank = bids ? null : rankOfKey(event);
    if (rank) {
      const held = own.filter((card) => card === rank).length;
      const count = chosen[rank] ?? 0;
      if (held)
        setChosen({
          ...chosen,
          [rank]: event.shiftKey ? (count === held ? 0 : held) : (count + 1) % (held + 1),
        });
      return true;
    }
    const elsewhere = onButton(event) && !event.target.closest(".hand");
    const onCard = event.target.closest?.(".hand") && event.target.matches(":focus-visible");
    if (event.key === "Enter" && !elsewhere) submit();
    else if (event.key === " " && !elsewhere && !onCard)
      pass(); // a focused card toggles
    else if (event.key === "/") askHint();
    else if (event.key === "Escape") setChosen({});
    else return false;
    return true;
  });
  // moves, where there is one to beat
  const answers = turn && !bids && mayPass ? [...legal.values()] : null;
  const dull =
    answers?.length > 1
      ? RANKS.filter((rank) => !answers.some((move) => isCardMove(move) && move.includes(rank)))
      : [];
  const choose = (next) => {
    const [first, ...more] = chosenText(next);
    const whole =
      combine && answers && !text && first && !more.length
        ? cheapestWith(first, answers)
        : undefined;
    setChosen(whole ? countsOf(whole) : next);
  };
  const stuck = turn && legal.size === 1 && mayPass;
  useLater(stuck && autopass ? AUTO_PASS_MS * (1 + Math.random()) : null, () => send("pass"), [
    view.ply,
  ]);
  return html`
    ${h(RankHand, {
      chosen,
      choose,
      dull,
      one: view.seats[view.you],
      disabled: view.over || bids !== null,
      label: t("your_hand"),
    })}
    ${bids
      ? element(
          "div",
          [
            moveButtons({
              ...{ view, keys, moves: bids, play: send },
              keyOf: (_, k) => k + 1,
              plain: (_, k) => !k,
            }),
            advised && button(t("hint"), askHint, "", { disabled: !turn }),
          ],
          "row buttons bids",
        )
      : element(
          "div",
          [
            button(t("pass"), pass, stuck ? "primary" : "", { disabled: !turn || !mayPass }),
            hint && button(t("hint"), askHint, "", { disabled: !turn }),
            button(t("clear"), () => setChosen({}), "", { disabled: !text }),
            button(t("play"), submit, stuck ? "" : "primary", { disabled: !turn || !text }),
          ],
          "row buttons",
        )}
  `;
}

// Keeps the selected cards that are still in the hand.
function fitting(chosen, cards) {
  const kept = {};
  for (const [rank, count] of Object.entries(chosen))
    kept[rank] = Math.min(count, cards.filter((card) => card === rank).length);
  return kept;
}

// Any other game: your cards, a button for each legal move, and a line to type.
function ButtonControls({ view, turn, play, hint, keys }) {
  const [suggested, ask] = useHint(view, hint);
  const moves = turn ? view.legal : [];
  const numbered = moves.length > 0 && moves.every((move) => /^\d+$/.test(move));
  const keyOf = (move, k) =>
    numbered ? Number(move).toString(36) : k < 9 ? String(k + 1) : undefined; // after 9 comes a
  const board = boardOf(view);
  const onBoard = board && (numbered || !moves.length);
  useKeys(keys && !view.over, (event) => {
    const chosen = moves.find((move, k) => keyOf(move, k) === event.key);
    const starting = /^[a-z]$/.test(event.key) ? moves.filter((move) => move[0] === event.key) : [];
    if (chosen !== undefined) play(chosen);
    else if (starting.length === 1) play(starting[0]);
    else if (event.key === "/") ask();
    else if (event.key === "Enter" && suggested && event.target.tagName !== "BUTTON")
      play(suggested);
    else return false;
    return true;
  });
  const own = view.seats[view.you].cards;
  const tapped =
    !board &&
    own?.length > 0 &&
    (numbered
      ? moves.every((move) => own.includes(move))
      : own.every((card) => /^\d+$/.test(card))); // moves are cards of the hand
  return html`
    ${board &&
    h(Squares, {
      suggested,
      board,
      legal: moves,
      play: turn ? play : null,
    })}
    ${tapped
      ? h(
          "div",
          { class: "row lying taps", role: "group", "aria-label": t("your_hand") },
          own.map((card) =>
            h(CardButton, {
              key: card,
              card,
              shortcut: keys && moves.includes(card) ? keyOf(card) : undefined,
              disabled: !moves.includes(card),
              play: () => play(card),
            }),
          ),
        )
      : own?.length > 0 &&
        !isPoker(view) &&
        element("div", cardRow(own, undefined, t("your_hand")), "lying")}
    <div class="row buttons">
      ${moveButtons({
        ...{ view, play, suggested, keys, keyOf },
        moves: (onBoard || tapped ? [] : moves).slice(0, MOST_BUTTONS),
        plain: isFold,
      })}
      ${hint && turn && button(t("hint"), () => ask())}
    </div>
  `;
}

export function Controls(props) {
  const { view, play, extra } = props;
  const cards = playsCards(view);
  const Input = cards ? CardControls : isBets(view) ? BetControls : ButtonControls;
  const turn = view.to_move === view.you && !view.over;
  const hint = cards || props.advised ? props.hint : undefined; // only advice is marked on a button
  return html`
    <div class=${classes("controls", Input === BetControls && "bets")}>
      ${h(Input, { ...props, turn, hint })} ${h(TypedMove, { turn, play })} ${extra}
    </div>
  `;
}
