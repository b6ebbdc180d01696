// The lobby: the game, the seats, and the existing tables and files.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { Cards } from "./cards.js";
import { get, post, remove, upload } from "./connection.js";
import {
  YOU,
  baseTitle,
  gameTitle,
  isSeries,
  playerText,
  playerTitle,
  preparingText,
  seatTitle,
  usual,
  variantTitle,
} from "./players.js";
import { gain, signed, t } from "./words.js";

const DEALT = {
  doudizhu: ["K", "A", "2", "L", "B"],
  kuhn: ["J", "Q", "K"],
  leduc: ["Js", "Qh", "Ks"],
  limit_holdem: ["Ah", "Kd", "Qs"],
  no_limit_holdem: ["As", "Ad", "Kh"],
  goofspiel: ["1", "3", "5"],
  phantom_tictactoe: ["X", "O"],
};
const MOST_SHOWN = 12;
const MOST_FAULTS = 3; // lines of an opened file
const MATCHES = [0, 5, 10, 20, 50];

const baseOf = (name) => name.split(":")[0];

function NewTable({ config, wish, prepare, open, fail }) {
  const bases = (
    config.preparing?.games ?? [...new Set(config.games.map((one) => one.base))]
  ).filter((base) => !config.broken[base]);
  const [name, setName] = useState(bases.includes(baseOf(wish.g ?? "")) ? wish.g : bases[0]);
  const first = (base) =>
    config.games.find((one) => one.name === base) ?? config.games.find((one) => one.base === base);
  // undefined: not prepared yet
  const game = config.games.find((one) => one.name === name) ?? first(baseOf(name));
  const variants = config.games.filter((one) => one.base === game?.base);
  useEffect(() => {
    if (!game) prepare(baseOf(name));
  }, [name]);
  const [mine, setMine] = useState(0); // null: only watch
  const [players, setPlayers] = useState({}); // by seat; missing: the default
  const [mode, setMode] = useState("hints");
  const [seed, setSeed] = useState(wish.seed ?? "");
  const [greedy, setGreedy] = useState(false);
  const [rotate, setRotate] = useState(true);
  const [deals, setDeals] = useState(0); // of a match; 0: open end
  const player = (seat) => players[seat] ?? usual(game);
  const mayBeGreedy = game?.players.some(
    (one) => one.greedy && game.seats.some((_, seat) => seat !== mine && player(seat) === one.name),
  );
  const pick = (next) => {
    setName(next);
    setMine(0);
    setPlayers({});
  };
  const start = async (event) => {
    event.preventDefault();
    const body = {
      game: game.name,
      seats: game.seats.map((_, seat) => (seat === mine ? YOU : player(seat))),
      mode: mine === null ? "open" : mode,
    };
    if (seed !== "") body.seed = Number(seed);
    if (isSeries(game))
      Object.assign(body, {
        greedy: Boolean(greedy && mayBeGreedy),
        rotate,
        ...(deals ? { deals } : {}),
      });
    await post("/api/tables", body).then((made) => open(made.id), fail);
  };
  const radio = (group, value, checked, change, children, style = "") => html`
    <label class=${`choice ${style} ${checked ? "on" : ""}`} key=${value}>
      <input type="radio" name=${group} value=${value} checked=${checked} onChange=${change} />
      ${children}
    </label>
  `;
  return html`
    <form class="new" onSubmit=${start}>
      <fieldset class="games">
        <legend>${t("game")}</legend>
        ${bases.map((base) =>
          radio(
            "game",
            base,
            base === baseOf(name),
            () => pick(first(base)?.name ?? base),
            html`
              <span class="deck" aria-hidden="true">
                <${Cards} cards=${DEALT[base] ?? ["A", "K"]} size="small" />
              </span>
              <span>
                <b>${baseTitle(base)}</b>
                <small>
                  ${first(base)
                    ? (t.known(`text_${base}`) ?? t("text_other", first(base).seats.length))
                    : t(base === baseOf(name) ? "prepared_soon" : "prepared_later")}
                </small>
              </span>
            `,
            "game",
          ),
        )}
      </fieldset>
      ${game &&
      html`
        ${variants.length > 1 &&
        html`
          <fieldset>
            <legend>${t("variant")}</legend>
            <div class="choices">
              ${variants.map((one) =>
                radio(
                  "variant",
                  one.name,
                  one.name === game.name,
                  () => pick(one.name),
                  html`
                    <span>${variantTitle(one)}</span>
                  `,
                ),
              )}
            </div>
          </fieldset>
        `}
        <div class="columns">
          <fieldset>
            <legend>${t("your_seat")}</legend>
            <div class="choices">
              ${game.seats.map((_, seat) =>
                radio(
                  "seat",
                  seat,
                  seat === mine,
                  () => setMine(seat),
                  html`
                    <span>${seatTitle(game, seat)}</span>
                  `,
                ),
              )}
              ${radio(
                "seat",
                "watch",
                mine === null,
                () => setMine(null),
                html`
                  <span>${t("watch")}</span>
                `,
              )}
            </div>
          </fieldset>
          <fieldset>
            <legend>${t("others")}</legend>
            <div class="fields">
              ${game.seats.map(
                (_, seat) =>
                  seat !== mine &&
                  html`
                    <label class="field" key=${seat}>
                      <span>${seatTitle(game, seat)}</span>
                      <select
                        value=${player(seat)}
                        onChange=${(event) =>
                          setPlayers({ ...players, [seat]: event.target.value })}
                      >
                        ${game.players.map(
                          (one) => html`
                            <option value=${one.name} key=${one.name}>
                              ${playerTitle(one.name, config)}
                            </option>
                          `,
                        )}
                      </select>
                      <small class="muted">
                        ${playerText(
                          game.players.find((one) => one.name === player(seat)) ?? {
                            playouts: null,
                            delay: 0,
                          },
                        )}
                      </small>
                    </label>
                  `,
              )}
            </div>
          </fieldset>
        </div>
        <fieldset>
          <legend>${t("mode")}</legend>
          ${mine === null
            ? html`
                <p class="muted">${t("open_text")}</p>
              `
            : html`
                <div class="choices modes">
                  ${config.modes.map((one) =>
                    radio(
                      "mode",
                      one,
                      one === mode,
                      () => setMode(one),
                      html`
                        <span>
                          <b>${t(one)}</b>
                          <small>${t(`${one}_text`)}</small>
                        </span>
                      `,
                      "tall",
                    ),
                  )}
                </div>
              `}
        </fieldset>
        <div class="row go">
          <label class="field slim">
            <span>${t("seed")}</span>
            <input
              inputmode="numeric"
              placeholder=${t("random")}
              value=${seed}
              title=${t("seed_help")}
              autocomplete="off"
              onInput=${(event) => setSeed(event.target.value.replace(/\D/g, "").slice(0, 16))}
            />
          </label>
          ${isSeries(game) &&
          html`
            <label class="field slim">
              <span>${t("deals")}</span>
              <select
                value=${String(deals)}
                onChange=${(event) => setDeals(Number(event.target.value))}
              >
                ${MATCHES.map(
                  (count) => html`
                    <option value=${String(count)} key=${count}>${count || t("open_end")}</option>
                  `,
                )}
              </select>
            </label>
            <span class="checks">
              ${mayBeGreedy &&
              html`
                <label class="check">
                  <input
                    type="checkbox"
                    checked=${greedy}
                    onChange=${(event) => setGreedy(event.target.checked)}
                  />
                  ${" "}${t("greedy")}
                </label>
              `}
              <label class="check">
                <input
                  type="checkbox"
                  checked=${rotate}
                  onChange=${(event) => setRotate(event.target.checked)}
                />
                ${" "}${t("rotate")}
              </label>
            </span>
          `}
          <span class="spread"></span>
          <button class="primary large" type="submit">
            ${mine === null ? t("watch") : t("start")}
          </button>
        </div>
      `}
    </form>
  `;
}

