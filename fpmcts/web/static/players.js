// Names of games, seats and players.

import { learnPages, ofGame, pageOf, number, t } from "./words.js";

export const YOU = "you";

let games = []; // from the server: a name with options is a variant of a game

export function learnGames(config) {
  games = config.games;
  learnPages(config.pages);
}

export const gameOf = (name) => games.find((one) => one.name === name);

export const baseTitle = (base) =>
  ofGame(base, "title") ??
  base
    .split(".")
    .pop()
    .split("_")
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join(" ");

export const variantTitle = (game) =>
  ofGame(game.base, `variant_${game.variant}`) ?? game.variant ?? t("usual");

export function gameTitle(name) {
  const [base, options] = name.split(":");
  const game = gameOf(name);
  return options && game?.variant
    ? (ofGame(base, `title_${game.variant}`) ?? `${baseTitle(base)} · ${variantTitle(game)}`)
    : baseTitle(base);
}

// What is being prepared, and the progress.
export function preparingText(config, engine) {
  const at = config.preparing;
  if (at?.game) return t("preparing", baseTitle(at.game), at.done + 1, at.games.length);
  if (engine.compiling)
    return t("compiling", gameTitle(engine.compiling.game), engine.compiling.seconds);
  return at ? t("loading") : "";
}

// What was measured of the players of a game, by name.
const strengthOf = (game) => pageOf(game.name).strength?.[game.name] ?? {};

const LEVELS = ["easy", "normal", "strong"];

// The players of a game with a measured level, the weakest first: each level and its player.
export const levelsOf = (game) =>
  LEVELS.flatMap((level) =>
    game.players
      .filter((one) => strengthOf(game)[one.name]?.level === level)
      .map((one) => [level, one]),
  );

// The players of a game and their titles: those with a measured level first.
export function byLevel(game) {
  const known = levelsOf(game).map(([, one]) => one);
  return [...new Set([...known, ...game.players])].map((one) => [one.name, levelTitle(game, one)]);
}

// The player that a game proposes.
export function usual(game) {
  const levels = Object.fromEntries(levelsOf(game));
  const found =
    levels.normal ??
    levels.strong ??
    game.players.find((player) => player.analyses) ??
    game.players[0];
  return found?.name;
}

// Whether hands are played one after the other for a total; then points count, not wins.
export const isSeries = (game) => Boolean(game.mixes || game.reports_wins === false);

// A word about a player, else about its group.
const told = (kind, player) =>
  t.known(`${kind}_${player.name}`) ?? t.known(`${kind}_${player.group}`);

export const playerOf = (name) =>
  games.flatMap((game) => game.players).find((one) => one.name === name);

// The short name of a player, for the table and the log.
export function playerTitle(name) {
  if (name === YOU) return t("you");
  const found = playerOf(name);
  if (!found) return name;
  const known = told("player", found);
  return known ? `${known} ${found.playouts ?? ""}`.trim() : found.label;
}

// Some players in words, counted where several are alike.
export function countedTitles(names) {
  const titles = [...new Set(names)].map(playerTitle);
  return titles.length < names.length
    ? t("players_n", t("numbers")[names.length], titles.join(", "))
    : titles.join(", ");
}

// A player with its level, where its strength was measured.
function levelTitle(game, player) {
  const found = strengthOf(game)[player.name];
  const title = playerTitle(player.name);
  return found ? `${t(`level_${found.level}`)} (${title})` : title;
}

// What is known of a player, for the lobby; `brief`: its strength in words.
export function playerText(game, player, brief) {
  const found = strengthOf(game)[player.name];
  const wins = found?.unit === "wp";
  const scaled = (value) =>
    found.unit === "mbb" ? number(value / 10, 0) : number(value, wins ? 1 : 2);
  const measured = () => {
    const against = playerTitle(found.against);
    if (brief && found.mean - (wins ? 50 : 0) > 2 * found.se) return t("stronger", against);
    return t(`measured_${found.unit}`, scaled(found.mean), scaled(found.se), against);
  };
  return [
    told("about", player),
    found?.mean !== undefined ? `${measured()}.` : found ? "" : t("unmeasured"),
    t("about_delay", player.delay),
  ]
    .filter(Boolean)
    .join(" ");
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
    ? (ofGame(game.name, `team_${role}`) ?? role)
    : (ofGame(game.name, `seat_${name}`) ?? name);
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

// What tells a seat apart in a word: its player, or its role where several have the same player.
export const shortTitle = (view, seat) =>
  sameNames(view) && seat !== view.you
    ? roleTitle(gameOf(view.game), seat, view)
    : playerTitle(view.seats[seat].player);

// What the player of a seat is called where no two may be called alike.
export function calledTitle(view, seat) {
  const name = playerTitle(view.seats[seat].player);
  const alike = seat !== view.you && view.seats.length > 2 && sameNames(view);
  const place = () => besideTitle(view, seat) || roleTitle(gameOf(view.game), seat, view);
  return alike ? `${name}, ${place()}` : name;
}

// A seat in one line: its role, and its position or player.
export function placeTitle(view, seat, game) {
  if (seat === view.you) return t("you");
  const beside =
    besideTitle(view, seat) || (view.seats.length === 2 && playerTitle(view.seats[seat].player));
  return beside ? `${roleTitle(game, seat, view)} · ${beside}` : seatTitle(game, seat, view);
}

// A role that tells the seats of a team apart, by their places after the landlord.
export function seatTitle(game, seat, view) {
  const role = roleTitle(game, seat, view);
  const count = game.seats.length;
  const place = (seat - (view?.facts?.landlord ?? 0) + count) % count;
  const shared = game.seats.filter((one) => one.team === game.seats[seat].team).length > 1;
  return (
    ofGame(game.name, `team_${teamOf(game, seat, view)}_${place}`) ??
    (shared ? `${role} ${game.seats[seat].name}` : role)
  );
}
