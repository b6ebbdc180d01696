// One table: the game in progress with the AI's thoughts, and afterwards its replay and review.

import { h, html, useEffect, useReducer, useRef, useState } from "./vendor/preact.js";
import { isBidding, isThrownIn } from "./auction.js";
import { Counter, cheapestFirst, madeWord, moveText, moveWord, sorted, wordAt } from "./cards.js";
import { get } from "./connection.js";
import { Controls } from "./controls.js";
import { Felt, Log } from "./felt.js";
import { onButton, useKeys, useLater } from "./keys.js";
import {
  YOU,
  calledTitle,
  gameOf,
  gameTitle,
  isSeries,
  placeTitle,
  playerTitle,
  preparingText,
  roleTitle,
  sameNames,
  usual,
} from "./players.js";
import { isPoker, streetOf } from "./poker.js";
import { Match, Steps, useReplay } from "./replay.js";
import { Review, costliest, lossText } from "./review.js";
import { Rules } from "./rules.js";
import { dealSuits } from "./suits.js";
import { Curve, Hands, Moves, Value } from "./thoughts.js";
import {
  detailed,
  gain,
  number,
  ofGame,
  pageOf,
  setUnit,
  signed,
  signedChips,
  t,
  verdict,
} from "./words.js";
import { button, element, field, icon, note, panel, segments, select } from "./parts.js";

const EMPTY = {
  view: null,
  thinking: null,
  job: null,
  factor: 1,
  values: {},
  notes: {},
  key: null, // the position that was asked about, and what was answered, by position
  results: {},
};
const SPEEDS = [64, 256, 1024];
const FIRST_PLAYOUTS = 64;
const THINK_MS = 250; // at a position of a finished game before it is thought about
const HAND =
  ".hand button[tabindex='0'], .controls .taps button:enabled, .controls .buttons button";
const DEAL_AGAIN_MS = 2500; // after a deal that was thrown in

// The value that a search found for its position, for the curve.
const kept = (values, ply, seat, message) =>
  (message.value ?? null) === null ? values : { ...values, [ply]: { ...message, ply, seat } };

// A move with its word and round in the position where it was made.
const noted = (before, after, seat, move) =>
  before && move !== null && isPoker(after)
    ? { word: madeWord(before, after, seat, move), street: streetOf(before) }
    : {};

const notesOf = (plies) =>
  Object.fromEntries(
    plies
      .slice(0, -1)
      .map((one, ply) => [ply, noted(one.view, plies[ply + 1].view, one.seat, one.move)]),
  );

// The state of the table, from the messages of the server.
function follow(state, message) {
  const result = message.rows || message.policy ? message : state.result;
  switch (message.type) {
    case "state":
      return {
        ...state,
        ...message,
        thinking: null,
        result: null,
        stuck: false,
        values: Object.fromEntries(
          Object.entries(state.values).filter(([ply]) => Number(ply) <= message.view.ply),
        ),
      };
    case "moved":
      return {
        ...state,
        ...message,
        thinking: null,
        result:
          state.view?.you === null || message.view.to_move !== message.view.you
            ? state.result
            : null,
        notes: {
          ...state.notes,
          [message.ply]: noted(state.view, message.view, message.seat, message.move),
        },
      };
    case "thinking":
      return {
        ...state,
        thinking: message,
        stuck: false,
        result,
        values: kept(state.values, state.view?.ply, message.seat, message),
      };
    case "over":
      return { ...state, ...message, thinking: null, result: null, ended: true };
    case "asked":
      return { ...state, ...message, result: null };
    case "result":
      if (message.job !== state.job || message.review || message.tried) return state;
      return {
        ...state,
        result,
        results: message.rows ? { ...state.results, [state.key]: message } : state.results,
        job: message.final ? null : state.job,
        values: kept(state.values, message.ply, message.seat, message),
      };
    case "error":
      if (message.code === "unknown_table") return { ...state, missing: true };
      // a player failed
      if (message.table !== undefined) return { ...state, thinking: null, stuck: true };
      return message.id !== undefined && message.id === state.job ? { ...state, job: null } : state;
    case "disconnected":
      return { ...state, job: null, thinking: null };
    default:
      return state;
  }
}

