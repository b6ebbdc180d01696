"""The server: access, messages, HTTP and WebSocket handlers, and the serving process."""
