// Names of games, seats and players.

import { t } from "./words.js";

export const YOU = "you";

let games = []; // from the server: a name with options is a variant of a game

export const learnGames = (config) => (games = config.games);

export const baseTitle = (base) =>
  t.known(`game_${base}`) ??
  base
    .split(".")
    .pop()
    .split("_")
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join(" ");

export const variantTitle = (game) =>
  t.known(`variant_${game.variant}`) ?? game.variant ?? t("usual");

export function gameTitle(name) {
  const [base, options] = name.split(":");
  const game = games.find((one) => one.name === name);
  return options && game?.variant ? `${baseTitle(base)} · ${variantTitle(game)}` : baseTitle(base);
}

// What is being prepared, and the progress.
export function preparingText(config, engine) {
  const at = config.preparing;
  if (at?.game) return t("preparing", baseTitle(at.game), at.done + 1, at.games.length);
  if (engine.compiling)
    return t("compiling", gameTitle(engine.compiling.game), engine.compiling.seconds);
  return at ? t("loading") : "";
}

// The player that a game proposes.
export const usual = (game) =>
  (
    game.players.find((player) => player.playouts === 64) ??
    game.players.find((player) => player.analyses) ??
    game.players[0]
  )?.name;

// Whether hands are played one after the other for a total; then points count, not wins.
export const isSeries = (game) => Boolean(game.mixes || game.reports_wins === false);

const searches = (player) => player.playouts !== null;

// The level of a searching player by its place among the speeds of its group; the number where they
// are not three.
const LEVELS = ["easy", "normal", "strong"];
function levelOf(player, config) {
  const speeds = [
    ...new Set(
      config.games
        .flatMap((game) => game.players)
        .filter((one) => one.group === player.group && searches(one))
        .map((one) => one.playouts),
    ),
  ].sort((a, b) => a - b);
  return speeds.length === LEVELS.length
    ? t(`level_${LEVELS[speeds.indexOf(player.playouts)]}`)
    : player.playouts;
}

// The short name of a player, for the table and the log.
export function playerTitle(name, config) {
  if (name === YOU) return t("you");
  const found = config?.games.flatMap((game) => game.players).find((one) => one.name === name);
  if (!found) return name;
  const known = t.known(`player_${found.group}`);
  if (!known) return found.label;
  const siblings = config.games.some((game) =>
    game.players.some((one) => one.group === found.group && searches(one)),
  );
  return searches(found)
    ? `${known} ${levelOf(found, config)}`
    : siblings
      ? `${known} · ${t("no_search")}`
      : known;
}

// One sentence about a player, for the lobby.
export function playerText(player) {
  const about = t.known(`about_${player.group}`) ?? "";
  const effort = searches(player) ? t("about_playouts", player.playouts) : "";
  return [about, effort, t("about_delay", player.delay)].filter(Boolean).join(" ");
}

// The team of a seat; where an auction finds the landlord, none before the view names one.
export function teamOf(game, seat, view) {
  const landlord = view?.facts?.landlord;
  if (typeof landlord === "number") return landlord === seat ? "landlord" : "peasants";
  return game?.teams[game.seats[seat].team] ?? "";
}

// The role of a seat where the game has roles, else its name.
export function roleTitle(game, seat, view) {
  if (!game) return "";
  const { name } = game.seats[seat];
  const role = teamOf(game, seat, view);
  return role && role !== name
    ? (t.known(`team_${role}`) ?? role)
    : (t.known(`seat_${name}`) ?? name);
}

// Where a seat is relative to yours, in three-player games.
export function besideTitle(view, seat) {
  const count = view.seats.length;
  return count === 3 && view.you !== null && seat !== view.you
    ? t((seat - view.you + count) % count === 1 ? "after" : "before")
    : "";
}

// Whether several seats have the same player, so that its name does not tell them apart.
export const sameNames = (view) =>
  new Set(view.seats.map((one) => one.player)).size < view.seats.length;

// A seat in one line: its role, and its position or player.
export const placeTitle = (view, seat, game, config) =>
  seat === view.you
    ? t("you")
    : `${roleTitle(game, seat, view)} · ${
        besideTitle(view, seat) ||
        (view.seats.length > 2
          ? view.seats[seat].name
          : playerTitle(view.seats[seat].player, config))
      }`;

export function seatTitle(game, seat, view) {
  const role = roleTitle(game, seat, view);
  const shared = game.seats.filter((one) => one.team === game.seats[seat].team).length > 1;
  return shared ? `${role} ${game.seats[seat].name}` : role;
}