export function Play({
  id,
  config,
  connection,
  prefs,
  engine,
  go,
  open,
  make,
  say,
  announce,
  fail,
}) {
  const [state, tell] = useReducer(follow, EMPTY);
  const [ply, setPly] = useState(null); // null: the current position
  const [retry, setRetry] = useState(null);
  const [coach, setCoach] = useState(null); // what your last move cost
  const check = useRef(null);
  const [tab, setTab] = useState(null); // beside a finished game: "thoughts" or "review"
  const [line, setLine] = useState(null); // moves tried from the ply shown, and where they lead
  const [rules, setRules] = useState(null);
  const [review, setReview] = useState(null);
  const [progress, setProgress] = useState(null); // of the review
  const latest = useRef(null);
  // a job may just have ended
  const failed = (error) => !["disconnected", "unknown_job"].includes(error.code) && fail(error);
  useEffect(() => {
    const stop = connection.listen((message) => {
      if (message.table !== undefined && message.table !== id) return;
      if (message.type === "moved") check.current?.(message);
      if (message.type === "next") open(message.next);
      else if (message.type === "error" || message.error) failed(message.error ?? message);
      else if (message.type === "moved" || message.type === "over" || message.type === "state")
        announce(spoken(message, latest.current));
      if (message.view) latest.current = message.view;
      tell(message);
    });
    connection.join(id);
    return () => {
      stop();
      connection.leave();
    };
  }, []);
  const { summary, view } = state;
  const arrived = view !== null;
  useEffect(() => {
    if (arrived) document.querySelector(HAND)?.focus();
  }, [arrived]);
  const turn = view && view.to_move !== null && view.to_move === view.you;
  useEffect(() => {
    if (!view) return undefined;
    document.title = `${turn ? `${t("your_turn")} · ` : ""}${gameTitle(view.game)}`;
    return () => (document.title = t("title"));
  }, [turn, view?.game, prefs.language]);
  const game = gameOf(view?.game) ?? {
    players: [],
    seats: view?.seats,
    teams: [],
  };
  const bigBlind = view && pageOf(view.game).poker?.bb ? game.big_blind : 1;
  setUnit(bigBlind, prefs.bb);
  const series = isSeries(game) && !summary?.imported;
  const matchOver =
    series && summary?.series?.deals && summary.series.games >= summary.series.deals;
  const dealAgain = Boolean(state.ended && view && isThrownIn(view) && !matchOver);
  const send = (fields) => connection.send({ table: id, ...fields });
  const dealNext = () => send({ type: "next" });
  useLater(dealAgain ? DEAL_AGAIN_MS : null, dealNext, []);
  const done = Boolean(view && (view.over || summary.imported));
  const plies = useReplay(done ? id : null, view?.ply, failed);
  const last = plies ? plies.length - 1 : 0;
  const at = done && plies ? Math.min(ply ?? last, last) : null;
  const choose = (to) => {
    setRetry(null);
    setLine(null);
    setPly(Math.min(last, Math.max(0, to)));
  };
  // a game of yours ends with its review
  const usualTab =
    game.analyst && (summary?.reviewed || view?.you !== null) ? "review" : "thoughts";
  const reviewing = done && (tab ?? usualTab) === "review";
  const key = `${at ?? view?.ply} ${line?.moves ?? ""}`;
  const place = done ? { ply: at ?? 0, ...(line?.moves.length ? { line: line.moves } : {}) } : {};
  const cancel = () => connection.send({ type: "cancel", job: state.job });
  const analyse = (playouts, hear) => {
    if (done && state.job !== null) cancel();
    const job = connection.send({ type: "analyse", playouts, ...place }, hear);
    tell({ type: "asked", job, key });
  };
  const asks =
    done && plies && game.analyst && !reviewing && !(line ? line.view.over : plies[at].view.over);
  useLater(asks && !state.results[key] ? THINK_MS : null, () => analyse(FIRST_PLAYOUTS), [key]);
  useEffect(() => {
    // on a phone it is below the table
    if (reviewing && tab) document.querySelector(".review").scrollIntoView({ block: "nearest" });
  }, [reviewing]);
  // After your own move, what it cost, where that is clear: two standard errors and an inaccuracy.
  check.current = ({ ply: made, seat, move }) => {
    setCoach(null);
    if (
      !prefs.coach ||
      !game.analyst ||
      seat !== view?.you ||
      summary.mode === "fair" ||
      view.legal.length < 2
    )
      return;
    connection.send({ type: "analyse", ply: made, playouts: FIRST_PLAYOUTS }, (found) => {
      if (found.final) setCoach(costOfMove(found.rows, move, game));
    });
  };
  const explore = (moves) =>
    connection.send(
      { type: "line", ply: at, line: moves },
      (found) => found.view && setLine({ moves, view: found.view }),
    );
  useKeys(done && retry === null && line === null, (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) choose(to);
    return to !== undefined;
  });
  const play = (move) => send({ type: "play", move, rev: state.rev });
  useKeys(prefs.keys && done, (event) => {
    if (event.key !== "Enter" || onButton(event) || retry || !series || matchOver) return false;
    dealNext();
    return true;
  });
  if (!view)
    return element(
      "main",
      [
        element("header", h(Back, { go }), "bar-top"),
        element("p", state.missing ? t("error_unknown_table") : "…", "starting"),
      ],
      "play",
    );
  dealSuits(view, id, prefs.suits);
  const watching = view.you === null;
  const mine = !watching && view.to_move === view.you;
  const maySearch =
    asks || (game.analyst && !done && summary.mode !== "fair" && (mine || summary.mode === "open"));
  const searches = game.exact === false;
  const name = (seat) =>
    sameNames(view) && seat !== view.you
      ? placeTitle(view, seat, game)
      : playerTitle(view.seats[seat].player);
  // A hint is the best move, and asked for again the next best. Without an analyst, or if hands
  // must stay hidden, hints cycle through the legal moves with cards, the cheapest first: they show
  // what is possible, not what is good.
  const hint = async (now) => {
    const known =
      state.job === null && state.result?.ply === view.ply
        ? (state.result.rows ?? []).map((row) => row.move)
        : [];
    const moves = maySearch ? known : cheapestFirst(view.legal);
    const place = moves.findIndex((move) => sorted(move) === sorted(now));
    if (!maySearch || place >= 0) return moves[(place + 1) % moves.length];
    return new Promise((resolve) =>
      analyse(
        FIRST_PLAYOUTS,
        (message) =>
          (message.final || message.type === "error") &&
          resolve(message.rows?.[0]?.move ?? message.move ?? null),
      ),
    );
  };
  const share = () =>
    copy(
      summary.seed === null
        ? location.href
        : `${location.origin}/#g=${summary.game}&seed=${summary.seed}`,
      say,
    );
  const outside = () =>
    get(`/api/tables/${id}/outside`).then((text) => copy(JSON.stringify(text), say), fail);
  const again = () =>
    make({
      game: summary.game,
      seats: summary.seats,
      mode: summary.mode,
      greedy: summary.greedy,
      rotate: summary.rotate,
      ...(matchOver ? { deals: summary.series.deals } : {}),
    });
  const playOn = (seat) => {
    const seats = view.seats.map((one) =>
      one.seat === seat
        ? YOU
        : game.players.some((each) => each.name === one.player)
          ? one.player
          : usual(game),
    );
    return make({
      game: summary.game,
      continues: id,
      ply: at ?? view.ply,
      mode: summary.mode === "open" && !watching ? "open" : "hints",
      seats,
    });
  };
  const here = at === null ? view : { ...plies[at].view, you: plies[at].view.you ?? view.you };
  const next = at === null || plies[at].move === null ? undefined : plies[at].move;
  const shown = retry ? retry.view : line ? { ...line.view, you: view.you } : here;
  const result = done ? state.results[key] : state.result;
  const notes = done && plies ? notesOf(plies) : state.notes;
  const input = retry
    ? {
        key: `retry-${retry.ply}`,
        view: retry.view,
        play: retry.attempt,
        extra: button(t("give_up"), () => setRetry(null), "link"),
      }
    : line && !line.view.over
      ? {
          key,
          view: { ...line.view, you: line.view.to_move },
          play: (move) => explore([...line.moves, move]),
          extra:
            line.moves.length > 0 &&
            button(t("undo"), () => explore(line.moves.slice(0, -1)), "link"),
        }
      : !watching && !done && { ...prefs, view, play, hint, advised: maySearch };
  const worst =
    review && costliest(review.decisions.filter((one) => watching || one.seat === view.you));
  const foot = [
    review &&
      shown.over &&
      element(
        "p",
        worst
          ? t("costliest_lost", lossText(worst, review.unit))
          : t(review.decisions.length ? "no_mistakes" : "no_decisions"),
        "found",
      ),
    element(
      "div",
      [
        series && !matchOver && button(t("next"), dealNext, "primary"),
        (!series || matchOver) && !summary.imported && button(t("again"), again, "primary"),
        game.analyst &&
          tab !== "review" &&
          button(
            progress
              ? t("reviewing_n", progress.done, progress.total)
              : t(watching || (review && !worst) ? "review" : "costliest"),
            () => setTab("review"),
          ),
        plies && !shown.over && button(t("explore"), () => explore([])),
      ],
      "row buttons finish",
    ),
  ];
  return html`
    <main
      class=${`play ${done ? "over" : ""}`}
      data-ply=${view.ply}
      data-turn=${mine ? "mine" : "other"}
    >
      <header class="bar-top">
        ${h(Back, { go })}
        <h1>${gameTitle(view.game)}</h1>
        ${ofGame(view.game, "rules") && [
          icon("rules", () => setRules(view.game), "?"),
          h(Rules, { base: rules, close: () => setRules(null) }),
        ]}
        ${(game.analyst || summary.mode !== "hints") &&
        element("span", t(`mode_${summary.mode}`), "tag")}
        ${series &&
        element(
          "span",
          t("hand_no", summary.series?.number ?? 1) +
            (summary.series?.deals ? ` / ${summary.series.deals}` : ""),
          "tag",
        )}
        <span class="spread"></span>
        ${watching && !done && h(Watching, { state, send, playOn: () => playOn(view.to_move) })}
        ${summary.mode !== "fair" &&
        !done &&
        button(t("undo"), () => send({ type: "undo" }), "", { disabled: view.ply === 0 })}
      </header>
      ${engine.state !== "ready" &&
      element(
        "p",
        preparingText(config, engine) || t("waiting", number(100 * (engine.warm ?? 0))),
        "notice",
      )}
      ${coach &&
      !done &&
      h("p", { class: "notice coach", role: "status" }, [
        t("coach_cost", coach),
        " ",
        button(t("undo"), () => (setCoach(null), send({ type: "undo" })), "link"),
        button(t("close"), () => setCoach(null), "link"),
      ])}
      <div class="stage">
        <${Felt}
          notes=${notes}
          progress=${state.thinking?.total
            ? t("of", state.thinking.done, state.thinking.total)
            : ""}
          view=${shown}
          thinking=${state.thinking?.seat}
          next=${retry || line ? undefined : next}
          foot=${retry || line || !done ? "" : foot}
          status=${line
            ? [
                element("b", t("line"), "yours"),
                line.moves.map((move) => moveWord(move)).join(" · "),
                button(t("back_to_game"), () => setLine(null), "link"),
              ]
            : retry
              ? element("b", t("your_try"))
              : state.stuck
                ? [element("b", t("stuck")), button(t("try_again"), () => connection.join(id))]
                : statusText(shown, view, game, done, at, last, state.paused)}
        >
          ${input && h(Controls, { say, ...input, keys: prefs.keys })}
        <//>
        ${done && plies && h(Steps, { last, choose, ply: at, held: retry !== null })}
        ${done &&
        element(
          "div",
          [
            plies &&
              game.players.length > 0 &&
              button(t("play_on"), () => playOn(view.you ?? here.to_move), "", {
                disabled: here.over,
                title: t("play_on_help"),
              }),
            h(
              "a",
              { class: "button", href: `/api/tables/${id}/record`, download: "" },
              t("download"),
            ),
            button(t("share"), share),
          ],
          "row after",
        )}
      </div>
      <aside class="side">
        <div class="mind">
          ${done &&
          game.analyst &&
          segments(
            t("analysis"),
            ["thoughts", "review"].map((each) => [each, t(each)]),
            reviewing ? "review" : "thoughts",
            (each) => (setLine(null), setTab(each)),
            "tabs no-print",
          )}
          ${done &&
          reviewing &&
          h(Review, {
            id,
            view,
            game,
            config,
            connection,
            prefs,
            name,
            choose,
            retry,
            setRetry,
            review,
            setReview,
            progress,
            setProgress,
            fail: failed,
            ply: at,
            seeks: tab === "review",
          })}
          ${!reviewing &&
          (result || (game.analyst && (done || summary.mode !== "fair"))) &&
          html`
            <section class="panel thoughts">
              <h2>${t("thoughts")}</h2>
              ${maySearch
                ? html`
                    <div class="row think">
                      ${state.job === null || (done && state.key !== key)
                        ? !searches
                          ? button(t("ask_table"), () => analyse())
                          : [
                              element("span", t("analyse")),
                              segments(
                                t("analyse"),
                                SPEEDS.map((n, k) => [
                                  n,
                                  detailed ? n : t(config.review_speeds[k]),
                                ]),
                                result?.total,
                                analyse,
                              ),
                            ]
                        : [
                            button(t("stop"), cancel),
                            h("progress", {
                              max: state.result?.total ?? 1,
                              value: state.result?.done ?? 0,
                              "aria-label": t("analyse"),
                            }),
                          ]}
                    </div>
                  `
                : note(t(done ? "thoughts_over" : "thoughts_wait"))}
              ${maySearch && searches && !result && note(t("think_help"))}
              ${result &&
              html`
                ${element(
                  "p",
                  [
                    name(result.seat ?? view.to_move ?? 0),
                    detailed && result.total && t("of", result.done, result.total),
                    !done && result.ply < view.ply && t("before_move"),
                  ]
                    .filter(Boolean)
                    .join(" · "),
                  "whose small",
                )}
                ${h(Value, { result })}
                ${h(Moves, {
                  result,
                  word: (move) => wordAt(shown, move),
                  mark: line ? undefined : next,
                  choose: done
                    ? (move) => explore([...(line?.moves ?? []), move])
                    : mine
                      ? play
                      : null,
                })}
                ${!searches && !result.rows?.length && note(t("policy_only"))}
                ${h(Hands, {
                  hidden: result.hidden,
                  name: (seat) => placeTitle({ ...view, you: result.seat }, seat, game),
                })}
              `}
              ${h(Curve, {
                points: Object.values(state.values),
                ply: at,
                choose: done ? choose : undefined,
                unit: Object.values(state.values)[0]?.unit,
                names: name,
              })}
            </section>
          `}
          ${pageOf(view.game).poker?.hands &&
          panel("hand_order", element("p", t("hands_in_order")), "ladder")}
        </div>
        <div class="story">
          ${series &&
          summary.series?.games > 0 &&
          h(Match, {
            id,
            view,
            summary,
            over: Boolean(matchOver),
            ended: done,
            fail: failed,
          })}
          ${!done && !watching && prefs.counter && h(Counter, { view })}
          ${panel(
            "log",
            [
              h(Log, { view, notes, at, choose: done && plies && choose }),
              detailed &&
                !done &&
                view.to_move !== null &&
                (mine || summary.mode === "open") &&
                button(t("outside"), outside, "link small"),
            ],
            "told",
          )}
        </div>
      </aside>
    </main>
  `;
}

