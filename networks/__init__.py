"""Policy-value networks: training module, fast inference, losses, decoding of moves, checkpoints."""
