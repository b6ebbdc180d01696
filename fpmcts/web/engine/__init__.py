"""The players, in a process of their own: questions, answers, and the watch over the process."""
