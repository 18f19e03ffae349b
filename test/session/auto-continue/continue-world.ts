import { AutoContinue } from '../../../src/core/session/auto-continue/auto-continue';
import { boardChange, type ChangedBy } from '../../../src/core/board/board-change';
import { parseNote } from '../../../src/core/board/note/parse-note';
import type { Board } from '../../../src/core/board/task';
import {
  SessionEventBus,
  type SessionEvent,
  type SessionEventOf,
} from '../../../src/core/session/session-event-bus';
import { Hooks } from '../../../src/core/hook/hooks';
import { followSessions } from '../../../src/core/session/session-hooks';
import type { SessionHost } from '../../../src/core/session/session-host';
import { Sessions } from '../../../src/core/session/sessions';
import { ManualClock } from '../../bridge/manual-clock';
import { HEADER } from '../../board/note-sample';
import { created, progress, turnEnd } from '../events';

export const SESSION = 'ses_1';

/** Auto-continue over the real bus, registry and notes; the test controls OpenCode and time. */
export class ContinueWorld {
  readonly bus = new SessionEventBus();
  readonly clock = new ManualClock();
  readonly sessions = new Sessions(this.bus, {
    onWelcome: () => () => undefined,
    hostOf: () => this.host,
  });
  readonly hooks = new Hooks({ clock: this.clock, log: { note: () => undefined } });
  readonly sent: string[] = [];
  readonly failures: string[] = [];
  online = true;
  /** sessions that are continued by a run */
  readonly sessionsOfRuns = new Set<string>();
  settings = { on: false, seconds: 10 };
  /** the error with which the next prompts are refused */
  refusal: Error | undefined;
  private boards = new Map<string, Board>();
  private count = 0;
  readonly auto = new AutoContinue({
    bus: this.bus,
    clock: this.clock,
    sessions: () => this.sessions.all(),
    boards: () => [...this.boards.values()],
    online: () => this.online,
    settings: () => this.settings,
    isDrivenByRun: (sessionId) => this.sessionsOfRuns.has(sessionId),
    send: async (sessionId, text) => {
      if (this.refusal !== undefined) throw this.refusal;
      this.sent.push(`${sessionId}: ${text.split('\n').slice(0, -1).join(' ')}`);
      await Promise.resolve();
    },
    reportFailure: (sessionId, error) => void this.failures.push(`${sessionId}: ${String(error)}`),
  });

  /** @param host what runs its session */
  constructor(private readonly host?: SessionHost) {
    this.hooks.on('on-stop', 'going on', (stop) => this.auto.turnStopped(stop));
    followSessions(this.hooks, this.bus);
    this.emit(created(SESSION));
  }

  emit(...events: readonly SessionEvent[]): void {
    for (const event of events) this.bus.emit(event);
  }

  /** Replaces the board of a session; each line is a task, and the first has id 1. */
  setBoard(lines: readonly string[], by: ChangedBy = 'agent', session = SESSION): void {
    const path = `.opencode/todos/${session}/build-tasks.md`;
    const body = lines.map((line, at) => `- ${line} 🆔 k3f9-${at + 1} ^k3f9-${at + 1}`);
    const text = `${HEADER.replace('ses_1', session)}${body.join('\n')}\n`;
    const { board } = parseNote(path, text);
    const before = this.boards.get(path);
    this.boards.set(path, board);
    this.auto.boardChanged(boardChange({ path, before, after: board, by }));
  }

  beginTurn(session = SESSION): void {
    this.emit(progress(session, { kind: 'busy' }));
  }

  endTurn(reason: 'completed' | 'interrupted' | 'error' = 'completed', session = SESSION): void {
    this.emit(turnEnd(session, { messageId: 'm', reason }), progress(session, { kind: 'idle' }));
  }

  /** A turn that begins and ends well. */
  turn(): void {
    this.beginTurn();
    this.endTurn();
  }

  /** A prompt as OpenCode reports it, whoever sent it. */
  prompt(messageId = `prompt ${(this.count += 1)}`, session = SESSION): SessionEvent {
    const payload = { messageId, partId: 'p', text: 'Words', role: 'user' as const };
    const event: SessionEventOf<'message.final'> = {
      ...{ type: 'message.final', sessionId: session, ts: 1, payload },
    };
    this.emit(event);
    return event;
  }

  ask(session = SESSION): void {
    const payload = { requestId: 'r', permission: 'bash', patterns: [], always: [], metadata: {} };
    this.emit({ type: 'permission.request', sessionId: session, ts: 1, payload });
  }

  /** The shown state, in one line. */
  get shown(): string {
    const state = this.auto.state(SESSION);
    if (state.kind === 'stopped') return `stopped: ${state.reason}`;
    if (state.kind === 'waiting') return `at ${state.until}: ${state.taskTitle}`;
    return state.kind === 'needs_me' ? `needs me: ${state.taskTitle}` : state.kind;
  }

  close(): void {
    this.auto.close();
    this.sessions.close();
  }
}
