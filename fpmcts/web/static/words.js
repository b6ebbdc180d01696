// English and Chinese. `t("key", …)` fills in {0}, {1}, …; a key without a translation shows itself, `t.known` tells whether there is one.

const EN = {
  loading: "Loading the games …", preparing: "Preparing {0}, game {1} of {2}, once on this machine …", prepared_later: "Not prepared yet: choose it to prepare it now.", prepared_soon: "It can be played in a few seconds.", broken: "{0} could not be prepared: the terminal of play.py says why.",
  title: "Card table", home: "Lobby",
  tagline: "Play Doudizhu and poker against players that taught themselves, see what they think, and learn where your game went wrong.",
  game: "Game", your_seat: "Your seat", others: "Other seats", you: "You", mode: "How to play", start: "Deal the cards", watch: "Only watch", seed: "Deal number", random: "random", more: "More",
  seed_help: "The same number deals the same cards again.",
  fair: "Fair", fair_text: "A real game: nothing is shown before the end.",
  hints: "Hints", hints_text: "Ask what the player would do in your place, and take moves back.",
  open: "Open", open_text: "All hands face up and every thought shown. Best for learning.",
  mode_fair: "fair game", mode_hints: "with hints", mode_open: "open hands",
  greedy: "Opponents always take their likeliest move (easier to read)", rotate: "Change seats after each hand",
  recent: "Your tables", nothing_yet: "No game yet. Deal one above.", open_file: "Open saved games …", statistics: "Your results", puzzles: "Puzzles", editor: "Set up a deal",
  puzzles_text: "Find the better move in positions from reviewed games.", editor_text: "Choose the hands yourself.", file_text: "Replay and review games that were saved.",
  over: "over", move_n: "move {0}", games: "Games", won: "Won", mean: "Mean", against: "Against", as: "As",
  game_doudizhu: "Doudizhu", game_kuhn: "Kuhn poker", game_leduc: "Leduc poker", game_limit_holdem: "Limit Hold'em",
  text_doudizhu: "Three players. The landlord, with twenty cards, plays alone against two peasants; who is rid of their cards first wins.",
  text_kuhn: "The smallest poker: three cards, one bet. Solved exactly.", text_leduc: "Six cards, two rounds of bets. Solved exactly.",
  text_limit_holdem: "Two cards each, five on the table, bets of fixed size.", text_other: "{0} seats.",
  player_fpmcts: "FPMCTS", player_rhcp: "RHCP", player_pimc: "PIMC", player_random: "Random", player_ismcts: "IS-MCTS", player_tables: "Solver", player_always_call: "Caller", player_mcts: "Tree search", player_best_hand: "Best hand", player_hand_only: "Hand only", player_maniac: "Maniac", player_lbr: "Best response", no_search: "no search",
  about_fpmcts: "Taught itself by playing.", about_rhcp: "Plays by hand-written rules; quick and decent.", about_pimc: "Guesses the hidden cards many times and solves each guess.",
  about_random: "Plays anything.", about_ismcts: "Searches with random play-outs; has learned nothing.", about_tables: "Plays the computed equilibrium.", about_always_call: "Never folds, never raises.",
  about_mcts: "Guesses what you hold and do from hands of many players, and looks ahead.", about_best_hand: "Bets by its chance to win against random hands.", about_hand_only: "Looks at its own cards alone.", about_maniac: "Raises nearly always.", about_lbr: "Told the other's policy, it takes the best of a few bets.",
  about_playouts: "Looks at {0} continuations a move.", about_delay: "Answers in {0} s.",
  team_landlord: "Landlord", team_peasants: "Peasant", seat_P0: "First seat", seat_P1: "Second seat", before: "plays before you", after: "plays after you",
  settings: "Settings and keys", language: "Language", keys: "Keyboard shortcuts", calm: "No animations", four_colours: "Four colours for suits", close: "Close",
  play: "Play", hint: "Hint", clear: "Clear", undo: "Take back", type_move: "or type a move", next: "Next hand", again: "Play again", pass: "Pass",
  move_pass: "Pass", move_call: "Call", move_check: "Check", move_raise: "Raise", move_bet: "Bet", move_fold: "Fold",
  your_turn: "Your turn", thinks: "{0} is thinking", to_beat: "to beat", lead: "Lead with anything you like", stake: "stake", bombs: "bombs", bombs_n: "bombs: {0}", bottom: "bottom cards", public: "on the table",
  beat: "Beat", cards_left: "{0} cards", not_legal: "{0} is not possible now.", choose_first: "Choose cards first.", cannot_beat: "You cannot beat this.", must_lead: "You lead: choose cards.",
  hand: "hand", your_hand: "Your hand", now_plays: "plays", did: "{0}: {1}.",
  won_game: "You won", lost_game: "You lost", drawn_game: "A draw", game_over: "The game is over", wins: "{0} wins", points: "{0} points", chips: "{0} chips", unit_points: "points", unit_chips: "chips", waiting: "The players are warming up … {0} %", compiling: "Preparing the players of {0}, once on this machine: {1} s of about a minute",
  lost: "Connection lost. Trying again …", thoughts: "Thoughts", analyse: "Think:", think_help: "How many continuations to look at", stop: "Stop", moves: "Moves", hands: "Hidden hands", curve: "Value over the game",
  thoughts_fair: "A fair game: thoughts are shown after the end.", thoughts_none: "Nobody analyses this game yet.", thoughts_wait: "Thoughts are for your own turn.",
  move: "Move", prior: "Prior", prior_help: "How often the network would play it without looking ahead", visits: "Tries", visits_help: "Continuations that began with it",
  wp: "Wins", wp_help: "Chance that the mover's team wins after it, with its standard error", pts: "Result", pts_help: "Mean result after it, with its standard error",
  policy: "Would play", ess: "Effective number of guesses: {0}.", listed: "All possible hands weighed.", prior_only: "From the deal alone: the moves say little yet.", at_least: "How sure it is that they hold one, two, three, four of a rank.",
  value_now: "Chance to win: {0} %", value_points: "Expected result: {0}", show_all: "All {0}",
  review: "Review", start_review: "Review my game", reviewing: "Looking at decision {0} of {1}", reviewing_2: "Comparing the doubtful ones: {0} of {1}", fast: "quick", normal: "normal", deep: "deep", next_mistake: "Next mistake", mistakes_n: "{0} to look at", no_mistakes: "No clear mistake. Well played!",
  review_text: "Every decision is searched again from what you could see. Doubtful ones are compared many times, so that each loss comes with its error.",
  retry: "Find a better move", show: "Show the answer", best_was: "Best", right: "Right! This cannot be told from the best move.", not_right: "Not better: it loses {0}.", your_try: "Choose another move on the table.", give_up: "Back",
  best: "best", good: "good", unclear: "unclear", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", better: "better than the AI", forced: "forced", decisions: "Decisions",
  loss: "lost {0}", you_played: "Played", total_loss: "Lost in all",
  caption_wp: "Losses in points of winning chance (0 to 100). The error is that of the searches; what the model itself misjudges is not in it.",
  caption_points: "Losses in {0}. The error is that of the searches; what the model itself misjudges is not in it.",
  caption_exact: "Losses in {0}, exact, against the solver. Mixing between equally good moves is no mistake.",
  caption_tables: "Losses in {0}, from hands played out by the stored strategy in both seats. It is coarse, so a move may do better against it than against others: the error does not say so.",
  thresholds: "What counts as a mistake", thresholds_wp: "Least loss, in points of winning chance", thresholds_points: "Least loss, in {0}", apply: "Apply", reset: "Default", thresholds_wrong: "Three ascending numbers above 0, please.",
  part_start: "Before the deal", part_deal: "The deal", part_later: "Cards that came later", part_own: "Decisions", part_others: "The others' mistakes", part_rest: "The rest", part_result: "Result", luck: "Luck and skill", this_game: "This game", all_hands: "All {0} hands", some_hands: "{0} of {1} hands",
  luck_text: "What a seat can expect before the deal, what the cards changed of that, and what mistakes cost; the rest is how moves met cards that nobody could know.", luck_text_rest: "What a seat can expect before the deal, what the deal changed of that, and what the reviewed decisions cost; the rest is the moves of others and how moves met hidden cards.",
  luck_exact: "Exact, if all play like the solver.", luck_games: "From {0} games of the player against itself; ± is one standard error.", no_luck: "What the cards brought is not known: {0}.",
  once: "Grey: looked at only once, in the first search; not to be compared with the others.", ai_move: "The AI's move", band: "(band: ± 2 standard errors)", exact_text: "Every decision is compared with the best answer to the solver. The values are exact, so there is nothing to search.", print: "Print", download: "Download", share: "Copy link to this deal", outside: "Copy as an outside player's view", copied: "Copied.",
  replay: "Replay", first: "First", previous: "Back", following: "Forward", last: "Last", step: "One move", pause: "Pause", go_on: "Go on", tempo: "Speed",
  pot: "pot", paid: "paid", hand_no: "Hand {0}", total: "Since the first hand", log: "What happened", round: "Round", no_moves_yet: "No move yet.", deal_help: "Write the cards of each hand one after the other, for example 3344556789TJQKA2B, or Ah Kd where cards have suits.",
  moves_help: "Moves already made, with spaces (may be empty)", check: "Check", take: "Play this deal", deal_good: "This deal is possible.", face_down: "{0} cards, face down", little_joker: "little joker", big_joker: "big joker", little_joker_face: "JOKER", big_joker_face: "JOKER",
  help: [["3 – 9 T J Q K A 2 L B", "take a card of the rank; again for one more"], ["Shift", "all of the rank"], ["Enter", "play"], ["Space", "pass"], ["/", "hint"], ["Esc", "clear"], ["1 – 9", "choose a button where there are no cards to choose; a size of a bet"], ["f c r", "fold, check or call, type an amount (Enter bets it)"], ["← → Home End", "walk through a finished game"], ["n N", "next and previous mistake"], ["r", "find a better move"], ["t h", "moves, hidden hands"], ["?", "this page"]],
  unseen: "hidden", ask_table: "What would the solver do?", cost: "Costs", cost_help: "How much less it brings than the best move, in chips, against a solver", policy_only: "It plays from a table of this abstraction; exact values are known in the small games only.",
  solved: "Solved!", no_puzzles: "No puzzles yet. Review a game: its clear mistakes become puzzles.", puzzle_n: "Puzzle {0} of {1}", puzzle_text: "A clear mistake was made here. What is better?", next_puzzle: "Next puzzle", of: "{0} / {1}",
  variant: "Variant", usual: "usual", game_goofspiel: "Goofspiel", game_phantom_tictactoe: "Phantom Tic-Tac-Toe", seat_first: "First seat", seat_second: "Second seat",
  text_goofspiel: "Bid your cards for the prizes, unseen. The higher card takes the prize; most points win.", text_phantom_tictactoe: "Three in a row, but nobody sees the other's marks. A taken square is found by trying it.",
  fact_points: "points", fact_prize: "prize", fact_prizes_left: "prizes to come", fact_bid: "your bid", fact_bids: "bids", fact_rounds: "rounds", fact_attempts: "tried", fact_taken: "found taken", fact_board: "board", square: "square {0}",
  game_no_limit_holdem: "No-limit Hold'em", text_no_limit_holdem: "Two cards each, five on the table, and any bet up to all your chips. Heads-up or at a table of more.",
  "variant_heads-up": "heads-up", "variant_three players": "three players", "variant_six players": "six players",
  seat_SB: "small blind", seat_BB: "big blind", seat_BTN: "button", seat_UTG: "under the gun", seat_CO: "cut-off",
  stack: "stack", bet: "bet", folded: "folded", main_pot: "main pot", side_pot: "side pot {0}", move_least: "Least", move_all_in: "All-in", pots: "{0}pot", raise_to: "Raise to {0}", bet_of: "Bet {0}", all_in_of: "All-in {0}",
  sizes: "Common sizes", amount: "Amount in chips", amount_bounds: "any whole number of chips from {0} to {1}", amount_only: "only {0} chips can be bet", amount_wrong: "This cannot be bet: whole chips from {0} to {1}, please.",
  value_preflop: "before the flop", value_flop: "flop", value_turn: "turn", value_river: "river", value_over: "over", fact_round: "round",
};

