"""Policy-value networks: module, fast inference, losses, decoding of moves, checkpoints."""
