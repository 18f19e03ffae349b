import type { Checkpoint } from '../../src/core/board/checkpoint/checkpoints';
import type { Board } from '../../src/core/board/task';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { KeyedCommand } from '../../src/core/orchestrator/command';
import type { RunAction, RunEvent } from '../../src/core/orchestrator/event';
import { planSnapshotOf, type PlanSnapshot } from '../../src/core/orchestrator/plan-snapshot';
import type { RunView } from '../../src/core/orchestrator/runs';
import { IDLE, type RunState } from '../../src/core/orchestrator/state';
import { step } from '../../src/core/orchestrator/step';

export interface FakeSession {
  readonly id: string;
  readonly title: string;
  readonly parentId: string | null;
}

const MARKS = { begin: '/', reopen: '/', fail: '!', cancelled: '-', deferred: '>', complete: 'x' };

/** A run of the real state machine over one board. Commands finish at once, turns take time. */
export class FakeRun {
  state: RunState = IDLE;
  text = '';
  by: RunView['by'] = 'here';
  fault: string | null = null;
  unreadable: string | undefined;
  readonly sessions: FakeSession[] = [];
  readonly checkpoints: Checkpoint[] = [];
  private turns = 0;

  constructor(
    readonly id: string,
    readonly path: string,
    private readonly now: () => number,
    private readonly changed: () => void,
  ) {}

  get board(): Board {
    return parseNote(this.path, this.text).board;
  }

  get view(): RunView {
    const { id, state, by, fault } = this;
    const note = this.path.replace(/-tasks\.md$/, '-run.md');
    return { id, state, plan: this.look(), board: this.path, note, by, fault };
  }

  act(action: RunAction): void {
    this.event(action);
  }

  event(event: RunEvent): void {
    const happening = { at: this.now(), plan: this.look(), event };
    const [next, commands] = step(this.state, happening);
    this.state = next;
    for (const command of commands) {
      if (command.type !== 'store' && command.type !== 'tell') this.carryOut(command);
    }
    this.changed();
  }

  /** Ends the running turn of a task's work or check session, or of the planning session. */
  turnEnds(title: string, said: string, reason: 'completed' | 'error'): void {
    const session = this.sessions.findLast((one) => one.title.startsWith(title));
    if (session === undefined) throw new Error(`no session of ${title}`);
    const inSession = { sessionId: session.id };
    if (reason === 'completed') this.event({ type: 'said', ...inSession, text: said });
    const error = reason === 'error' ? said : '';
    this.turns += 1;
    const message = `msg_${this.turns}`;
    this.event({ type: 'turn_ended', ...inSession, message, reason, error });
  }

  mark(id: string, mark: string): void {
    const line = new RegExp(`^(\\t*- \\[).(\\].*\\^${id})$`, 'm');
    this.text = this.text.replace(line, `$1${mark}$2`);
  }

  private look(): PlanSnapshot {
    if (this.unreadable !== undefined) return { kind: 'unreadable', message: this.unreadable };
    return planSnapshotOf(this.text === '' ? undefined : this.board);
  }

  private carryOut(command: KeyedCommand): void {
    const { key } = command;
    switch (command.type) {
      case 'start_session': {
        // A run without a session first creates its own, to which the board belongs.
        const n = this.sessions.length;
        const id = n === 0 ? `ses_${this.id}` : `ses_${this.id}_${n + 1}`;
        this.sessions.push({ id, title: command.title, parentId: command.parent });
        return this.event({ type: 'opened', key, sessionId: id });
      }
      case 'checkpoint': {
        const n = this.checkpoints.length + 1;
        this.checkpoints.unshift({ n, at: this.now(), by: 'user', label: command.label, rev: n });
        return this.event({ type: 'done', key, n });
      }
      case 'write':
        this.write(command);
        return this.event({ type: 'done', key });
      case 'prompt':
      case 'number':
      case 'plan_text':
        return this.event({ type: 'done', key });
      case 'interrupt':
        return this.event({
          ...{ type: 'turn_ended', sessionId: command.session, message: `msg_${key}` },
          ...{ reason: 'interrupted', error: '' },
        });
    }
  }

  private write({ task, write }: Extract<KeyedCommand, { type: 'write' }>): void {
    if (write.kind !== 'result') return this.mark(task, MARKS[write.kind]);
    const line = new RegExp(`^(\\t*)(- \\[.\\].*\\^${task})$`, 'm');
    this.text = this.text.replace(line, `$1$2\n$1\tResult: ${write.result}`);
  }
}
