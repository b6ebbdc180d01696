// The review of a finished game, shown beside the table: the curve, the mistakes with their errors,
// and another try before the answer is shown.

import { html, useEffect, useState } from "./vendor/preact.js";
import { moveText, moveWord } from "./cards.js";
import { get } from "./connection.js";
import { keep, kept, useKeys } from "./keys.js";
import { Curve, MARKS, Moves, WRONG } from "./thoughts.js";
import { Luck, Thresholds, keptThresholds } from "./skill.js";
import { lossOf, t } from "./words.js";
import { button, element, grid, hidden, note, segments } from "./parts.js";

const KEPT = "fpmcts.review";

export function Review({
  id,
  view,
  game,
  config,
  connection,
  prefs,
  name,
  say,
  fail,
  ply,
  choose,
  retry,
  setRetry,
}) {
  const [speed, setSpeed] = useState(kept(KEPT, { speed: config.review_speeds[0] }).speed);
  const [thresholds, setThresholds] = useState(() => keptThresholds(game));
  const [job, setJob] = useState(null);
  const [progress, setProgress] = useState(null);
  const [decisions, setDecisions] = useState([]);
  const [review, setReview] = useState(null);
  const [tried, setTried] = useState({}); // results of tries, by ply
  const merge = (found) =>
    setDecisions((before) => {
      const all = new Map(before.map((one) => [one.ply, one]));
      for (const one of found) all.set(one.ply, { ...all.get(one.ply), ...one });
      return [...all.values()].sort((a, b) => a.ply - b.ply);
    });
  const wrong = decisions.filter((one) => WRONG.includes(one.class) || one.class === "unclear");
  const turn = (by) => {
    if (!wrong.length) return;
    const to = by > 0 ? wrong.find((one) => one.ply > ply) : wrong.findLast((one) => one.ply < ply);
    choose((to ?? wrong.at(by > 0 ? 0 : -1)).ply);
  };
  const one = decisions.find((each) => each.ply === ply);
  const tryAgain = async () => {
    if (!one?.hidden) return;
    const seen = await get(`/api/tables/${id}/puzzle?ply=${one.ply}`).catch(fail);
    if (!seen) return;
    const attempt = (move) => {
      setRetry(null);
      setTried((before) => ({ ...before, [one.ply]: undefined }));
      connection.send({ type: "try", ply: one.ply, move }, ({ tried: found }) => {
        if (!found) return;
        setTried((before) => ({ ...before, [one.ply]: found }));
        if (found.decision) merge([{ ...found.decision, hidden: false, right: true }]);
      });
    };
    setRetry({ ply: one.ply, view: seen.view, attempt });
  };
  useKeys(prefs.keys && retry === null, (event) => {
    const act = {
      n: () => turn(1),
      N: () => turn(-1),
      r: tryAgain,
    }[event.key];
    act?.();
    return Boolean(act);
  });
  const unit = review?.unit ?? (game.reports_wins ? "wp" : "points");
  const digits = unit === "points" ? 2 : 1;
  const lossText = (which) => t("loss", lossOf(which, digits));
  const hear = (message) => {
    if (message.type === "queued") return;
    if (message.type === "progress") {
      setProgress(message);
      merge(message.decisions ?? []);
      return;
    }
    setJob(null);
    setProgress(null);
    if (!message.review) return;
    setDecisions(message.review.decisions);
    const first = message.review.decisions.find((each) => WRONG.includes(each.class));
    if (first && !review) choose(first.ply);
    setReview(message.review);
  };
  const start = (cuts) => {
    keep(KEPT, { speed });
    setJob(connection.send({ type: "review", speed, thresholds: cuts }, hear));
  };
  useEffect(() => start(thresholds), []);
  const sort = (cuts) => {
    setThresholds(cuts);
    if (review && job === null) start(cuts);
  };
  const marks = wrong.filter((each) => each.class !== "unclear").length;
  return html`
    <section class="panel review">
      <h2>${t("review")}</h2>
      ${!review &&
      job === null &&
      element("p", t(game.exact ? "exact_text" : "review_text"), "muted small no-print")}
      <div class="row no-print">
        ${job === null
          ? html`
              ${!game.exact &&
              segments(
                t("tempo"),
                config.review_speeds.map((each) => [each, t(each)]),
                speed,
                setSpeed,
              )}
              ${button(t("start_review"), () => start(thresholds), review ? "" : "primary")}
            `
          : html`
              ${button(t("stop"), () => connection.send({ type: "cancel", job }))}
              <progress
                max=${progress?.total || 1}
                value=${progress?.done ?? 0}
                aria-label=${t("review")}
              ></progress>
              <span class="small">
                ${progress
                  ? t(
                      progress.stage === 2 ? "reviewing_2" : "reviewing",
                      progress.done,
                      progress.total,
                    )
                  : "…"}
              </span>
            `}
      </div>
      ${review &&
      html`
        <div class="row no-print">
          ${button(t("next_mistake"), () => turn(1), "primary", { disabled: !wrong.length })}
          <span class="muted small">
            ${wrong.length
              ? t("mistakes_n", wrong.length)
              : t(decisions.length ? "no_mistakes" : "no_decisions")}
          </span>
          <span class="spread"></span>
          ${button(t("print"), () => print())}
        </div>
      `}
      ${review &&
      html`
        <${Thresholds} ...${{ game, unit, say }} values=${thresholds} change=${sort} />
      `}
      <${Curve}
        ...${{ unit, ply, choose }}
        points=${decisions.map((each) => ({ ...each, se: each.value_se }))}
        names=${name}
      />
      ${one &&
      html`
        <div class=${`decision ${one.class ?? ""}`}>
          <p class="played-line">
            <span class="mark" aria-hidden="true">${MARKS[one.class] ?? "…"}</span>
            ${" "}
            <b class="class">${one.class ? t(one.class) : "…"}</b>
            ${view.you === null || one.seat !== view.you ? element("small", name(one.seat)) : ""}
            ${moveText(one.move, "tiny")}
            ${" "}${one.class && one.loss > 0 ? element("span", lossText(one), "lost") : ""}
          </p>
          ${one.hidden &&
          one.class &&
          html`
            <div class="row no-print">
              ${button(t("retry"), tryAgain, "primary", { disabled: retry !== null })}
              ${button(t("show"), () =>
                connection.send({ type: "reveal", ply: one.ply }, (found) =>
                  merge(found.decisions ?? []),
                ),
              )}
            </div>
          `}
          ${tried[one.ply] &&
          html`
            <p class=${`answer ${tried[one.ply].right ? "gain" : "lose"}`}>
              ${tried[one.ply].right ? "✓ " : "✗ "} ${moveText(tried[one.ply].move, "tiny")}
              ${" "}${tried[one.ply].right
                ? t("right")
                : t("not_right", lossOf(tried[one.ply], digits))}
            </p>
          `}
          ${!one.hidden &&
          one.best &&
          one.searched !== one.move &&
          html`
            <p>
              <small>${t(one.best === one.move ? "ai_move" : "best_was")}</small>
              ${" "} ${moveText(one.searched, "tiny")}
            </p>
          `}
          ${!one.hidden &&
          one.rows &&
          html`
            <${Moves} result=${{ rows: one.rows, unit }} mark=${one.move} />
          `}
        </div>
      `}
      ${review &&
      html`
        <${Summary} ...${{ review, name, digits }} />
        <${Luck} ...${{ review, name, digits }} />
      `}
      ${marks > 0 &&
      html`
        <ol class="print-only">
          ${wrong.map(
            (each) => html`
              <li>
                ${`${t("move_n", each.ply + 1)}: ${moveWord(each.move)} – ${t(each.class)}, `}
                ${lossText(each) + (each.best ? `. ${t("best_was")}: ${moveWord(each.best)}` : "")}
              </li>
            `,
          )}
        </ol>
      `}
      ${decisions.length > 0 &&
      note(
        unit !== "points"
          ? t("caption_wp")
          : t(
              game.exact
                ? "caption_exact"
                : game.analyst === "tables"
                  ? "caption_tables"
                  : "caption_points",
              t.known(`unit_${game.unit}`) ?? game.unit,
            ),
      )}
    </section>
  `;
}