// What a move lost against the best one, in words; null where no more is clear than two errors.
export function costOfMove(rows, move, game) {
  const valueOf = (row) => (row?.wp === null ? row.points : row ? 100 * row.wp : null);
  const [best, mine] = [rows?.[0], rows?.find((row) => row.move === move)];
  if (!mine || mine.equal || best === mine || valueOf(mine) === null) return null;
  const cost = valueOf(best) - valueOf(mine);
  const error = Math.hypot(best.se ?? 0, mine.se ?? 0) * (best.wp === null ? 1 : 100);
  if (cost < game.classes[0] || cost <= 2 * error) return null;
  const [digits, unit] = best.wp === null ? [2, ""] : [0, " %"];
  return [cost, ...(error ? [error] : [])].map((x) => number(x, digits)).join(" ± ") + unit;
}

const resultText = (game, value) =>
  pageOf(game.name ?? "").poker?.bb
    ? signedChips(value)
    : t(
        `${game.unit === "chips" ? "chips" : "points"}${Math.abs(value) === 1 ? "_1" : ""}`,
        signed(value),
      );

export const Back = ({ go }) => button([element("span", "‹ "), t("home")], () => go(""), "back");

function statusText(shown, view, game, done, at, last, paused) {
  if (done && at !== last && at !== null) return element("span", t("move_n", at + 1), "muted");
  if (isThrownIn(view)) return element("b", t("thrown_in"));
  if (view.over) {
    if (view.you === null) {
      const best = Math.max(...view.returns);
      const winners = view.seats
        .filter((one) => view.returns[one.seat] === best)
        .map((one) => roleTitle(game, one.seat, view));
      return element("b", t("wins", [...new Set(winners)].join(", ")), "verdict");
    }
    const mine = view.returns[view.you];
    return [element("b", verdict(mine), `verdict ${gain(mine)}`), " ", resultText(game, mine)];
  }
  if (shown.to_move === null) return "";
  if (shown.to_move !== shown.you)
    return paused ? t("paused") : t("thinks", playerTitle(shown.seats[shown.to_move].player));
  return turnText(shown);
}

