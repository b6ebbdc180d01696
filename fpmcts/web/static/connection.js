// The connection to the server: HTTP requests, and one WebSocket that reconnects by itself
// (docs/web-protocol.md).

class Refused extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

async function request(method, path, body, type = "application/json") {
  const options = { method };
  if (body !== undefined) {
    options.headers = { "Content-Type": type };
    options.body = type === "application/json" ? JSON.stringify(body) : body;
  }
  const answer = await fetch(path, options);
  const text = await answer.text();
  let fields = null;
  try {
    fields = text ? JSON.parse(text) : null;
  } catch {
    // no JSON: of a proxy, say
  }
  if (!answer.ok) {
    const error = fields?.error ?? { code: String(answer.status), text: answer.statusText };
    throw new Refused(error.code, error.text);
  }
  return fields;
}

export const get = (path) => request("GET", path);
export const remove = (path) => request("DELETE", path);
export const post = (path, body) => request("POST", path, body);
export const upload = (path, text) => request("POST", path, text, "application/x-ndjson");

const FIRST_WAIT = 400; // milliseconds before a lost connection is tried again; doubles each time
const LONGEST_WAIT = 8000;
const LOST = "the connection was lost";

const goesOn = (message) =>
  ["queued", "progress"].includes(message.type) || message.final === false;

// Messages to and from the server. Listeners hear everything; who sends a message may hear its
// answers, the last of which ends its job or says that the connection was lost.
export class Connection {
  constructor() {
    this.listeners = new Set();
    this.id = 0;
    this.wait = FIRST_WAIT;
    this.waiting = new Map();
    this.table = null;
  }

  listen(hear) {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }

  tell(message) {
    for (const hear of [...this.listeners]) hear(message);
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.tell({ type: "connected" });
      if (this.table) this.send({ type: "join", table: this.table });
    };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.tell({ type: "disconnected" });
      for (const id of [...this.waiting.keys()]) this.lose(id);
      this.timer = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
  }

  // Tries a lost connection again now.
  again() {
    if (this.socket.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.timer);
    this.open();
  }

  hear(message) {
    const hear = this.waiting.get(message.id);
    if (!goesOn(message)) this.waiting.delete(message.id);
    hear?.(message);
    this.tell(message);
  }

  lose(id) {
    this.hear({ type: "error", id, code: "disconnected", text: LOST });
  }

  send(fields, hear) {
    const id = ++this.id;
    // now, not with the next rendering: answers are quicker than frames
    if (hear) this.waiting.set(id, hear);
    if (this.socket.readyState === WebSocket.OPEN)
      this.socket.send(JSON.stringify({ id, ...fields }));
    else setTimeout(() => this.lose(id)); // sent later, it might be meant for another table
    return id;
  }

  join(table) {
    this.table = table;
    this.send({ type: "join", table });
  }

  leave() {
    if (this.table) this.send({ type: "leave" });
    this.table = null;
  }
}
