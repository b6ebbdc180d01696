"""Rules of the games: move generation, states, deals and observations, as numba kernels. Lowest layer."""
