// The lobby: the game, the seats, and the existing tables and files.

import { h, html, useEffect, useRef, useState } from "./vendor/preact.js";
import { cardRow, showRanks } from "./cards.js";
import { get, remove, upload } from "./connection.js";
import { Face } from "./faces.js";
import { keep, kept } from "./keys.js";
import {
  YOU,
  baseTitle,
  byLevel,
  countedTitles,
  gameOf,
  gameTitle,
  isSeries,
  levelsOf,
  playerText,
  playerTitle,
  preparingText,
  seatTitle,
  usual,
  variantTitle,
} from "./players.js";
import { Rules } from "./rules.js";
import { Curve } from "./thoughts.js";
import { amount, classes, gain, ofGame, pageOf, plusMinus, signed, t } from "./words.js";
import {
  button,
  check,
  element,
  field,
  grid,
  icon,
  input,
  note,
  panel,
  scroll,
  segments,
  select,
  useFew,
} from "./parts.js";

const MOST_SHOWN = 12;
const MOST_FAULTS = 3; // lines of an opened file
const MATCHES = [0, 5, 10, 20, 50];

const LAST = "fpmcts.last"; // what was played last

const baseOf = (name) => name.split(":")[0];

function NewTable({ config, wish, begun, prepare, open, make }) {
  const bases = (
    config.preparing?.games ?? [...new Set(config.games.map((one) => one.base))]
  ).filter((base) => !config.broken[base]);
  const before = wish.g ? {} : kept(LAST, {});
  const first = (base) => {
    const name = pageOf(base).usual ?? base;
    const all = config.games.filter((one) => one.base === base);
    return all.find((one) => one.name === name) ?? all[0];
  };
  const [name, setName] = useState(() => {
    const wanted = wish.g ?? before.game ?? "";
    return bases.includes(baseOf(wanted)) ? wanted : (pageOf(bases[0]).usual ?? bases[0]);
  });
  // undefined: not prepared yet
  const game = gameOf(name) ?? first(baseOf(name));
  const variants = config.games.filter((one) => one.base === game?.base);
  useEffect(() => {
    if (!game) prepare(baseOf(name));
  }, [name]);
  // mine null: only watch; players by seat, missing: the default; deals of a match, 0: open end
  const [want, setWant] = useState({
    mine: 0,
    players: {},
    mode: "hints",
    greedy: false,
    rotate: true,
    deals: 0,
    ...before,
    seed: wish.seed ?? "",
  });
  const change = (some) => setWant({ ...want, ...some });
  const { mine, players, seed, greedy, rotate, deals } = want;
  const [rules, setRules] = useState(null);
  const others = game?.seats.map((_, seat) => seat).filter((seat) => seat !== mine) ?? [];
  const playerOf = (seat) =>
    game.players.find((one) => one.name === players[seat]) ??
    game.players.find((one) => one.name === usual(game));
  const mode =
    mine === null ? "open" : want.mode === "hints" && !game?.analyst ? "fair" : want.mode;
  const mayBeGreedy = others.some((seat) => playerOf(seat)?.greedy);
  const pick = (next) => {
    setName(next);
    change({ mine: 0, players: {} });
  };
  const start = (event) => {
    event.preventDefault();
    const body = {
      game: game.name,
      seats: game.seats.map((_, seat) => (seat === mine ? YOU : playerOf(seat).name)),
      mode,
      ...(seed !== "" && { seed: Number(seed) }),
      ...(isSeries(game) && { greedy: greedy && mayBeGreedy, rotate, ...(deals && { deals }) }),
    };
    keep(LAST, { ...want, game: game.name });
    make(body);
  };
  const radio = (name, value, checked, onChange, children, { style, disabled } = {}) =>
    h(
      "label",
      { class: classes("choice", style, checked && "on", disabled && "off"), key: value },
      h("input", { type: "radio", name, value, checked, disabled, onChange }),
      children,
    );
  const choice = (label, value, change, options, more) =>
    field(label, select(value, change, options), more && element("small", more, "muted"));
  const rivals = others.map((seat) => playerOf(seat).name);
  const levels = game ? levelsOf(game) : [];
  const against = (name) => change({ players: Object.fromEntries(others.map((k) => [k, name])) });
  return html`
    <form class="new" onSubmit=${start}>
      <header class="hero">
        <div class="welcome">
          <h1>${t("title")}</h1>
          <p>${t("tagline")}</p>
        </div>
        ${game &&
        html`
          <div class="rivals">
            <span class="faces">
              ${rivals.map((player, k) => h(Face, { player, seat: others[k] }))}
            </span>
            ${levels.length > 1
              ? segments(
                  t("opponents"),
                  levels.map(([level, { name }]) => [
                    name,
                    [element("b", t(`level_${level}`)), element("small", playerTitle(name))],
                  ]),
                  rivals[0],
                  against,
                )
              : choice(t("opponents"), rivals[0], against, byLevel(game))}
            ${h(
              "small",
              { title: playerText(game, playerOf(others[0])) },
              playerText(game, playerOf(others[0]), true),
            )}
          </div>
        `}
        <div class="now">
          <button class="primary large" type="submit" disabled=${!game}>
            ${mine === null ? t("watch") : t("play_now")}
            ${game && element("small", gameTitle(game.name))}
          </button>
          <small>
            ${game
              ? t(
                  mine === null ? "watch_text" : "play_text",
                  countedTitles(rivals),
                  t(`mode_${mode}`),
                )
              : t("loading")}
          </small>
          ${begun &&
          button(
            `${t("continue_game")}: ${gameTitle(begun.game)}, ${t("move_n", begun.plies + 1)}`,
            () => open(begun.id),
            "link small",
          )}
        </div>
      </header>
      <fieldset class="games panel">
        <legend class="sr">${t("game")}</legend>
        ${bases.map(
          (base) => html`
            <div class="tile">
              ${radio(
                "game",
                base,
                base === baseOf(name),
                () => pick(first(base)?.name ?? base),
                [
                  h(
                    "span",
                    { class: "deck", "aria-hidden": "true" },
                    cardRow(pageOf(base).sample ?? ["K", "A"], "small"),
                  ),
                  element("span", [
                    element("b", baseTitle(base)),
                    element(
                      "small",
                      first(base)
                        ? (ofGame(base, "text") ?? t("text_other", first(base).seats.length))
                        : t(base === baseOf(name) ? "prepared_soon" : "prepared_later"),
                    ),
                  ]),
                ],
                { style: "game" },
              )}
              ${ofGame(base, "rules") &&
              button("?", () => setRules(base), "icon help", {
                "aria-label": `${t("rules")}: ${baseTitle(base)}`,
                title: t("rules"),
              })}
            </div>
          `,
        )}
      </fieldset>
      ${h(Rules, { base: rules, close: () => setRules(null) })}
      ${game &&
      html`
        ${variants.length > 1 &&
        element(
          "fieldset",
          [
            element("legend", t("variant"), "sr"),
            element(
              "div",
              variants.map((one) =>
                radio("variant", one.name, one.name === game.name, () => pick(one.name), [
                  variantTitle(one),
                ]),
              ),
              "choices",
            ),
          ],
          "panel variants",
        )}
        <details class="panel options">
          <summary>${t("options")}</summary>
          <fieldset>
            <legend>${t("your_seat")}</legend>
            <div class="choices">
              ${game.seats.map((_, seat) =>
                radio("seat", seat, seat === mine, () => change({ mine: seat }), [
                  seatTitle(game, seat),
                ]),
              )}
              ${radio("seat", "watch", mine === null, () => change({ mine: null }), [t("watch")])}
            </div>
          </fieldset>
          <fieldset class="fields">
            <legend>${t("opponents")}</legend>
            ${others.map((seat, k) =>
              choice(
                seatTitle(game, seat),
                rivals[k],
                (name) => change({ players: { ...players, [seat]: name } }),
                byLevel(game),
                playerText(game, playerOf(seat)),
              ),
            )}
          </fieldset>
          <fieldset>
            <legend>${t("mode")}</legend>
            ${mine === null
              ? element("p", t("open_text"), "muted")
              : html`
                  <div class="choices modes">
                    ${config.modes.map((one) => {
                      const off = one === "hints" && !game.analyst;
                      return radio(
                        "mode",
                        one,
                        one === mode,
                        () => change({ mode: one }),
                        element("span", [
                          element("b", t(one)),
                          element("small", t(off ? "no_hints" : `${one}_text`)),
                        ]),
                        { style: "tall", disabled: off },
                      );
                    })}
                  </div>
                `}
          </fieldset>
          <div class="row go">
            ${field(
              t("seed"),
              input(seed, (text) => change({ seed: text.replace(/\D/g, "").slice(0, 16) }), {
                inputmode: "numeric",
                placeholder: t("random"),
                title: t("seed_help"),
              }),
              "",
              "slim",
            )}
            ${isSeries(game) &&
            html`
              ${choice(
                t("deals"),
                String(deals),
                (value) => change({ deals: Number(value) }),
                MATCHES.map((count) => [String(count), count || t("open_end")]),
              )}
              <span class="checks">
                ${mayBeGreedy && check(t("greedy"), greedy, (on) => change({ greedy: on }))}${check(
                  t("rotate"),
                  rotate,
                  (on) => change({ rotate: on }),
                )}
              </span>
            `}
          </div>
        </details>
      `}
    </form>
  `;
}

