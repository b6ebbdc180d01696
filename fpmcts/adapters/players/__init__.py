"""Players from outside: other programs, objects of other frameworks, networks of DouZero."""
