/** The parts of `docs/PROTOCOL.md` that can't be generated from declarations. */

export const HEAD = `# The wire protocol, version 1

This page is written by \`npx vitest run test/protocol/protocol-page.test.ts -u\` from the declarations in \`src/protocol\`; a test fails if it is out of date.

A client (the plugin, or any other) and the bridge inside OpenCode talk over a WebSocket on the loopback interface, in JSON text frames.

## Handshake

- The client opens \`ws://127.0.0.1:<port>/\` and offers two subprotocols, \`agent-task-boards.v1\` and \`token.<token>\`. The server answers the first. The token is never part of a URL.
- Host and Origin are checked in the upgrade and refused with 403. A wrong token is accepted and closed with 4401 before any frame is read, because only a close code tells a browser the reason.
- The first frame of a client is \`hello\`; the bridge answers \`welcome\`. A client that gets none within 10 s gives up. Before the welcome it accepts only an \`error\`.
- Port and token are in the run file. If there are several run files, the newest is tried first. A client reads them again before every try, because a restarted OpenCode has another port and another token.`;

export const ENVELOPE = `## The envelope

Every frame is one object with these fields, a \`type\` and a \`payload\`. A field with “?” may be missing. Strings are measured in UTF-16 units, as JavaScript does.

- A frame has at most 1 MiB (UTF-8) and 64 levels; both are checked before it is parsed (\`too_large\`, \`bad_json\`).
- Unknown fields are dropped. An unknown type is refused with \`unknown_type\`, another \`v\` with \`version\`; the bridge answers a refused frame with \`error\`, and a client logs it and goes on.
- A frame with \`__proto__\`, \`constructor\` or \`prototype\` as a name is refused. In opaque JSON (\`args\`, \`input\`, \`metadata\`) they are removed and counted.
- A sender cuts strings over 256 Ki units, cuts further if the frame would still be too large, and sets \`payload.truncated\` to the full length of the longest. A \`tool.call\` or \`tool.result\` is never cut: if it doesn’t fit, it is not sent, and the call fails with words for the model. Text that a person wrote or chose (\`session.start\`, \`session.message\`, \`session.update\` and the two responses) is not cut either: if it is too long, it is not sent, and the person is told. Parts that are nested deeper than 64 levels are left out; in the messages that are never cut, they are refused.
- A refused frame whose \`sessionId\` and \`seq\` can be read counts as received, because it would be refused each time it is sent.
- \`seq\` numbers the messages of a session, in each direction from 1 and without gaps, as long as the \`epoch\` of \`welcome\` lasts. The bridge numbers every message that names a session, except \`ack\`, pages of \`snapshot\`, and an \`error\` about a session of which the client has no messages. It numbers messages separately for each client, and only when it sends them, so that a late message never waits behind tokens. A client that doesn’t number its own messages is also served, but without replay.
- A reader accepts each number once: it drops a repeated number, and closes the connection with 4400 after a number that is too high. The next connection delivers the missing messages.
- \`ack\` says that everything up to that number was received. It is part of any message of the session, or is sent in a frame \`ack\` of its own within 200 ms.`;

export const TAIL = `## Life of a connection

- A client pings every 10 s. Either end closes with 4408 after 25 s without any frame.
- After a loss the client tries again, after random pauses between 250 ms and a bound that doubles from 500 ms to 15 s. While it waits, it checks every 2 s for a bridge that it has not tried. After 4401 (token) and 4409 (replaced by another window), and if the versions differ, it waits for a new run file or for a person.
- A client attaches to the sessions of \`welcome\` and of every \`session.created\`. It gets no messages of sessions that it is not attached to. The client that started a session is attached to it.
- Messages of one session arrive in order; there is no order across sessions. A message for a session that the client doesn’t know is counted and dropped.

## Connecting again

- A client repeats in \`hello.resume\`, for each session, the \`epoch\` of the last \`welcome\` and the last number that it received; a session that is not named counts as 0. If the bridge still knows that numbering, \`welcome.resumed\` is true, and the missed messages follow at once, with their old numbers. The client also sends its unacknowledged messages again; the bridge drops those that it has.
- The bridge keeps unacknowledged messages: per session at most 4,096 messages, 8 MiB and 15 minutes, and 32 MiB for all sessions of a client. A client that stays away longer is forgotten; of the clients that are away, only the last eight are remembered. While a client is away, tokens of one part are joined.
- If the kept messages don’t reach back far enough, or the bridge was restarted, the session is sent as pages of \`snapshot\` with \`resync\`: its newest messages, the running message as far as it was written, and the requests that wait for a person. With the last page, everything up to \`uptoSeq\` counts as received.
- After a restart of the bridge, a client does not automatically repeat what it sent before, because a prompt might then be there twice. A person’s answer to a permission or a question is sent again once the bridge shows that it still waits.
- A second connection with the same \`epoch\` replaces the first, which is closed with 4409. A connection whose \`attempt\` is lower than that of the last is late, and is itself closed with 4409.
- The bridge measures how much it sent to a client that the client has not received. Above 1 MiB, tokens of one part are joined; above 4 MiB, they wait; above 8 MiB, the connection is closed with 1013, and the client can resume. Only tokens ever wait.

## Who runs a tool

A call goes to the client that is attached to its session and offers \`tools\`, the newest if there are several; without one it runs headless in the bridge. A client offers tools only if its \`hello\` repeats the \`folder\` of the run file, which it must have read from its own vault; otherwise it would write into another copy. The client’s answer is final, even if it is an error; a call that a client accepted is never run headless. If the socket closes during a call, the call waits 15 s for its client to return, and is sent to it again with the same \`callId\`; after that time it fails with words for the model. A client stores its answers: a repeated call (same session, \`callId\`, arguments) gets the first answer again, and the same \`callId\` with other arguments gets the error \`conflict\`. A call without an answer after 30 s is given up; while a person is asked, the client says so with \`tool.waiting\`, and that time doesn’t count. \`tool.cancel\` says that nobody waits any more; the call still has to be answered.
`;
