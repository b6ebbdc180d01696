"""The players in their own process: questions, answers, and the watchdog of that process."""