function Recent({ tables, open, forget }) {
  const [few, more] = useFew(tables, MOST_SHOWN);
  return html`
    <ul class="recent">
      ${few.map(
        (one) => html`
          <li key=${one.id}>
            ${button(
              [
                element("b", gameTitle(one.game)),
                element("span", one.seats.map(playerTitle).join(" · "), "muted"),
                element(
                  "span",
                  one.over
                    ? one.you !== null && one.returns
                      ? signed(one.returns[one.you])
                      : t("over")
                    : t("move_n", one.plies + 1),
                  `tag ${one.over && one.you !== null ? gain(one.returns?.[one.you]) : ""}`,
                ),
              ],
              () => open(one.id),
              "link",
            )}
            ${!one.shared && icon("remove", () => confirm(t("remove_ask")) && forget(one.id), "×")}
          </li>
        `,
      )}
    </ul>
    ${more}
  `;
}

// A table of results; `more` stands below it. Titles are words of the page.
const results = (name, titles, rows, more) =>
  rows.length > 0 &&
  panel(
    name,
    [
      scroll(
        t(name),
        grid(
          titles.map((key) => t(key)),
          rows,
        ),
      ),
      more,
    ],
    "stats",
  );

function Statistics({ games }) {
  const [{ stats, skill }, learn] = useState({ stats: [], skill: [] });
  const rows = skill.filter((row) => gameOf(row.game)); // else the page hears of it soon
  useEffect(() => void get("/api/stats").then(learn, () => {}), [games]);
  const team = (row) =>
    ofGame(row.game, `team_${row.team}`) ?? ofGame(row.game, `seat_${row.team}`) ?? row.team;
  const title = (row) => [gameTitle(row.game), " ", element("small", t(`mode_${row.mode}`))];
  const role = (row) => seatTitle(gameOf(row.game), row.seat, { facts: row });
  return [
    results(
      "statistics",
      ["game", "as", "against", "games", "won", "mean"],
      stats.map((row) => {
        const mean = row.returns / row.games;
        const error =
          row.games > 1
            ? Math.sqrt(Math.max(0, row.squares / row.games - mean * mean) / (row.games - 1))
            : null;
        return [
          title(row),
          team(row),
          [...new Set(row.opponents)].map((one) => playerTitle(one)).join(", "),
          row.games,
          row.wins,
          `${signed(mean)}${error === null ? "" : ` ± ${error.toFixed(2)}`}`,
        ];
      }),
    ),
    results(
      "skill",
      ["game", "as", "games", "lost_per_game"],
      rows.map((row) => {
        const { mean, error, count } = row.points.at(-1);
        return [
          title(row),
          role(row),
          count,
          plusMinus(mean, error, amount) + (row.unit === "wp" ? " %" : ""),
        ];
      }),
      [
        note(t("skill_text")),
        rows.map((row) =>
          h(Curve, {
            points: row.points.map((one, ply) => ({
              ply,
              seat: 0,
              move: null,
              value: one.mean,
              se: one.error,
            })),
            unit: "points",
            title: `${gameTitle(row.game)} · ${role(row)}`,
            tag: (one) => t("hand_no", one.ply + 2),
          }),
        ),
      ],
    ),
  ];
}

