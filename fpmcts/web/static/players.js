// What games, seats and players are called.

import { t } from "./words.js";

export const YOU = "you";

let games = []; // of the server: names with options stand for a variant of a game

export const learnGames = (config) => (games = config.games);

export const baseTitle = (base) => t.known(`game_${base}`) ?? base.split(".").pop().split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join(" ");

export const variantTitle = (game) => t.known(`variant_${game.variant}`) ?? game.variant ?? t("usual");

export function gameTitle(name) {
  const [base] = name.split(":");
  const game = games.find((one) => one.name === name);
  return game?.variant ? `${baseTitle(base)} · ${variantTitle(game)}` : baseTitle(base);
}

// What is being prepared, and how far it is.
export function preparingText(config, engine) {
  const at = config.preparing;
  if (at?.game) return t("preparing", baseTitle(at.game), at.done + 1, at.games.length);
  if (engine.compiling) return t("compiling", gameTitle(engine.compiling.game), engine.compiling.seconds);
  return at ? t("loading") : "";
}

const searches = (player) => player.playouts !== null;

// A short name of a player, as the table and the log show it.
export function playerTitle(name, config) {
  if (name === YOU) return t("you");
  const found = config?.games.flatMap((game) => game.players).find((one) => one.name === name);
  if (!found) return name;
  const known = t.known(`player_${found.group}`);
  if (!known) return found.label;
  const siblings = config.games.some((game) => game.players.some((one) => one.group === found.group && searches(one)));
  return searches(found) ? `${known} ${found.playouts}` : siblings ? `${known} · ${t("no_search")}` : known;
}

// What a player of the lobby does, in a sentence.
export function playerText(player) {
  const about = t.known(`about_${player.group}`) ?? "";
  const effort = searches(player) ? t("about_playouts", player.playouts) : player.analyses || player.group === "fpmcts" ? "" : "";
  return [about, effort, t("about_delay", player.delay)].filter(Boolean).join(" ");
}

// The role of a seat where the game has roles, else its name.
export function roleTitle(game, seat) {
  if (!game) return "";
  const { name, team } = game.seats[seat];
  const role = game.teams[team];
  return role && role !== name ? t.known(`team_${role}`) ?? role : t.known(`seat_${name}`) ?? name;
}

// Where a seat is, seen from yours, in games of three.
export function besideTitle(view, seat) {
  const count = view.seats.length;
  return count === 3 && view.you !== null && seat !== view.you ? t((seat - view.you + count) % count === 1 ? "after" : "before") : "";
}

// A seat in a line: its role, and where it is or who sits there.
export const placeTitle = (view, seat, game, config) =>
  seat === view.you ? t("you") : `${roleTitle(game, seat)} · ${besideTitle(view, seat) || (view.seats.length > 2 ? view.seats[seat].name : playerTitle(view.seats[seat].player, config))}`;

export function seatTitle(game, seat) {
  const role = roleTitle(game, seat);
  const shared = game.seats.filter((one) => one.team === game.seats[seat].team).length > 1;
  return shared ? `${role} ${game.seats[seat].name}` : role;
}
