/** The parts of `docs/PROTOCOL.md` that no declaration can say. */

export const HEAD = `# The wire protocol, version 1

This page is written by \`npx vitest run test/protocol/protocol-page.test.ts -u\` from the declarations in \`src/protocol\`; a test fails where it is out of date.

A client (the plugin, or any other) and the bridge inside OpenCode talk over a WebSocket on the loopback interface, in JSON text frames.

## Handshake

- The client opens \`ws://127.0.0.1:<port>/\` and offers two subprotocols, \`agent-task-boards.v1\` and \`token.<token>\`. The server answers the first. The token never stands in an address.
- Host and Origin are checked in the upgrade and refused with 403. A wrong token is accepted and closed with 4401 before any frame is read, since that is the only way a browser can tell.
- The first frame of a client is \`hello\`; the bridge answers \`welcome\`. A client that gets none in 10 s gives up. Before the welcome it listens to nothing else but an \`error\`.
- Port and token stand in the run file. There may be several: the newest counts first. A client asks again before every try, because a restarted OpenCode has another port and another token.`;

export const ENVELOPE = `## The envelope

Every frame is one object with these fields, a \`type\` and a \`payload\`. A field with “?” may be missing. Strings are measured in UTF-16 units, as JavaScript does.

- A frame has at most 1 MiB (UTF-8) and 64 levels; both are checked before it is parsed (\`too_large\`, \`bad_json\`).
- Unknown fields are dropped. An unknown type is refused with \`unknown_type\`, another \`v\` with \`version\`; the bridge answers a refused frame with \`error\`, a client notes it and goes on.
- \`__proto__\`, \`constructor\` and \`prototype\` as names refuse a frame. In opaque JSON (\`args\`, \`input\`, \`metadata\`) they are removed and counted.
- A sender cuts strings over 256 Ki units, further where the frame would still be too large, and sets \`payload.truncated\` to the full length of the longest. In \`tool.call\` and \`tool.result\` nothing is cut: what doesn’t fit is not sent, and the call fails with words for the model.
- \`seq\` and \`ack\` count per session and direction. They are declared, and nobody sends them yet: replay after a lost connection comes with them. Until then a client takes \`welcome\` as the truth, and attaches anew to all sessions; the bridge then sends again what waits for a person.`;

export const TAIL = `## Life of a connection

- A client pings every 10 s. Either end closes with 4408 after 25 s without any frame.
- After a loss the client tries again: pauses drawn between 250 ms and a bound that doubles from 500 ms to 15 s. While it waits it looks every 2 s for a bridge that it has not tried. After 4401 (token) and 4409 (replaced by another window), and where the versions differ, it waits for a new run file or for a person.
- A client attaches to the sessions of \`welcome\` and of every \`session.created\`. It gets no messages of sessions that it is not attached to; who started a session is attached to it.
- Within a session messages arrive in their order; across sessions there is none. A message for a session that the client doesn’t know is counted and dropped.

## Who runs a tool

A call goes to the client that is attached to its session and offers \`tools\`, the newest if there are several; with none it runs headless in the bridge. A client offers tools only if its \`hello\` repeats the \`folder\` of the run file, which it must have read from its own vault: else it would write into another copy. Its answer is the answer, an error too; no call is run headless after a client took it. If the socket closes while a call is out, the call fails with words for the model.
`;