function Recent({ tables, config, open, forget }) {
  const [all, setAll] = useState(false);
  if (!tables.length)
    return html`
      <p class="muted">${t("nothing_yet")}</p>
    `;
  return html`
    <ul class="recent">
      ${tables.slice(0, all ? tables.length : MOST_SHOWN).map(
        (one) => html`
          <li key=${one.id}>
            <button type="button" class="link" onClick=${() => open(one.id)}>
              <b>${gameTitle(one.game)}</b>
              <span class="muted">
                ${one.seats.map((player) => playerTitle(player, config)).join(" · ")}
              </span>
              <span
                class=${`tag ${one.over && one.you !== null ? gain(one.returns?.[one.you]) : ""}`}
              >
                ${one.over
                  ? one.you !== null && one.returns
                    ? signed(one.returns[one.you])
                    : t("over")
                  : t("move_n", one.plies + 1)}
              </span>
            </button>
            ${!one.shared &&
            html`
              <button
                type="button"
                class="icon"
                aria-label=${t("remove")}
                title=${t("remove")}
                onClick=${() => confirm(t("remove_ask")) && forget(one.id)}
              >
                ×
              </button>
            `}
          </li>
        `,
      )}
    </ul>
    ${tables.length > MOST_SHOWN &&
    html`
      <button type="button" class="link small" onClick=${() => setAll(!all)}>
        ${t("show_all", tables.length)}
      </button>
    `}
  `;
}