// What the seat to move is asked.
export function turnText(view) {
  const beat = view.facts?.to_beat;
  return [
    element("b", t("your_turn"), "yours"),
    " ",
    isBidding(view)
      ? t(view.legal.includes("rob") ? "ask_robbing" : `ask_${view.facts.phase}`)
      : !beat
        ? view.facts && "to_beat" in view.facts && t("lead")
        : view.legal.length === 1
          ? t("cannot_beat")
          : [t("beat"), " ", moveText(beat, "tiny")],
  ];
}

// What a screen reader says about a message.
function spoken(message, before) {
  const { view } = message;
  const parts = [];
  if (message.type === "moved")
    parts.push(
      t(
        "did",
        message.seat === null ? "" : calledTitle(view, message.seat),
        moveWord(message.move),
      ),
    );
  if (message.type === "over" || view.over)
    parts.push(
      view.you === null
        ? t("game_over")
        : `${verdict(view.returns[view.you])} ${signed(view.returns[view.you])}.`,
    );
  else if (view.to_move === view.you && view.you !== null) {
    const beat = view.facts?.to_beat;
    parts.push(`${t("your_turn")}${beat ? `, ${t("beat")} ${moveWord(beat)}` : ""}.`);
  }
  return parts.join(" ");
}

function Watching({ state, send, playOn }) {
  return [
    button(
      state.paused ? t("go_on") : t("pause"),
      () => send({ type: "pause", on: !state.paused }),
      "",
      { "aria-pressed": state.paused },
    ),
    state.paused && [
      button(t("step"), () => send({ type: "step" })),
      button(t("play_on"), playOn, "", { title: t("play_on_help") }),
    ],
    field(
      t("tempo"),
      select(
        String(state.factor),
        (factor) => send({ type: "speed", factor: Number(factor) }),
        [0.25, 0.5, 1, 2, 4].map((factor) => [String(factor), `× ${factor}`]),
      ),
      "",
      "inline",
    ),
  ];
}

async function copy(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say(t("copied"));
  } catch {
    say(text);
  }
}
