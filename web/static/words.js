// English and Chinese. `t("key", …)` fills in {0}, {1}, …; a key without a translation shows itself.

const EN = {
  title: "Card table",
  tagline: "Play Doudizhu and poker against a player that taught itself, and see what it thinks.",
  game: "Game", seats: "Seats", you: "You", mode: "Mode", start: "Deal", watch: "Watch", seed: "Deal number", random: "random",
  fair: "Fair", fair_text: "Nothing is shown before the end.",
  hints: "Hints", hints_text: "Ask what the player would do in your place. Take moves back.",
  open: "Open", open_text: "All hands face up, all thoughts shown.",
  speed: "Playouts", none: "none", greedy: "always the likeliest move", rotate: "move up a seat each hand",
  recent: "Your tables", nothing_yet: "No game yet.", open_file: "Open saved games", statistics: "Statistics", puzzles: "Puzzles", editor: "Set up a deal",
  continue: "Continue", over: "over", move_n: "move {0}", games: "Games", won: "Won", mean: "Mean", against: "against",
  settings: "Settings", language: "Language", keys: "Keyboard shortcuts", calm: "No animations", four_colours: "Four colours",
  play: "Play", pass: "Pass", hint: "Hint", clear: "Clear", undo: "Undo", type_move: "Type a move", lobby: "Lobby", next: "Next hand", again: "Play again",
  your_turn: "Your turn", thinks: "{0} is thinking", to_beat: "To beat", lead: "Lead anything", stake: "Stake", bombs: "bombs", bottom: "Bottom cards",
  cards_left: "{0} cards", passes: "pass", no_move: "–", not_legal: "These cards are no legal move here.", cannot_beat: "You cannot beat this.",
  won_game: "You won", lost_game: "You lost", game_over: "The game is over", points: "{0} points", waiting: "The engine is warming up … {0} %",
  lost: "Connection lost. Trying again …", thoughts: "Thoughts", analyse: "Think about this move", stop: "Stop", moves: "Moves", hands: "Hidden hands", curve: "The game",
  move: "Move", prior: "Prior", prior_help: "How often the network alone would play it", visits: "Playouts", visits_help: "Simulations that tried it",
  wp: "WP", wp_help: "Chance to win after it, with its standard error", pts: "Points", pts_help: "Mean points after it, with its standard error",
  ess: "counts as {0} worlds", prior_only: "prior only: all hands are still long", at_least: "chance to hold at least one, two, three, four",
  review: "Review the game", reviewing: "Reviewing … {0} of {1}", fast: "fast", normal: "normal", deep: "deep", mistakes: "Mistakes", next_mistake: "Next mistake",
  retry: "Try again", show: "Show the answer", best_was: "Best: {0}", right: "Right!", not_right: "Not better: {0} points lost.", your_try: "Choose another move.",
  best: "best", good: "good", unclear: "unclear", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", better: "better than the AI's move",
  loss: "lost {0} ± {1}", caption: "In points of winning chance. The error is that of the searches; the model's own bias is not in it.", print: "Print", download: "Download", share: "Copy link", outside: "Copy as an outside player's view", copied: "Copied.",
  replay: "Replay", first: "First", previous: "Previous", following: "Next", last: "Last", step: "Step", pause: "Pause", go_on: "Go on", tempo: "Tempo",
  pot: "Pot", paid: "paid", hand_no: "Hand {0}", total: "Total", series: "Series", log: "What happened", deal_help: "Write the hands, such as 3344556789TJQKA2B", check: "Check", take: "Play this deal",
  help: "Keys: 3–9 T J Q K A 2 L B choose cards, Shift takes all of a rank, Enter plays, Space passes, / hints, Esc clears. In a review ← → Home End, n and N for mistakes, r to try again, h hands, t moves.",
  class_thresholds: "Classes from {0} points on", solved: "Solved.", no_puzzles: "No puzzles yet: review a game, and its clear mistakes become puzzles.", all_hands: "All hands",
  landlord: "Landlord", peasants: "Peasant", before: "before you", after: "after you",
};

