// English and Chinese. `t("key", …)` fills in {0}, {1}, …; a key without a translation shows
// itself; `t.known` returns undefined for it.

const EN = {
  loading: "Loading the games …", preparing: "Preparing {0}, game {1} of {2} (once per machine) …", prepared_later: "Not prepared yet. Select it to prepare it now.", prepared_soon: "Ready to play in a few seconds.", broken: "{0} could not be prepared. See the terminal that runs play.py for the reason.",
  title: "Card table", home: "Lobby",
  tagline: "Play Doudizhu and poker against self-taught AI players, see what they think, and find out where your game went wrong.",
  game: "Game", your_seat: "Your seat", others: "Other seats", you: "You", mode: "Mode", start: "Deal the cards", watch: "Just watch", seed: "Deal number", random: "random", more: "More",
  seed_help: "The same number deals the same cards again.",
  fair: "Fair", fair_text: "A real game. Nothing is revealed until it ends.",
  hints: "Hints", hints_text: "Ask what the AI would play, and take moves back.",
  open: "Open", open_text: "All hands and all thoughts are shown. Best for learning.",
  mode_fair: "fair game", mode_hints: "with hints", mode_open: "open hands",
  greedy: "Opponents always make their most likely move (easier to read)", rotate: "Change seats after each hand",
  recent: "Your tables", remove: "Remove this game", remove_ask: "Remove this game, its review and its result for good?", nothing_yet: "No games yet. Deal one above.", open_file: "Open saved games …", bad_line: "Line {0}: {1}.", statistics: "Your results", puzzles: "Puzzles", editor: "Set up a deal",
  puzzles_text: "Find the better move in positions from reviewed games.", editor_text: "Choose the hands yourself.", file_text: "Replay and review saved games.",
  over: "over", move_n: "move {0}", games: "Games", won: "Won", mean: "Mean", against: "Against", as: "As",
  game_doudizhu: "Doudizhu", game_kuhn: "Kuhn poker", game_leduc: "Leduc poker", game_limit_holdem: "Limit Hold'em",
  text_doudizhu: "Three players. The landlord, with twenty cards, plays alone against two peasants. The first to shed all cards wins for their side.",
  text_kuhn: "The smallest poker game: three cards, one bet. Solved exactly.", text_leduc: "Six cards, two betting rounds. Solved exactly.",
  text_limit_holdem: "Two cards each, five on the board, fixed bet sizes.", text_other: "{0} seats.",
  player_fpmcts: "FPMCTS", player_rhcp: "RHCP", player_pimc: "PIMC", player_random: "Random", player_ismcts: "IS-MCTS", player_tables: "Solver", player_always_call: "Caller", player_mcts: "Tree search", player_best_hand: "Best hand", player_hand_only: "Hand only", player_maniac: "Maniac", player_lbr: "Best response", no_search: "no search",
  about_fpmcts: "Taught itself by playing.", about_rhcp: "Plays by hand-written rules. Fast and decent.", about_pimc: "Guesses the hidden cards many times and solves each guess as an open game.",
  about_random: "Plays random legal moves.", about_ismcts: "Searches with random playouts. Has learned nothing.", about_tables: "Plays the computed equilibrium.", about_always_call: "Never folds, never raises.",
  about_mcts: "Predicts your cards and actions from the hands of many players, and searches ahead.", about_best_hand: "Bets by its chance of beating random hands.", about_hand_only: "Looks only at its own cards.", about_maniac: "Almost always raises.", about_lbr: "Knows the other player's policy and picks the best of a few bets.",
  about_playouts: "Searches {0} playouts per move.", about_delay: "Moves in {0} s.",
  team_landlord: "Landlord", team_peasants: "Peasant", seat_P0: "First seat", seat_P1: "Second seat", before: "plays before you", after: "plays after you",
  settings: "Settings and keys", language: "Language", keys: "Keyboard shortcuts", motion: "Animations", sound: "Sound", four_colours: "Four-colour deck", close: "Close",
  play: "Play", hint: "Hint", clear: "Clear", undo: "Take back", type_move: "or type a move", next: "Next hand", again: "Play again", pass: "Pass",
  move_pass: "Pass", move_call: "Call", move_check: "Check", move_raise: "Raise", move_bet: "Bet", move_fold: "Fold",
  your_turn: "Your turn", thinks: "{0} is thinking", stuck: "The player could not move.", try_again: "Try again", paused: "Paused", to_beat: "to beat", lead: "Lead with any cards", stake: "stake", bombs: "bombs", bombs_n: "bombs: {0}", bottom: "bottom cards", public: "on the table",
  beat: "Beat", cards_left: "{0} cards", not_legal: "{0} is not possible now.", choose_first: "Select cards first.", cannot_beat: "You cannot beat this.", must_lead: "It is your lead. Select cards.",
  hand: "hand", your_hand: "Your hand", now_plays: "plays", did: "{0}: {1}.",
  won_game: "You won", lost_game: "You lost", drawn_game: "A draw", game_over: "Game over", wins: "{0} wins", points: "{0} points", points_1: "{0} point", chips: "{0} chips", chips_1: "{0} chip", error_unknown_table: "There is no such table, or it is not yours.", unit_points: "points", unit_chips: "chips", waiting: "The players are warming up … {0} %", compiling: "Preparing the players for {0} (once per machine): {1} s of about a minute",
  lost: "Connection lost. Reconnecting …", thoughts: "Thoughts", analyse: "Think:", think_help: "Number of playouts to search", stop: "Stop", moves: "Moves", hands: "Hidden hands", curve: "Value over the game",
  thoughts_fair: "Fair game: thoughts are shown after it ends.", thoughts_none: "No analysis is available for this game yet.", thoughts_wait: "Analysis is available on your turn.",
  move: "Move", prior: "Prior", prior_help: "Probability that it is played without search", visits: "Visits", visits_help: "Playouts that began with this move",
  wp: "Win", wp_help: "Chance that the mover's team wins after this move, with standard error", pts: "Result", pts_help: "Mean result after this move, with standard error",
  policy: "Policy", ess: "Effective sample size: {0}.", listed: "All possible hands, weighted.", prior_only: "From the deal alone: the moves reveal little yet.", at_least: "Probability of holding at least one, two, three or four of each rank.",
  value_now: "Chance of winning: {0} %", value_points: "Expected result: {0}", show_all: "Show all {0}",
  review: "Review", start_review: "Review my game", reviewing: "Searching decision {0} of {1}", reviewing_2: "Comparing doubtful decisions: {0} of {1}", fast: "quick", normal: "normal", deep: "deep", next_mistake: "Next mistake", mistakes_n: "{0} to look at", no_mistakes: "No clear mistakes. Well played!",
  review_text: "Every decision is searched again using only what you could see. Doubtful ones are compared many times, so every loss comes with an error.",
  retry: "Find a better move", show: "Show the answer", best_was: "Best", right: "Right! As good as the best move, within the error.", not_right: "Not better: it loses {0}.", your_try: "Choose another move on the table.", give_up: "Back",
  best: "best", good: "good", unclear: "unclear", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", better: "better than the AI", forced: "forced", decisions: "Decisions",
  loss: "lost {0}", you_played: "Played", total_loss: "Total loss",
  caption_wp: "Losses in percentage points of winning chance. The error covers the searches only, not the model's own misjudgements.",
  caption_points: "Losses in {0}. The error covers the searches only, not the model's own misjudgements.",
  caption_exact: "Exact losses in {0}, against the solver. Mixing between equally good moves is not a mistake.",
  caption_tables: "Losses in {0}, from hands completed by the stored strategy in both seats. That strategy is coarse, so a move may do better against it than against others; the error does not cover this.",
  thresholds: "What counts as a mistake", thresholds_wp: "Minimum loss, in percentage points of winning chance", thresholds_points: "Minimum loss, in {0}", apply: "Apply", reset: "Reset", thresholds_wrong: "Enter three ascending numbers above 0.",
  part_start: "Before the deal", part_deal: "The deal", part_later: "Later cards", part_own: "Decisions", part_others: "Mistakes of the others", part_rest: "Rest", part_result: "Result", luck: "Luck and skill", this_game: "This game", all_hands: "All {0} hands", some_hands: "{0} of {1} hands",
  luck_text: "The seat's expectation before the deal, how the cards changed it, and what mistakes cost. The rest is how the moves fared against hidden cards.", luck_text_rest: "The seat's expectation before the deal, how the deal changed it, and what the reviewed decisions cost. The rest is the others' moves and how the moves fared against hidden cards.",
  luck_exact: "Exact if everyone plays like the solver.", luck_games: "From {0} games of the AI against itself; ± is one standard error.", no_luck: "The luck of the cards is unknown: {0}.",
  choice: "AI plays", choice_help: "Probability that the AI would choose this move after its search",
  equal: "Equal to the first within the error: less than two standard errors of the difference.",
  "why_sure win": "Wins whatever the others hold.", why_solved: "Solved with all hands open: it wins in more of the likely hands.",
  why_mix: "Exact values: {3} moves are worth the same; the likeliest is first.",
  why_same: "Instinct {0} %; {2} playouts find no better move.",
  why_close: "Instinct {0} % for {1}; {2} playouts lean elsewhere, within the error.", why_better: "Instinct {0} % for {1}; {2} playouts find a better move.",
  once: "Grey: searched only once, so not comparable with the others.", ai_move: "The AI's move", band: "(band: ± 2 standard errors)", exact_text: "Every decision is compared with the best response to the solver. The values are exact, so no search is needed.", print: "Print", download: "Download", share: "Copy link to this deal", outside: "Copy view for external player", copied: "Copied.",
  replay: "Replay", first: "First", previous: "Back", following: "Forward", last: "Last", autoplay: "Play by itself", play_on: "Play on from here", play_on_help: "A new table that begins at this position, with you in the seat to move or your own", step: "One move", pause: "Pause", go_on: "Continue", tempo: "Speed",
  pot: "pot", paid: "paid", hand_no: "Hand {0}", total: "Since the first hand", log: "What happened", round: "Round", no_moves_yet: "No moves yet.", deal_help: "Type the cards of each hand, for example 3344556789TJQKA2B, or Ah Kd if cards have suits.",
  moves_help: "Moves already made, separated by spaces; bids by commas: call 1, call 3 (optional)", check: "Check", take: "Play this deal", deal_good: "This deal is valid.", face_down: "{0} cards, face down", little_joker: "little joker", big_joker: "big joker", little_joker_face: "JOKER", big_joker_face: "JOKER",
  help: [["3 – 9 T J Q K A 2 L B", "select a card of the rank; again for one more"], ["Shift", "all cards of the rank"], ["Enter", "play"], ["Space", "pass; on a card, select it"], ["/", "hint"], ["Esc", "clear"], ["1 – 9, a – z", "press a button or a numbered card (10 is a); choose a bet size"], ["f c r", "fold, check or call, enter an amount (Enter bets it)"], ["← → Home End", "step through a finished game"], ["n N", "next and previous mistake"], ["r", "find a better move"], ["t h", "moves, hidden hands"], ["?", "this help"]],
  unseen: "hidden", ask_table: "What would the solver do?", cost: "Cost", cost_help: "Chips lost compared with the best move against the solver", policy_only: "The solver plays from a table for an abstraction of this game. Exact values are known only for small games.",
  solved: "Solved!", no_puzzles: "No puzzles yet. Review a game, and its clear mistakes become puzzles.", puzzle_n: "Puzzle {0} of {1}", puzzle_text: "The move played here was a clear mistake. Find a better one.", next_puzzle: "Next puzzle", of: "{0} / {1}",
  variant: "Variant", usual: "usual", game_goofspiel: "Goofspiel", game_phantom_tictactoe: "Phantom Tic-Tac-Toe", seat_first: "First seat", seat_second: "Second seat",
  text_goofspiel: "Bid your cards for the prizes in secret. The higher card takes the prize, and the most points win.", text_phantom_tictactoe: "Three in a row, but you do not see the other's marks. You learn that a square is taken by trying it.",
  fact_points: "points", fact_prize: "prize", fact_prizes_left: "prizes to come", fact_bid: "your bid", fact_bids: "bids", fact_rounds: "rounds", fact_attempts: "tried", fact_taken: "found taken", fact_board: "board", square: "square {0}",
  game_no_limit_holdem: "No-limit Hold'em", text_no_limit_holdem: "Two cards each, five on the board, and any bet up to all your chips. Heads-up or with more players.",
  "variant_heads-up": "heads-up", "variant_three players": "three players", "variant_six players": "six players",
  seat_SB: "small blind", seat_BB: "big blind", seat_BTN: "button", seat_UTG: "under the gun", seat_CO: "cut-off",
  stack: "stack", bet: "bet", folded: "folded", main_pot: "main pot", side_pot: "side pot {0}", move_least: "Least", move_all_in: "All-in", pots: "{0}pot", raise_to: "Raise to {0}", bet_of: "Bet {0}", all_in_of: "All-in {0}",
  sizes: "Common sizes", amount: "Amount in chips", amount_bounds: "any whole number of chips from {0} to {1}", amount_only: "only {0} chips can be bet", amount_wrong: "Enter a whole number of chips from {0} to {1}.",
  "variant_no auction": "The landlord is dealt", "variant_calls and doubling": "Auction: 1, 2, 3, doubling", "variant_robs and doubling": "Auction with robbing, doubling", seat_X: "Speaks first", seat_Y: "Speaks second", seat_Z: "Speaks third",
  bid_no_call: "No call", bid_call_1: "Call 1", bid_call_2: "Call 2", bid_call_3: "Call 3", bid_call: "Be landlord", bid_no_rob: "No rob", bid_rob: "Rob", bid_no_double: "No double", bid_double: "Double",
  ask_calling: "Do you want to be the landlord?", ask_doubling: "Double the points?", thrown_in: "Nobody called. The cards are dealt again.", spring: "Spring!", anti_spring: "Anti-spring!", bomb: "Bomb!", rocket: "Rocket!", factor_bid: "bid", factor_bombs: "bombs", factor_spring: "spring", factor_doubling: "doubled", landlord_twice: "for each peasant; the landlord wins or pays both",
  deals: "Deals in the match", open_end: "no limit", match_over: "Final result", match_curve: "Points over the match",
  counter: "Card counter", combine: "One card selects the cheapest answer with it", autopass: "Pass for me when I cannot beat a move", level_easy: "easy", level_normal: "normal", level_strong: "strong", vague: "Too uncertain to show: too few guesses fit what happened.",
  value_preflop: "before the flop", value_flop: "flop", value_turn: "turn", value_river: "river", value_over: "over", fact_round: "round",
};

