import { packFrame, unpackFrame } from '../call-frame';

export interface ServerAnswer {
  readonly ok: boolean;
  /** a file's bytes or JSON; on failure code and message as JSON */
  readonly body: Uint8Array<ArrayBuffer>;
}

type AnswerCallback = (answer: ServerAnswer) => void;

/** Pending calls by number. */
const pendingCalls = new Map<string, AnswerCallback>();
let last = 0;
let opening: Promise<WebSocket> | undefined;

/** Calls the workbench's server over the page's one socket. */
export async function callServer(
  address: string,
  body: string | ArrayBuffer,
): Promise<ServerAnswer> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const socket = await connect();
  const id = String((last += 1));
  return new Promise((done) => {
    pendingCalls.set(id, done);
    socket.send(packFrame({ line: `${id} ${address}`, body: bytes }));
    if (socket.readyState !== WebSocket.OPEN) finishCall(id, disconnectedAnswer());
  });
}

/** The socket; opens it if needed. */
export function connect(): Promise<WebSocket> {
  return (opening ??= open());
}

function open(): Promise<WebSocket> {
  return new Promise((done) => {
    const socket = new WebSocket(`ws://${location.host}/calls`);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => done(socket);
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      const { line, body } = unpackFrame(new Uint8Array(data));
      const [id = '', how] = line.split(' ');
      finishCall(id, { ok: how === 'ok', body: body as Uint8Array<ArrayBuffer> });
    };
    socket.onclose = () => {
      opening = undefined;
      for (const id of [...pendingCalls.keys()]) finishCall(id, disconnectedAnswer());
      done(socket);
    };
  });
}

function finishCall(id: string, answer: ServerAnswer): void {
  const done = pendingCalls.get(id);
  pendingCalls.delete(id);
  done?.(answer);
}

function disconnectedAnswer(): ServerAnswer {
  const fault = { code: 'EIO', message: 'The workbench does not answer' };
  return { ok: false, body: new TextEncoder().encode(JSON.stringify(fault)) };
}
