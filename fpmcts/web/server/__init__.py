"""Who may speak, what can be said and what is answered: HTTP, WebSockets, and the process that
serves them.
"""