const ZH = {
  loading: "正在载入游戏……", preparing: "正在加载{0}（{1}/{2}），本机首次运行需要编译……", prepared_later: "尚未加载，点选即可开始加载。", prepared_soon: "几秒后即可开局。", broken: "{0}加载失败，原因见运行 play.py 的终端。",
  title: "牌桌", home: "大厅", tagline: "和自学成才的 AI 打斗地主、玩德州，看它怎么想，复盘自己的失误。",
  game: "游戏", your_seat: "你的座位", others: "其他座位", you: "你", mode: "模式", start: "开始游戏", watch: "旁观", seed: "牌局编号", random: "随机", more: "更多", seed_help: "编号相同，发的牌也相同。",
  fair: "公平", fair_text: "正式对局，结束前不公开任何信息。", hints: "提示", hints_text: "可以让 AI 给出提示，也可以悔牌。", open: "明牌", open_text: "公开所有手牌和 AI 的思考，最适合学习。",
  mode_fair: "公平局", mode_hints: "有提示", mode_open: "明牌", greedy: "对手总出概率最高的牌（更容易猜透）", rotate: "每局换座",
  recent: "你的牌桌", remove: "删除这局", remove_ask: "确定永久删除这局牌及其复盘和战绩吗？", nothing_yet: "还没有牌局，先来一局吧。", open_file: "打开存档……", bad_line: "第 {0} 行无法读取。", statistics: "你的战绩", puzzles: "残局", editor: "摆牌",
  puzzles_text: "在复盘过的牌局里找出更好的打法。", editor_text: "自己设定各家手牌。", file_text: "回放并复盘已保存的牌局。",
  over: "已结束", move_n: "第 {0} 手", games: "局数", won: "胜", mean: "平均", against: "对手", as: "身份",
  game_doudizhu: "斗地主", game_kuhn: "库恩扑克", game_leduc: "Leduc 扑克", game_limit_holdem: "限注德州扑克",
  text_doudizhu: "三人游戏。地主二十张牌，以一敌二；任何一方有人先出完牌，该方获胜。", text_kuhn: "最简单的扑克：三张牌，一次下注，已精确求解。", text_leduc: "六张牌，两轮下注，已精确求解。", text_limit_holdem: "每人两张底牌，五张公共牌，下注额固定。", text_other: "{0} 个座位。",
  player_random: "随机", player_ismcts: "IS-MCTS", player_tables: "求解器", player_always_call: "跟注站", player_mcts: "树搜索", player_best_hand: "看胜率", player_hand_only: "只看底牌", player_maniac: "疯鱼", player_lbr: "最佳应对", no_search: "不搜索",
  about_fpmcts: "通过自我对弈学会打牌。", about_rhcp: "按人工规则出牌，速度快，水平尚可。", about_pimc: "多次猜测暗牌，逐一按明牌求解。", about_random: "随机出牌。", about_ismcts: "用随机模拟搜索，未经学习。", about_tables: "按算出的均衡策略打。", about_always_call: "从不弃牌，从不加注。", about_mcts: "根据大量玩家的牌局推测你的底牌和行动，再做搜索。", about_best_hand: "按对随机手牌的胜率下注。", about_hand_only: "只看自己的牌。", about_maniac: "几乎总是加注。", about_lbr: "知道对方的策略，从几种下注里选最好的。", about_playouts: "每步搜索 {0} 次。", about_delay: "{0} 秒出牌。",
  team_landlord: "地主", team_peasants: "农民", seat_P0: "一号位", seat_P1: "二号位", before: "上家", after: "下家",
  settings: "设置与按键", language: "语言", keys: "键盘快捷键", motion: "动画", sound: "音效", four_colours: "四色牌", close: "关闭",
  play: "出牌", hint: "提示", clear: "重选", undo: "悔牌", type_move: "或直接输入", next: "下一局", again: "再来一局", pass: "不出",
  move_pass: "不出", move_call: "跟注", move_check: "过牌", move_raise: "加注", move_bet: "下注", move_fold: "弃牌",
  your_turn: "轮到你", thinks: "{0} 正在思考", stuck: "AI 没能出牌。", try_again: "重试", paused: "已暂停", to_beat: "上家牌", lead: "请出牌", stake: "倍", bombs: "炸弹", bombs_n: "{0} 个炸弹", bottom: "底牌", public: "公共牌",
  beat: "要压", cards_left: "{0} 张", not_legal: "现在不能出 {0}。", choose_first: "请先选牌。", cannot_beat: "要不起。", must_lead: "由你先出，请选牌。", hand: "手牌", your_hand: "你的手牌", now_plays: "出", did: "{0}：{1}。",
  won_game: "你赢了", lost_game: "你输了", drawn_game: "平局", game_over: "牌局结束", wins: "{0}获胜", points: "{0} 分", points_1: "{0} 分", chips: "{0} 筹码", chips_1: "{0} 筹码", unit_points: "分", unit_chips: "筹码", waiting: "AI 加载中…… {0} %", compiling: "正在加载{0}的 AI（仅首次需要）：已用 {1} 秒，约需一分钟", lost: "连接中断，正在重连……",
  thoughts: "思考", analyse: "思考：", think_help: "搜索次数", stop: "停止", moves: "着法", hands: "推测手牌", curve: "局势变化",
  thoughts_fair: "公平局，结束后才显示思考。", thoughts_none: "这个游戏暂不支持分析。", thoughts_wait: "轮到你时才能分析。",
  move: "着法", prior: "先验", prior_help: "不搜索时出这手牌的概率", visits: "次数", visits_help: "从这手牌开始的搜索次数", wp: "胜率", wp_help: "出这手牌后己方获胜的概率及标准误", pts: "收益", pts_help: "出这手牌后的平均收益及标准误",
  policy: "出牌概率", ess: "有效样本数：{0}。", listed: "已列出所有可能手牌并加权。", prior_only: "仅按发牌推断，出过的牌还说明不了什么。", at_least: "各家每种点数至少有一、二、三、四张的概率。", value_now: "胜率：{0} %", value_points: "期望收益：{0}", show_all: "全部 {0}",
  review: "复盘", start_review: "复盘我的牌局", reviewing: "正在分析第 {0} / {1} 步", reviewing_2: "正在比较可疑的出牌：{0} / {1}", fast: "快速", normal: "标准", deep: "深度", next_mistake: "下一个失误", mistakes_n: "{0} 处失误", no_mistakes: "没有明显失误，打得好！",
  review_text: "只用你当时能看到的信息重新搜索每一步，可疑之处反复比较，因此每个损失都带有误差。",
  retry: "找更好的打法", show: "看答案", best_was: "最佳", right: "正确！在误差范围内与最佳打法相当。", not_right: "并不更好，损失 {0}。", your_try: "请在牌桌上另选一手。", give_up: "返回",
  best: "最佳", good: "不错", unclear: "难说", inaccuracy: "欠佳", mistake: "失误", blunder: "昏招", better: "优于 AI", forced: "别无选择", decisions: "决策",
  loss: "损失 {0}", you_played: "实际", total_loss: "总损失", caption_wp: "损失按胜率的百分点计。误差只含搜索误差，不含模型自身的偏差。", caption_points: "损失按{0}计。误差只含搜索误差，不含模型自身的偏差。",
  caption_exact: "损失按{0}计，相对求解器精确算出。在同样好的打法之间随机选择不算失误。",
  caption_tables: "损失按{0}计，由存储的策略替双方打完牌局得出。该策略较粗糙，对它有效的打法对别人未必有效，误差不含这一点。",
  thresholds: "失误的标准", thresholds_wp: "最小损失（胜率百分点）", thresholds_points: "最小损失（{0}）", apply: "应用", reset: "默认", thresholds_wrong: "请填三个递增的正数。",
  part_start: "发牌之前", part_deal: "发牌", part_later: "后来的牌", part_own: "自己的决策", part_others: "对手的失误", part_rest: "其余", part_result: "结果", luck: "运气与技术", this_game: "本局", all_hands: "全部 {0} 局", some_hands: "{1} 局中的 {0} 局",
  luck_text: "依次为发牌前的期望、牌运带来的变化和失误的代价；其余是出牌碰上暗牌的结果。", luck_text_rest: "依次为发牌前的期望、发牌带来的变化和已复盘决策的代价；其余是其他玩家的出牌，以及出牌碰上暗牌的结果。",
  luck_exact: "若各家都按求解器打，数值精确。", luck_games: "由 AI 自我对弈 {0} 局得出；± 为一个标准误。", no_luck: "无法估算牌运。",
  choice: "AI 选择", choice_help: "AI 搜索后选择这手牌的概率",
  equal: "与首选之差在误差（两个标准误）之内。",
  "why_sure win": "无论别人拿什么牌都赢。", why_solved: "明牌求解：在更多可能的牌局中获胜。",
  why_mix: "数值精确：{3} 种着法同样好，最常用的排第一。",
  why_same: "直觉 {0} %；搜索 {2} 次，没有更好的着法。",
  why_close: "直觉 {0} % 选 {1}；搜索 {2} 次后略偏另一着，差别在误差之内。", why_better: "直觉 {0} % 选 {1}；搜索 {2} 次找到更好的着法。",
  once: "灰色：只搜索过一次，不宜与其他打法比较。", ai_move: "AI 的打法", band: "（阴影：± 2 个标准误）", exact_text: "每步都与针对求解器的最佳应对比较，数值精确，无需搜索。",
  print: "打印", download: "下载", share: "复制牌局链接", outside: "复制外部程序视角", copied: "已复制。", replay: "回放", first: "开始", previous: "后退", following: "前进", last: "结尾", autoplay: "自动播放", play_on: "从这里接着打", play_on_help: "另开一桌，从当前局面开始；旁观的牌局由你接手该出牌的一方", step: "单步", pause: "暂停", go_on: "继续", tempo: "速度",
  pot: "底池", paid: "已下", hand_no: "第 {0} 局", total: "累计", log: "经过", round: "轮", no_moves_yet: "还没有出牌。", deal_help: "依次写出各家手牌，如 3344556789TJQKA2B；有花色时如 Ah Kd。", moves_help: "已出的牌，用空格隔开，叫分用逗号（可不填）", check: "检查", take: "打这副牌", deal_good: "这副牌有效。", face_down: "{0} 张暗牌", little_joker: "小王", big_joker: "大王", little_joker_face: "小王", big_joker_face: "大王",
  help: [["3 – 9 T J Q K A 2 L B", "选一张该点数的牌，再按加选一张"], ["Shift", "选该点数的全部牌"], ["Enter", "出牌"], ["Space", "不出；焦点在牌上时选牌"], ["/", "提示"], ["Esc", "重选"], ["1 – 9, a – z", "点按钮或数字牌（10 为 a）；选择下注额"], ["f c r", "弃牌，过牌或跟注，输入金额（Enter 下注）"], ["← → Home End", "浏览已结束的牌局"], ["n N", "下一个、上一个失误"], ["r", "找更好的打法"], ["t h", "着法、推测手牌"], ["?", "本帮助"]],
  unseen: "未公开", ask_table: "求解器会怎么打？", cost: "损失", cost_help: "面对求解器，比最佳打法少赢的筹码", policy_only: "求解器按抽象后的策略表行动，只有小型游戏才有精确值。",
  solved: "解出来了！", no_puzzles: "还没有残局。复盘后，明显的失误会变成残局。", puzzle_n: "残局 {0} / {1}", puzzle_text: "这里出过明显的失误，请找出更好的打法。", next_puzzle: "下一题",
  variant: "变体", usual: "标准", game_goofspiel: "竞标纸牌", game_phantom_tictactoe: "暗井字棋", seat_first: "一号位", seat_second: "二号位",
  text_goofspiel: "暗中出牌竞标奖品，牌大者得奖，总分高者胜。", text_phantom_tictactoe: "三子连线，但看不到对方的棋子，落子被占才会知道。",
  fact_points: "分数", fact_prize: "奖品", fact_prizes_left: "剩余奖品", fact_bid: "你的出价", fact_bids: "出价", fact_rounds: "各轮", fact_attempts: "试过", fact_taken: "已被占", fact_board: "棋盘", square: "第 {0} 格",
  game_no_limit_holdem: "无限注德州扑克", text_no_limit_holdem: "每人两张底牌，五张公共牌，可随时全下。支持单挑和多人桌。",
  "variant_heads-up": "单挑", "variant_three players": "三人桌", "variant_six players": "六人桌",
  seat_SB: "小盲", seat_BB: "大盲", seat_BTN: "庄位", seat_UTG: "枪口位", seat_CO: "关煞位",
  stack: "筹码", bet: "下注", folded: "已弃牌", main_pot: "主池", side_pot: "边池 {0}", move_least: "最小", move_all_in: "全下", pots: "{0}底池", raise_to: "加注到 {0}", bet_of: "下注 {0}", all_in_of: "全下 {0}",
  sizes: "常用下注额", amount: "筹码数", amount_bounds: "{0} 到 {1} 之间的任意整数", amount_only: "只能下 {0}", amount_wrong: "请输入 {0} 到 {1} 之间的整数。",
  "variant_no auction": "不叫牌", "variant_calls and doubling": "叫分（1、2、3）、加倍", "variant_robs and doubling": "抢地主、加倍", seat_X: "先叫", seat_Y: "第二个叫", seat_Z: "第三个叫",
  bid_no_call: "不叫", bid_call_1: "1分", bid_call_2: "2分", bid_call_3: "3分", bid_call: "叫地主", bid_no_rob: "不抢", bid_rob: "抢地主", bid_no_double: "不加倍", bid_double: "加倍",
  ask_calling: "要当地主吗？", ask_doubling: "要加倍吗？", thrown_in: "无人叫牌，重新发牌。", spring: "春天", anti_spring: "反春", bomb: "炸弹", rocket: "王炸", factor_bid: "底分", factor_bombs: "炸弹", factor_spring: "春天", factor_doubling: "加倍", landlord_twice: "（每位农民；地主输赢双份）",
  deals: "局数", open_end: "不限", match_over: "最终比分", match_curve: "积分走势",
  error_unknown_table: "没有这张牌桌，或者它不属于你。", error_illegal_move: "现在不能这样走。", error_not_your_turn: "还没轮到你。", error_over: "牌局已结束。", error_not_over: "牌局还没结束。", error_not_allowed: "当前模式不允许。", error_stale: "牌桌已有变化，请再试一次。", error_busy: "任务太多，请稍候。", error_full: "保存的牌局太多，请在大厅删除一些。",
  error_too_fast: "操作太快，请稍候。", error_too_large: "内容太大。", error_bad_record: "无法读取这份牌谱。", error_bad_deal: "这副牌不合规则。", error_engine: "AI 出错，正在重启。", error_disk: "磁盘无法写入，牌局没有改变。", error_no_analyst: "这个游戏暂不支持分析。", error_unauthorised: "请打开终端里显示的网址。", error_disconnected: "连接中断。", error_bad_message: "请求有误。", error_forbidden: "请求被拒绝，请用终端里显示的网址打开。", error_unknown_path: "没有这个页面。", error_unknown_game: "没有这个游戏。", error_unknown_player: "没有这个对手。", error_bad_seats: "座位设置有误。",
  error_not_joined: "请先进入牌桌。", error_not_paused: "请先暂停。", error_not_reviewed: "这一步还没有复盘。", error_unknown_job: "任务已结束。",
  counter: "记牌器", combine: "点一张牌即选出含它的最小应对", autopass: "要不起时自动不出", level_easy: "简单", level_normal: "普通", level_strong: "高手", vague: "太不确定，不予显示：符合经过的猜测太少。",
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
// The style and the word of a result.
export const gain = (value) => (value > 0 ? "gain" : value < 0 ? "lose" : "");
export const verdict = (value) => t(value > 0 ? "won_game" : value < 0 ? "lost_game" : "drawn_game");
// A loss with its error; an exact loss has none.
export const lossOf = (one, digits) => `${number(Math.max(0, one.loss), digits)}${one.exact ? "" : ` ± ${number(one.se, digits)}`}`;
export const percent = (share, digits = 0) => (share === null || share === undefined ? "–" : number(100 * share, digits));
