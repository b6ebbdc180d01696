// What a move looks and sounds like: a word across the table for bombs, rockets, springs and the
// end, and sounds made here. Nothing depends on them.

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { isThrownIn, springOf } from "./auction.js";
import { bombOf, isCardMove } from "./cards.js";
import { t } from "./words.js";

const WORDS = {
  bomb: "bomb",
  rocket: "rocket",
  spring: "spring",
  anti_spring: "anti_spring",
  won: "won_game",
  lost: "lost_game",
};
const LATER = 0.45; // seconds between the sounds of one move

// The names of what happened between two views; none unless the second follows the first by one
// move.
export function happened(before, view) {
  if (!before) return view.moves.length || view.over ? [] : ["deal"];
  if (view.moves.length !== before.moves.length + 1) return [];
  const { move } = view.moves.at(-1);
  const names = [bombOf(move) ?? (isCardMove(move) ? "card" : move === "pass" ? "pass" : "word")];
  if (springOf(view)) names.push(springOf(view));
  if (view.over && !isThrownIn(view)) {
    const won = view.returns?.[view.you];
    names.push(won > 0 ? "won" : won < 0 ? "lost" : "end");
  }
  return names;
}

let context = null; // made by a click or a key: browsers allow no sound before
let volume = 0; // to 1

export const setVolume = (wanted) => (volume = wanted);

for (const kind of ["click", "keydown"]) {
  addEventListener(kind, () => {
    if (!volume) return;
    context ??= new AudioContext();
    context.resume();
  });
}

// A source that fades from a volume within some seconds.
function fade(source, at, seconds, loud) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(volume * loud, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  source.connect(gain).connect(context.destination);
}

// A tone that glides from one frequency to another.
function tone(at, from, to, seconds, volume, type = "sine") {
  const source = context.createOscillator();
  source.type = type;
  source.frequency.setValueAtTime(from, at);
  source.frequency.exponentialRampToValueAtTime(to, at + seconds);
  fade(source, at, seconds, volume);
  source.start(at);
  source.stop(at + seconds);
}

// Noise below a frequency that glides from one value to another.
function rush(at, from, to, seconds, volume) {
  const source = context.createBufferSource();
  source.buffer = context.createBuffer(
    1,
    Math.ceil(seconds * context.sampleRate),
    context.sampleRate,
  );
  source.buffer.getChannelData(0).forEach((_, k, samples) => (samples[k] = 2 * Math.random() - 1));
  const filter = context.createBiquadFilter();
  filter.frequency.setValueAtTime(from, at);
  filter.frequency.exponentialRampToValueAtTime(to, at + seconds);
  source.connect(filter);
  fade(filter, at, seconds, volume);
  source.start(at);
}

const tune = (at, tones, pace) =>
  tones.forEach((frequency, k) =>
    tone(at + k * pace, frequency, frequency, 3 * pace, 0.1, "triangle"),
  );
const SOUNDS = {
  deal: (at) => Array.from({ length: 9 }, (_, k) => rush(at + 0.07 * k, 2500, 900, 0.05, 0.12)),
  card: (at) => rush(at, 3200, 700, 0.09, 0.3),
  pass: (at) => tone(at, 240, 190, 0.12, 0.07),
  word: (at) => tone(at, 520, 500, 0.1, 0.06, "triangle"),
  bomb: (at) => (rush(at, 1600, 50, 0.9, 0.6), tone(at, 120, 35, 0.8, 0.35)),
  rocket: (at) => (
    rush(at, 200, 6000, 0.6, 0.2),
    tone(at, 180, 1400, 0.6, 0.08),
    SOUNDS.bomb(at + 0.6)
  ),
  spring: (at) => tune(at, [523, 659, 784, 1047, 1319], 0.09),
  anti_spring: (at) => SOUNDS.spring(at),
  won: (at) => tune(at, [523, 659, 784, 1047], 0.13),
  lost: (at) => tune(at, [392, 330, 262], 0.2),
  end: (at) => tune(at, [523, 392], 0.2),
};

// What just happened in a view, over its table.
export function Effects({ view }) {
  const before = useRef(null);
  const [last, setLast] = useState({});
  useEffect(() => {
    const names = happened(before.current, view);
    before.current = view;
    if (volume && context && !document.hidden)
      names.forEach((name, k) => SOUNDS[name](context.currentTime + LATER * k));
    setLast({ word: names.filter((name) => WORDS[name]).pop(), ply: view.moves.length });
  }, [view.moves.length]);
  if (!last.word || last.ply !== view.moves.length) return null;
  return html`
    <div class=${`burst ${last.word}`} key=${last.ply} aria-hidden="true">
      <b>${t(WORDS[last.word])}</b>
    </div>
  `;
}
