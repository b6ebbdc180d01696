// The words of the page, from words.en.json and words.zh.json. `t("key", …)` fills in {0}, {1};
// a key without a translation shows itself; `t.known` returns undefined for it.

const read = (name) => fetch(`/static/words.${name}.json`).then((found) => found.json());
const [en, zh] = await Promise.all(["en", "zh"].map(read));
const LANGUAGES = { en, zh };
let language = "en";

export function setLanguage(name) {
  language = LANGUAGES[name] ? name : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

const word = (key) => LANGUAGES[language][key] ?? en[key];

let pages = {}; // how each game presents itself, from the server

export const learnPages = (found) => (pages = found ?? {});
export const pageOf = (name) => pages[name.split(":")[0]] ?? {};

// What a game says itself in the language of the page, else what the page says.
export function ofGame(name, key) {
  const page = pageOf(name);
  for (const own of [page[language], page.en]) {
    const found = own?.[key] ?? own?.words?.[key];
    if (found) return found;
  }
  return word(key);
}

// Names of CSS classes: those that are not false, as the attribute takes them.
export const classes = (...names) => names.filter(Boolean).join(" ");

export function t(key, ...values) {
  const text = word(key) ?? key;
  return Array.isArray(text) ? text : text.replace(/\{(\d)\}/g, (_, k) => values[Number(k)]);
}
t.known = word;

export function systemLanguage() {
  return (navigator.language || "en").startsWith("zh") ? "zh" : "en";
}

const minus = (text) => text.replace("-", "−");
export const number = (value, digits = 0) =>
  value === null || value === undefined ? "–" : minus(value.toFixed(digits));
// A number with as many decimals as it has, at most two.
export const amount = (value) =>
  typeof value === "number" ? minus(String(Math.round(100 * value) / 100)) : "–";
let unit = 1; // chips of one shown

// Whether errors, counts and probabilities are shown, and what changes that.
export let detailed = false;
export let showDetails;
export const setDetails = (on, change) => ([detailed, showDetails] = [on, change]);

// Chips in big blinds, where a game has them and people want that.
export const setUnit = (bigBlind, wanted) => (unit = wanted && bigBlind > 1 ? bigBlind : 1);
export const shownChips = (value) => Math.round((100 * value) / unit) / 100;
export const takenChips = (value) => Math.round(value * unit);
export const chips = (value) => `${amount(value / unit)}${unit > 1 ? "\u00a0bb" : ""}`;
export const unitText = () => (unit > 1 ? " (bb)" : "");
export const signedChips = (value) => (value > 0 ? "+" : "") + chips(value);
export const signed = (value) => (value > 0 ? `+${amount(value)}` : amount(value));
// The style and the word of a result.
export const gain = (value) => (value > 0 ? "gain" : value < 0 ? "lose" : "");
export const verdict = (value) =>
  t(value > 0 ? "won_game" : value < 0 ? "lost_game" : "drawn_game");
// A value with its error, if it has one; `text` writes them.
export const plusMinus = (value, se, text) => text(value) + (se ? ` ± ${text(se)}` : "");
// A loss with its error; an exact loss has none.
export const lossOf = (one, digits) =>
  `${number(Math.max(0, one.loss), digits)}${one.exact ? "" : ` ± ${number(one.se, digits)}`}`;
export const percent = (share, digits = 0) =>
  share === null || share === undefined ? "–" : number(100 * share, digits);
