"""Monte-Carlo tree search with expected reward distributions (Van den Broeck, Driessens & Ramon
2009).
"""