function Statistics({ config }) {
  const [stats, setStats] = useState([]);
  useEffect(() => {
    get("/api/stats").then(
      (answer) => setStats(answer.stats),
      () => setStats([]),
    );
  }, [config.games.length]);
  if (!stats.length) return null;
  const team = (row) => t.known(`team_${row.team}`) ?? t.known(`seat_${row.team}`) ?? row.team;
  return html`
    <section class="panel stats">
      <h2>${t("statistics")}</h2>
      <div class="scroll" tabindex="0" role="region" aria-label=${t("statistics")}>
        <table>
          <thead>
            <tr>
              ${["game", "as", "against", "games", "won", "mean"].map(
                (key) => html`
                  <th scope="col" key=${key}>${t(key)}</th>
                `,
              )}
            </tr>
          </thead>
          <tbody>
            ${stats.map((row, k) => {
              const mean = row.returns / row.games;
              const error =
                row.games > 1
                  ? Math.sqrt(Math.max(0, row.squares / row.games - mean * mean) / (row.games - 1))
                  : null;
              return html`
                <tr key=${k}>
                  <td>
                    ${gameTitle(row.game)}${" "}
                    <small class="muted">${t(`mode_${row.mode}`)}</small>
                  </td>
                  <td>${team(row)}</td>
                  <td>
                    ${[...new Set(row.opponents)].map((one) => playerTitle(one, config)).join(", ")}
                  </td>
                  <td class="num">${row.games}</td>
                  <td class="num">${row.wins}</td>
                  <td class="num">
                    ${signed(mean)}${error === null ? "" : ` ± ${error.toFixed(2)}`}
                  </td>
                </tr>
              `;
            })}
          </tbody>
        </table>
      </div>
    </section>
  `;
}

export function Lobby({ config, engine, wish, prepare, open, go, fail }) {
  const [tables, setTables] = useState([]);
  const file = useRef(null);
  const preparing = preparingText(config, engine);
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
  const tool = (name, text, act) => html`
    <li>
      <button type="button" class="tool-button" onClick=${act}>
        <b>${name}</b>
        <small>${text}</small>
      </button>
    </li>
  `;
  return html`
    <main class="lobby">
      <header class="hero">
        <div>
          <h1>${t("title")}</h1>
          <p>${t("tagline")}</p>
        </div>
        <div class="fan" aria-hidden="true"><${Cards} cards=${["3", "T", "Q", "2", "B"]} /></div>
      </header>
      ${preparing &&
      html`
        <p class="notice">${preparing}</p>
      `}
      ${Object.keys(config.broken).map(
        (base) => html`
          <p class="notice" key=${base}>${t("broken", baseTitle(base))}</p>
        `,
      )}
      ${(config.games.length > 0 || config.preparing?.games.length > 0) &&
      html`
        <section class="panel">
          <${NewTable}
            key=${`${wish.g}-${wish.seed}`}
            config=${config}
            wish=${wish}
            prepare=${prepare}
            open=${open}
            fail=${fail}
          />
        </section>
      `}
      <div class="two">
        <section class="panel">
          <h2>${t("recent")}</h2>
          <${Recent}
            tables=${tables}
            config=${config}
            open=${open}
            forget=${(id) => remove(`/api/tables/${id}`).then(refresh, fail)}
          />
        </section>
        <section class="panel">
          <h2>${t("more")}</h2>
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
        </section>
      </div>
      <${Statistics} config=${config} />
    </main>
  `;
}
