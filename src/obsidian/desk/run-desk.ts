import type { BoardChange } from '../../core/board/board-change';
import type { RollBackAnswer } from '../../core/board/checkpoint/checkpoints';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Tidings } from '../../core/orchestrator/command';
import { bridgesLink } from '../../core/orchestrator/drive/bridges-link';
import { LateAsks } from '../../core/orchestrator/drive/late-asks';
import { Orchestrator } from '../../core/orchestrator/drive/orchestrator';
import type { OrchestratorDeps } from '../../core/orchestrator/drive/orchestrator-deps';
import { chosenStrategy } from '../../core/orchestrator/prompt/chosen-strategy';
import type { PendingAsks } from '../../core/permission/pending-asks';
import type { Undo } from '../../core/ports';
import type { Bridges } from '../../core/session/bridges';
import { Listeners } from '../../core/session/listeners';
import type { SessionEventBus } from '../../core/session/session-event-bus';
import type { SessionRuntime } from '../../core/session/session-runtime';
import type { Sessions } from '../../core/session/sessions';
import type { SharedSettings } from '../../core/shared-settings';
import { GOING_BACK } from '../run/doing-words';
import { UnderWay } from '../run/under-way';
import type { DeskParts } from './desk-parts';
import { runAsks } from './run-asks';

export interface RunDeskDeps {
  readonly parts: Pick<DeskParts, 'store' | 'clock' | 'ids' | 'log' | 'desktop' | 'runLock'> & {
    readonly bus: Pick<SessionEventBus, 'onAll'>;
    readonly runtime: OrchestratorDeps['runtime'] & Pick<SessionRuntime, 'answerPermission'>;
    readonly sessions: Pick<Sessions, 'all'>;
    readonly connection: Pick<Bridges, 'state' | 'onState'>;
  };
  /** of the boards' folder as it is now */
  readonly manager: () => TodoManager;
  readonly asks: PendingAsks;
  readonly settings: () => Pick<SharedSettings, 'askMinutes' | 'runPrompts'>;
}

/** Until a run of ours that another window, or the plugin before this one, still holds is looked at again, ms. */
const AGAIN = 5_000;

/** The runs of the vault in the plugin: carries out its own, and goes on with them at its start. */
export class RunDesk {
  readonly runs: Orchestrator;
  /** what the person asked of runs and is not done yet */
  readonly under = new UnderWay();
  private readonly boards = new Listeners<BoardChange>();
  private readonly told = new Listeners<{ readonly run: string; readonly what: Tidings }>();
  private readonly late: LateAsks;
  private undoAgain: Undo = () => undefined;
  private closed = false;

  constructor(private readonly deps: RunDeskDeps) {
    const { parts, manager, asks, settings } = deps;
    const { store, clock, ids, log, bus, runtime, sessions, connection, runLock } = parts;
    this.late = new LateAsks({
      ...{ bus, runtime, clock, log },
      minutes: () => settings().askMinutes,
      holds: (sessionId) => this.runs.holds(sessionId),
      sessions: () => sessions.all(),
      own: runAsks(asks),
    });
    this.runs = new Orchestrator({
      ...{ store, clock, ids, log, bus, runtime },
      lock: runLock,
      sessions: () => sessions.all(),
      link: bridgesLink(connection),
      boards: { manager, onChange: (listener) => this.boards.add(listener) },
      asks: this.late,
      strategy: chosenStrategy(() => settings().runPrompts),
      program: 'obsidian',
      tell: (run, what) => this.told.call({ run, what }),
      time: noteTime,
    });
  }

  /** What the person is to hear of, where no view shows it. */
  onTold(listener: (told: { readonly run: string; readonly what: Tidings }) => void): Undo {
    return this.told.add(listener);
  }

  /**
   * After the first look at the boards, before the connection: what rests here goes on. Where boards
   * or runs can't be read, the rest of the plugin starts all the same.
   */
  async start(): Promise<void> {
    try {
      await this.runs.scan();
      await this.takeUpOwn();
    } catch (error) {
      this.deps.parts.log.note('Runs could not be read.', { error: String(error) });
    }
  }

  boardChanged(change: BoardChange): void {
    this.boards.call(change);
  }

  /** How the board of a run that is not over goes back; undefined where it is of none. */
  rollBackOn(path: string): ((n: number) => Promise<RollBackAnswer>) | undefined {
    const run = this.runs.all().find(({ id, board }) => board === path && !this.isOver(id));
    if (run === undefined) return undefined;
    return (n) => this.under.during(run.id, GOING_BACK, () => this.runs.rollBack(run.id, n));
  }

  /** Why the boards can't be looked for in another folder now; undefined: they can. */
  get heldBoards(): string | undefined {
    const goes = this.runs.all().some(({ by }) => by === 'here');
    return goes ? 'A run goes on with these boards. End it first: "Cancel run…".' : undefined;
  }

  /** Nothing is asked for afterwards; what was begun is found at the next start. */
  close(): void {
    this.closed = true;
    this.undoAgain();
    this.late.close();
    void this.runs.close();
    this.boards.clear();
    this.told.clear();
  }

  /** Runs of the command line are left to it, or to the person's word. */
  private async takeUpOwn(): Promise<void> {
    if (!this.deps.parts.desktop) return;
    let held = false;
    for (const { id, by, fault } of this.runs.all()) {
      if (this.closed) return;
      if (this.runs.program(id) !== 'obsidian' || fault !== null || this.isOver(id)) continue;
      if (by === 'elsewhere') held = true;
      if (by !== 'nobody') continue;
      const taken = await this.runs.takeUp(id);
      if (!taken.ok) held = true;
    }
    if (!held || this.closed) return;
    this.undoAgain = this.deps.parts.clock.after(AGAIN, () => void this.start());
  }

  private isOver(id: string): boolean {
    const { kind } = this.runs.get(id)?.state ?? { kind: 'idle' };
    return kind === 'completed' || kind === 'failed' || kind === 'cancelled';
  }
}

/** As the clock on the wall shows it. */
function noteTime(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
