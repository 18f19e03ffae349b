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
- A sender cuts strings over 256 Ki units, further where the frame would still be too large, and sets \`payload.truncated\` to the full length of the longest. In \`tool.call\` and \`tool.result\` nothing is cut: what doesn’t fit is not sent, and the call fails with words for the model. Nor is anything that a person wrote or chose (\`session.start\`, \`session.message\`, \`session.update\` and the two responses): a text that is too long is not sent, and the person is told. What is nested deeper than 64 levels is left out, in those refused.
- A frame that is refused but whose \`sessionId\` and \`seq\` can be read counts as arrived: it would be refused each time it came.
- \`seq\` numbers the messages of a session, in each direction from 1 and without holes, for as long as the \`epoch\` of \`welcome\` lasts. The bridge numbers all that names a session, but for \`ack\`, for pages of \`snapshot\`, and for an \`error\` about a session that the client has no messages of. It numbers for each client by itself and only when it sends, so that a late message never waits behind tokens. A client that doesn’t number its own messages is served all the same, without replay.
- Who reads lets each number through once: a number that was there already is dropped; a number too high closes the connection with 4400, and connecting again brings what lies between.
- \`ack\` says that everything up to that number arrived. It rides on any message of the session, or comes in a frame \`ack\` of its own within 200 ms.`;

export const TAIL = `## Life of a connection

- A client pings every 10 s. Either end closes with 4408 after 25 s without any frame.
- After a loss the client tries again: pauses drawn between 250 ms and a bound that doubles from 500 ms to 15 s. While it waits it looks every 2 s for a bridge that it has not tried. After 4401 (token) and 4409 (replaced by another window), and where the versions differ, it waits for a new run file or for a person.
- A client attaches to the sessions of \`welcome\` and of every \`session.created\`. It gets no messages of sessions that it is not attached to; who started a session is attached to it.
- Within a session messages arrive in their order; across sessions there is none. A message for a session that the client doesn’t know is counted and dropped.

## Connecting again

- A client repeats in \`hello.resume\`, for each session, the \`epoch\` of the last \`welcome\` and the number that arrived last; a session that is not named counts as 0. Where the bridge still knows that numbering, \`welcome.resumed\` is true, and right after it comes what was missed, with its old numbers. The client likewise sends again what was not acknowledged; the bridge drops what it has.
- The bridge keeps what is not acknowledged: per session at most 4,096 messages, 8 MiB and 15 minutes, and 32 MiB for all sessions of a client. A client that stays away longer is forgotten, and of those that are away all but the last eight. While it is away, tokens of one part are joined.
- Where that doesn’t reach back, or the bridge began anew, the session comes as pages of \`snapshot\` with \`resync\`: its newest messages, with what of the running one was written so far, and what waits for a person. With the last page everything up to \`uptoSeq\` counts as arrived.
- After a restart of the bridge nothing that was sent before is sent again by itself: a prompt might be there twice. A person’s answer to a permission or a question is sent again once the bridge shows that it still waits.
- A second connection with the same \`epoch\` takes the place of the first, which is closed with 4409; one whose \`attempt\` is lower than that of the last comes late and is closed with 4409 itself.
- Of a client that reads slowly the bridge measures what was sent and not received: above 1 MiB tokens of one part are joined, above 4 MiB they wait, above 8 MiB the connection is closed with 1013, to be resumed. Nothing but tokens ever waits.

## Who runs a tool

A call goes to the client that is attached to its session and offers \`tools\`, the newest if there are several; with none it runs headless in the bridge. A client offers tools only if its \`hello\` repeats the \`folder\` of the run file, which it must have read from its own vault: else it would write into another copy. Its answer is the answer, an error too; no call is run headless after a client took it. If the socket closes while a call is out, the call waits 15 s for its client to come back, and is sent to it again with the same \`callId\`; then it fails with words for the model. A client keeps its answers: the same call again (session, \`callId\`, arguments) gets the answer of the first time, the same \`callId\` with other arguments the error \`conflict\`. A call that has no answer after 30 s is given up; while a person is asked, the client says so by \`tool.waiting\`, and that time doesn’t count. \`tool.cancel\` says that nobody waits any more; the call is answered all the same.
`;