export function Lobby({ config, engine, wish, prepare, open, make, go, fail }) {
  const [tables, setTables] = useState([]);
  const file = useRef(null);
  const preparing = preparingText(config, engine);
  showRanks({ seats: [] });
  const refresh = () => get("/api/tables").then((answer) => setTables(answer.tables), fail);
  useEffect(() => void refresh(), []);
  const read = async (event) => {
    const chosen = event.target.files[0];
    if (!chosen) return;
    try {
      const answer = await upload("/api/records", await chosen.text());
      if (answer.failed.length)
        fail(
          new Error(
            answer.failed
              .slice(0, MOST_FAULTS)
              .map((one) => t("bad_line", one.line, one.text))
              .join(" ") +
              (answer.failed.length > MOST_FAULTS ? ` … (${answer.failed.length})` : ""),
          ),
        );
      if (answer.tables.length === 1) open(answer.tables[0].id);
      else refresh();
    } catch (error) {
      fail(error);
    }
    event.target.value = "";
  };
  const tool = (name, text, act) =>
    element("li", button([element("b", name), element("small", text)], act, "tool-button"));
  return html`
    <main class="lobby">
      ${preparing && element("p", preparing, "notice")}
      ${Object.keys(config.broken).map((base) =>
        element("p", t("broken", baseTitle(base)), "notice"),
      )}
      ${(config.games.length > 0 || config.preparing?.games.length > 0) &&
      h(NewTable, {
        key: `${wish.g}-${wish.seed}`,
        config,
        wish,
        prepare,
        open,
        make,
        begun: tables.find((one) => !one.over && one.you !== null && !one.shared),
      })}
      <div class="two">
        ${panel(
          "more",
          html`
            <ul class="tools">
              <input
                type="file"
                ref=${file}
                hidden
                accept=".jsonl,.json,.txt"
                aria-label=${t("open_file")}
                onChange=${read}
              />
              ${tool(t("puzzles"), t("puzzles_text"), () => go("puzzles"))}
              ${tool(t("open_file"), t("file_text"), () => file.current.click())}
              ${tool(t("editor"), t("editor_text"), () => go("editor"))}
            </ul>
          `,
        )}
        ${tables.length > 0 &&
        panel(
          "recent",
          h(Recent, {
            tables,
            open,
            forget: (id) => remove(`/api/tables/${id}`).then(refresh, fail),
          }),
        )}
      </div>
      <${Statistics} games=${config.games.length} />
    </main>
  `;
}
