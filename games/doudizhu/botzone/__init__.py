"""Botzone's FightTheLandlord2: a bot in one file, and match logs (``docs/external-players.md``).

Facts of the game and its protocol: wiki.botzone.org.cn/index.php?title=FightTheLandlord2, and, in
github.com/ailab-pku/botzone-local at 7c804286, the judge (``botzone/online/game/
FightTheLandlord2.py36``) and the controller (``botzone/online/bot.py``). Cards are numbers: 0 to 3
the threes, …, 48 to 51 the twos, 52 and 53 the jokers. Each seat calls once, 0 to 3, above the
calls before; seat 0 takes the landlord at 1 if nobody does. Planes and fours carry solos of
distinct ranks (``rules=botzone``); space shuttles, chains of fours, are moves there and none here.
"""