const ZH = {
  loading: "正在载入游戏……", preparing: "正在准备{0}，第 {1} 个游戏，共 {2} 个，每台机器只需一次……", prepared_later: "尚未准备：选它即可现在准备。", prepared_soon: "几秒后即可开始。", broken: "{0} 无法准备，原因见 play.py 的终端。",
  title: "牌桌", home: "大厅", tagline: "与自学成才的 AI 打斗地主和扑克，看它在想什么，找出自己输在哪里。",
  game: "游戏", your_seat: "你的座位", others: "其他座位", you: "你", mode: "玩法", start: "发牌", watch: "只观看", seed: "牌局编号", random: "随机", more: "更多", seed_help: "相同编号发相同的牌。",
  fair: "公平", fair_text: "真正的牌局：结束前不显示任何信息。", hints: "提示", hints_text: "可以询问 AI 会怎么出，也可以悔牌。", open: "明牌", open_text: "所有手牌与思考都公开，最适合学习。",
  mode_fair: "公平局", mode_hints: "有提示", mode_open: "明牌", greedy: "对手总是选最可能的一手（更容易看穿）", rotate: "每局换座",
  recent: "你的牌桌", nothing_yet: "还没有牌局，先发一副吧。", open_file: "打开存档 …", statistics: "你的战绩", puzzles: "残局", editor: "摆牌",
  puzzles_text: "在复盘过的牌局里找出更好的一手。", editor_text: "自己决定各家手牌。", file_text: "回放并复盘已保存的牌局。",
  over: "已结束", move_n: "第 {0} 手", games: "局数", won: "胜", mean: "平均", against: "对手", as: "身份",
  game_doudizhu: "斗地主", game_kuhn: "库恩扑克", game_leduc: "Leduc 扑克", game_limit_holdem: "限注德州扑克",
  text_doudizhu: "三人。地主二十张牌，一人对两个农民；先出完者胜。", text_kuhn: "最小的扑克：三张牌，一次下注，已精确求解。", text_leduc: "六张牌，两轮下注，已精确求解。", text_limit_holdem: "每人两张，公共牌五张，固定注额。", text_other: "{0} 个座位。",
  player_random: "随机", player_ismcts: "IS-MCTS", player_tables: "求解器", player_always_call: "跟注者", player_mcts: "树搜索", player_best_hand: "看胜率", player_hand_only: "只看底牌", player_maniac: "疯狂型", player_lbr: "最佳应对", no_search: "不搜索",
  about_fpmcts: "靠自我对弈学会。", about_rhcp: "按人写的规则出牌，快而不差。", about_pimc: "多次猜测暗牌并逐一求解。", about_random: "随便出。", about_ismcts: "用随机对局搜索，没有学过。", about_tables: "按算出的均衡打。", about_always_call: "从不弃牌，从不加注。", about_mcts: "根据许多玩家的牌局推测你的底牌与行动，再向前搜索。", about_best_hand: "按对随机手牌的胜率下注。", about_hand_only: "只看自己的牌。", about_maniac: "几乎总是加注。", about_lbr: "知道对方的策略，从几种下注里选最好的。", about_playouts: "每手看 {0} 种后续。", about_delay: "{0} 秒出牌。",
  team_landlord: "地主", team_peasants: "农民", seat_P0: "一号位", seat_P1: "二号位", before: "上家", after: "下家",
  settings: "设置与按键", language: "语言", keys: "键盘快捷键", calm: "关闭动画", four_colours: "四色花色", close: "关闭",
  play: "出牌", hint: "提示", clear: "重选", undo: "悔牌", type_move: "或输入要出的牌", next: "下一局", again: "再来一局", pass: "不出",
  move_pass: "不出", move_call: "跟注", move_check: "过牌", move_raise: "加注", move_bet: "下注", move_fold: "弃牌",
  your_turn: "轮到你", thinks: "{0} 正在思考", to_beat: "要压", lead: "任意出牌", stake: "倍", bombs: "炸弹", bombs_n: "{0} 个炸弹", bottom: "底牌", public: "公共牌",
  beat: "要压", cards_left: "{0} 张", not_legal: "现在不能出 {0}。", choose_first: "请先选牌。", cannot_beat: "没有能压的牌。", must_lead: "轮到你领出，请选牌。", hand: "手牌", your_hand: "你的手牌", now_plays: "出", did: "{0}：{1}。",
  won_game: "你赢了", lost_game: "你输了", drawn_game: "平局", game_over: "牌局结束", wins: "{0}获胜", points: "{0} 分", chips: "{0} 筹码", unit_points: "分", unit_chips: "筹码", waiting: "玩家准备中 … {0} %", compiling: "正在准备{0}的玩家（本机仅需一次）：{1} 秒，约一分钟", lost: "连接中断，正在重连 …",
  thoughts: "思考", analyse: "思考：", think_help: "看多少种后续", stop: "停止", moves: "着法", hands: "推测手牌", curve: "胜率走势",
  thoughts_fair: "公平局：结束后才显示思考。", thoughts_none: "这个游戏还没有分析者。", thoughts_wait: "轮到你时可以分析。",
  move: "着法", prior: "先验", prior_help: "网络不看后续时出这一手的概率", visits: "次数", visits_help: "以这一手开始的后续次数", wp: "胜率", wp_help: "出这一手后己方获胜的概率及标准误", pts: "结果", pts_help: "出这一手后的平均结果及标准误",
  policy: "会出", ess: "有效猜测数：{0}。", listed: "所有可能手牌均已加权。", prior_only: "仅由发牌推断：着法还说明不了什么。", at_least: "各家至少有一、二、三、四张的把握。", value_now: "胜率：{0} %", value_points: "期望结果：{0}", show_all: "全部 {0}",
  review: "复盘", start_review: "复盘我的牌局", reviewing: "正在看第 {0} / {1} 个决定", reviewing_2: "比较可疑的决定：{0} / {1}", fast: "快", normal: "标准", deep: "深", next_mistake: "下一个失误", mistakes_n: "{0} 处可看", no_mistakes: "没有明显失误，打得好！",
  review_text: "只用你当时看得到的信息重新搜索每个决定；可疑之处反复比较，所以每个损失都带误差。",
  retry: "找更好的一手", show: "看答案", best_was: "最佳", right: "对了！与最佳一手分不出高下。", not_right: "并不更好：损失 {0}。", your_try: "请在桌上另选一手。", give_up: "返回",
  best: "最佳", good: "不错", unclear: "难说", inaccuracy: "欠佳", mistake: "失误", blunder: "大错", better: "比 AI 更好", forced: "无选择", decisions: "决定",
  loss: "损失 {0}", you_played: "实际", total_loss: "总损失", caption_wp: "损失以胜率百分点计（0 到 100）。误差只是搜索误差，不含模型自身的偏差。", caption_points: "损失以{0}计。误差只是搜索误差，不含模型自身的偏差。",
  caption_exact: "损失以{0}计，对求解器精确。在同样好的着法间随机不算失误。",
  caption_tables: "损失以{0}计，由存储的策略在双方座位打完牌局得出。该策略较粗，对它有利的一手对别人未必如此：误差不含这一点。",
  thresholds: "失误的标准", thresholds_wp: "最小损失，以胜率百分点计", thresholds_points: "最小损失，以{0}计", apply: "应用", reset: "默认", thresholds_wrong: "请填三个递增的正数。",
  part_start: "发牌之前", part_deal: "发牌", part_later: "后来的牌", part_own: "自己的决定", part_others: "对手的失误", part_rest: "其余", part_result: "结果", luck: "运气与技术", this_game: "本局", all_hands: "全部 {0} 局", some_hands: "{1} 局中的 {0} 局",
  luck_text: "发牌前的期望、牌带来的变化、失误的代价；其余是着法碰上谁也不知道的牌。", luck_text_rest: "发牌前的期望、发牌带来的变化、复盘过的决定的代价；其余是别人的着法，以及着法碰上暗牌。",
  luck_exact: "若各家都按求解器打，数值精确。", luck_games: "由 AI 自我对弈 {0} 局得出；± 为一个标准误。", no_luck: "不知道牌运如何：{0}。",
  once: "灰色：只在第一次搜索中看过，不可与其他相比。", ai_move: "AI 的着法", band: "（带：± 2 个标准误）", exact_text: "每个决定都与对求解器的最佳应对比较，数值精确，无需搜索。",
  print: "打印", download: "下载", share: "复制牌局链接", outside: "复制为外部程序视角", copied: "已复制。", replay: "回放", first: "开始", previous: "后退", following: "前进", last: "结尾", step: "单步", pause: "暂停", go_on: "继续", tempo: "速度",
  pot: "底池", paid: "已下", hand_no: "第 {0} 局", total: "累计", log: "经过", round: "轮", no_moves_yet: "还没有出牌。", deal_help: "依次写出各家手牌，如 3344556789TJQKA2B；有花色时如 Ah Kd。", moves_help: "已出的牌，用空格隔开（可空）", check: "检查", take: "打这副牌", deal_good: "这副牌可以。", face_down: "{0} 张暗牌", little_joker: "小王", big_joker: "大王", little_joker_face: "小王", big_joker_face: "大王",
  help: [["3 – 9 T J Q K A 2 L B", "选一张，再按多一张"], ["Shift", "选整组"], ["Enter", "出牌"], ["Space", "不出"], ["/", "提示"], ["Esc", "重选"], ["1 – 9", "没有牌可选时按按钮；选注额"], ["f c r", "弃牌，过牌或跟注，填注额（Enter 下注）"], ["← → Home End", "浏览结束的牌局"], ["n N", "下一个、上一个失误"], ["r", "找更好的一手"], ["t h", "着法、推测手牌"], ["?", "本页"]],
  unseen: "暗着", ask_table: "求解器会怎么打？", cost: "损失", cost_help: "面对求解器，比最佳着法少得多少筹码", policy_only: "它按抽象后的策略表行动；只有小游戏才有精确值。",
  solved: "解出了！", no_puzzles: "还没有残局。复盘一局后，明显的失误会成为残局。", puzzle_n: "残局 {0} / {1}", puzzle_text: "这里出现了明显的失误。怎样更好？", next_puzzle: "下一题",
  variant: "变体", usual: "常规", game_goofspiel: "竞标纸牌", game_phantom_tictactoe: "暗井字棋", seat_first: "一号位", seat_second: "二号位",
  text_goofspiel: "暗中出牌竞标奖品，牌大者得奖，总分高者胜。", text_phantom_tictactoe: "三子连线，但看不到对方的子；试到被占的格子才会知道。",
  fact_points: "分数", fact_prize: "奖品", fact_prizes_left: "剩余奖品", fact_bid: "你的出价", fact_bids: "出价", fact_rounds: "各轮", fact_attempts: "试过", fact_taken: "已被占", fact_board: "棋盘", square: "第 {0} 格",
  game_no_limit_holdem: "无限注德州扑克", text_no_limit_holdem: "各两张底牌，五张公共牌，下注可至全部筹码。单挑或多人桌。",
  "variant_heads-up": "单挑", "variant_three players": "三人桌", "variant_six players": "六人桌",
  seat_SB: "小盲", seat_BB: "大盲", seat_BTN: "庄位", seat_UTG: "枪口", seat_CO: "关位",
  stack: "筹码", bet: "下注", folded: "已弃牌", main_pot: "主池", side_pot: "边池 {0}", move_least: "最小", move_all_in: "全下", pots: "{0}底池", raise_to: "加注到 {0}", bet_of: "下注 {0}", all_in_of: "全下 {0}",
  sizes: "常用注额", amount: "筹码数", amount_bounds: "{0} 到 {1} 之间的任意整数", amount_only: "只能下 {0}", amount_wrong: "不能下这个数：请填 {0} 到 {1} 的整数。",
  value_preflop: "翻牌前", value_flop: "翻牌", value_turn: "转牌", value_river: "河牌", value_over: "结束", fact_round: "轮次",
};

const LANGUAGES = { en: EN, zh: ZH };
let language = "en";

export function setLanguage(name) {
  language = LANGUAGES[name] ? name : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

const word = (key) => LANGUAGES[language][key] ?? EN[key];

export function t(key, ...values) {
  const text = word(key) ?? key;
  return Array.isArray(text) ? text : text.replace(/\{(\d)\}/g, (_, k) => values[Number(k)]);
}
t.known = word;

export function systemLanguage() {
  return (navigator.language || "en").startsWith("zh") ? "zh" : "en";
}

const minus = (text) => text.replace("-", "−");
export const number = (value, digits = 0) => (value === null || value === undefined ? "–" : minus(value.toFixed(digits)));
// A number with as many decimals as it has, at most two.
export const amount = (value) => (typeof value === "number" ? minus(String(Math.round(100 * value) / 100)) : "–");
export const signed = (value) => (value > 0 ? `+${amount(value)}` : amount(value));
// A loss with its error; one without is exact.
export const lossOf = (one, digits) => `${number(Math.max(0, one.loss), digits)}${one.exact ? "" : ` ± ${number(one.se, digits)}`}`;
export const percent = (share, digits = 0) => (share === null || share === undefined ? "–" : number(100 * share, digits));
