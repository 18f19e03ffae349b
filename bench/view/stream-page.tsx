import { render } from 'preact';
import { SessionEventBus, type SessionEvent } from '../../src/core/session/session-event-bus';
import { Transcripts } from '../../src/core/session/transcript/transcripts';
import { FrameQueue } from '../../src/obsidian/conversation/use-transcript';
import { TranscriptList } from '../../src/obsidian/conversation/transcript-list';

/** Result of one run of the stream. */
export interface StreamResult {
  /** ms of every frame, in order */
  readonly frames: readonly number[];
  readonly tokens: number;
  /** whether each view shows everything that was sent to its session, and nothing else */
  readonly whole: boolean;
}

declare global {
  interface Window {
    stream: (sessions: number, perSecond: number, seconds: number) => Promise<StreamResult>;
  }
}

/** ms between two deliveries, as from a socket. */
const TICK = 10;
/** Tokens per paragraph, and per message. */
const [PARAGRAPH, MESSAGE] = [60, 600];

/** Conversations side by side, all visible, each with its own stream. */
window.stream = async (sessions, perSecond, seconds) => {
  const bus = new SessionEventBus();
  const runtime = { history: () => Promise.resolve([]) };
  const transcripts = new Transcripts({ bus, runtime, log: { note: () => undefined } });
  const ids = Array.from({ length: sessions }, (_, n) => `s${n}`);
  const queue = new FrameQueue((frame) => requestAnimationFrame(frame));
  document.body.replaceChildren();
  for (const sessionId of ids) {
    bus.emit(event('session.created', sessionId, { title: sessionId, directory: '/v' }));
    draw(sessionId, transcripts, queue);
  }
  const sent = new Map(ids.map((id) => [id, '']));
  const frames: number[] = [];
  const began = performance.now();
  let last = began;
  let count = 0;
  await new Promise<void>((resolve) => {
    const end = began + seconds * 1_000;
    const frame = (now: number) => {
      frames.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    const timer = setInterval(() => {
      const now = performance.now();
      const due = Math.floor(((Math.min(now, end) - began) / 1_000) * perSecond);
      for (; count < due; count += 1) for (const id of ids) emitToken(bus, id, count, sent);
      if (now < end) return;
      clearInterval(timer);
      resolve();
    }, TICK);
  });
  for (let n = 0; n < 80; n += 1) await new Promise(requestAnimationFrame);
  return {
    frames,
    tokens: count * sessions,
    whole: ids.every((id) => isShownInFull(id, sent, transcripts)),
  };
};

function emitToken(bus: SessionEventBus, id: string, n: number, sent: Map<string, string>): void {
  const token =
    n % PARAGRAPH === PARAGRAPH - 1 ? `w${n}.\n\n` : `w${n}${n % 7 === 0 ? ' **b** ' : ' '}`;
  const part = Math.floor(n / MESSAGE);
  const ids = { messageId: `m${id} ${part}`, partId: `p${id} ${part}` };
  sent.set(id, (sent.get(id) ?? '') + token);
  bus.emit(event('stream.token', id, { ...ids, delta: token }));
}

/** Whether the transcript holds every token in order, and the newest words are shown in its own view. */
function isShownInFull(
  id: string,
  sent: ReadonlyMap<string, string>,
  transcripts: Transcripts,
): boolean {
  const text = transcripts
    .get(id)
    .blocks.map((block) => ('text' in block ? block.text : ''))
    .join('');
  const newest = /w\d+(?=[^w]*$)/.exec(sent.get(id) ?? '')?.[0] ?? '';
  const view = document.getElementById(id)?.textContent ?? '';
  return text === sent.get(id) && view.includes(newest);
}

function draw(sessionId: string, source: Transcripts, frames: FrameQueue): void {
  const pane = document.createElement('div');
  pane.id = sessionId;
  pane.className = 'atb-conversation';
  document.body.append(pane);
  const nothing = () => undefined;
  const means = {
    ...{
      review: nothing,
      allowOnce: nothing,
      tryAgain: nothing,
      copy: nothing,
      openSession: nothing,
    },
    connected: () => true,
  };
  render(
    <TranscriptList
      {...{ source, sessionId, actions: means, frames }}
      name={sessionId}
      agent="build"
      pending={new Set()}
      online={false}
      finding=""
      handle={{ current: null }}
      onTranscript={nothing}
    />,
    pane,
  );
}

function event(type: string, sessionId: string, payload: object): SessionEvent {
  return { type, sessionId, ts: Date.now(), payload } as SessionEvent;
}