const CLASSES = ["best", "good", "better", "unclear", "inaccuracy", "mistake", "blunder"];

// Counts by class, and the cost of the decisions.
function Summary({ review, name, digits }) {
  // What the decisions of a seat lost, or (sign −1) what those better than the AI's gained.
  const part = (seat, sign) => {
    const some = review.decisions.filter((one) => one.seat === seat && sign * one.loss > 0);
    const loss = some.reduce((sum, one) => sum + sign * one.loss, 0);
    const se = Math.hypot(...some.map((one) => one.se ?? 0));
    return { loss, se, exact: review.exact };
  };
  const row = (title, cell) => [title, ...review.summary.map(cell)];
  return grid(
    [hidden(t("decisions")), ...review.summary.map((one) => name(one.seat))],
    [
      ...CLASSES.filter((each) => review.summary.some((one) => one[each])).map((each) =>
        row(
          html`
            <span class=${`mark ${each}`} aria-hidden="true">${MARKS[each]}</span>
            ${" "}${t(each)}
          `,
          (one) => one[each],
        ),
      ),
      row(t("forced"), (one) => one.forced),
      row(t("total_lost"), (one) => lossOf(part(one.seat, 1), digits)),
      row(t("gained"), (one) => lossOf(part(one.seat, -1), digits)),
    ],
    "summary",
  );
}