const ZH = {
  title: "牌桌", tagline: "与自学成才的 AI 打斗地主和扑克，并看看它在想什么。",
  game: "游戏", seats: "座位", you: "你", mode: "模式", start: "发牌", watch: "观看", seed: "牌局编号", random: "随机",
  fair: "公平", fair_text: "结束前不显示任何信息。", hints: "提示", hints_text: "可以询问 AI 会怎么出，也可以悔牌。", open: "明牌", open_text: "所有手牌与思考都公开。",
  speed: "模拟次数", none: "无", greedy: "总是最可能的一手", rotate: "每局换座",
  recent: "你的牌桌", nothing_yet: "还没有牌局。", open_file: "打开存档", statistics: "统计", puzzles: "残局", editor: "摆牌",
  continue: "继续", over: "已结束", move_n: "第 {0} 手", games: "局数", won: "胜", mean: "平均", against: "对手",
  settings: "设置", language: "语言", keys: "键盘快捷键", calm: "关闭动画", four_colours: "四色花色",
  play: "出牌", pass: "不出", hint: "提示", clear: "重选", undo: "悔牌", type_move: "输入要出的牌", lobby: "大厅", next: "下一局", again: "再来一局",
  your_turn: "轮到你", thinks: "{0} 正在思考", to_beat: "要压", lead: "任意出牌", stake: "倍数", bombs: "炸弹", bottom: "底牌",
  cards_left: "{0} 张", passes: "不出", no_move: "–", not_legal: "这些牌不能这样出。", cannot_beat: "没有能压的牌。",
  won_game: "你赢了", lost_game: "你输了", game_over: "牌局结束", points: "{0} 分", waiting: "引擎预热中 … {0} %", lost: "连接中断，正在重连 …",
  thoughts: "思考", analyse: "分析这一手", stop: "停止", moves: "着法", hands: "推测手牌", curve: "全局走势",
  move: "着法", prior: "先验", prior_help: "网络自己会出的概率", visits: "模拟", visits_help: "尝试过的模拟次数", wp: "胜率", wp_help: "出这一手后的胜率及标准误", pts: "得分", pts_help: "平均得分及标准误",
  ess: "相当于 {0} 个世界", prior_only: "仅先验：各家手牌还很多", at_least: "至少一、二、三、四张的概率",
  review: "复盘", reviewing: "复盘中 … {0} / {1}", fast: "快", normal: "标准", deep: "深", mistakes: "失误", next_mistake: "下一个失误", retry: "再试一次", show: "看答案", best_was: "最佳：{0}",
  right: "对了！", not_right: "并不更好：损失 {0}。", your_try: "请另选一手。", best: "最佳", good: "不错", unclear: "难说", inaccuracy: "欠佳", mistake: "失误", blunder: "大错", better: "比 AI 更好",
  loss: "损失 {0} ± {1}", caption: "单位为胜率百分点。误差仅为搜索误差，不含模型自身的偏差。", print: "打印", download: "下载", share: "复制链接", outside: "复制为外部程序视角", copied: "已复制。",
  replay: "回放", first: "开始", previous: "上一手", following: "下一手", last: "结尾", step: "单步", pause: "暂停", go_on: "继续", tempo: "速度",
  pot: "底池", paid: "已下", hand_no: "第 {0} 局", total: "合计", series: "累计", log: "经过", deal_help: "写出手牌，如 3344556789TJQKA2B", check: "检查", take: "打这副牌",
  help: "按键：3–9 T J Q K A 2 L B 选牌，Shift 选整组，回车出牌，空格不出，/ 提示，Esc 重选。复盘：← → Home End，n N 失误，r 再试，h 手牌，t 着法。",
  class_thresholds: "从 {0} 个百分点起分级", solved: "解出了。", no_puzzles: "还没有残局：复盘一局后，明显的失误会成为残局。", all_hands: "全部手牌",
  landlord: "地主", peasants: "农民", before: "上家", after: "下家",
};

const LANGUAGES = { en: EN, zh: ZH };
let language = "en";

export function setLanguage(name) {
  language = LANGUAGES[name] ? name : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

export function t(key, ...values) {
  const text = LANGUAGES[language][key] ?? EN[key] ?? key;
  return text.replace(/\{(\d)\}/g, (_, k) => values[Number(k)]);
}

export function systemLanguage() {
  return (navigator.language || "en").startsWith("zh") ? "zh" : "en";
}

export const number = (value, digits = 0) =>
  value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−");
export const percent = (share, digits = 0) => (share === null || share === undefined ? "–" : number(100 * share, digits));
