import type { BoardChange } from '../../core/board/board-change';
import type { RollBackAnswer } from '../../core/board/checkpoint/checkpoints';
import type { TodoManager } from '../../core/board/todo-manager';
import type { RunUpdate } from '../../core/orchestrator/command';
import { bridgesLink, ExpiringRequests } from '../../core/orchestrator/drive/bridges-link';
import { Orchestrator } from '../../core/orchestrator/drive/orchestrator';
import type { ToolRequest, ToolRequests } from '../../core/orchestrator/drive/orchestrator-deps';
import { chosenStrategy } from '../../core/orchestrator/run-prompt';
import type { ToolPermissionRequest, PendingPermissions } from '../../core/permission/ask';
import type { Undo } from '../../core/ports';
import { notesForGoal, type NoteSource } from '../../core/context/related-notes';
import { isFeatureAvailable } from '../../core/session/connection';
import { Listeners } from '../../core/session/listeners';
import type { SharedSettings } from '../../core/shared-settings';
import type { Reader } from '../../core/tool/readable-note';
import { ROLLING_BACK, PendingRunActions } from './run-intent';
import type { RunSummary } from '../model/overview';
import type { CoreServices } from '../app/core-services';
import { toolText } from '../../core/orchestrator/drive/run-sessions';
import { stepsOf, takenTasks, type RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/state';
import { attentionReasons, reasonCard, type ReasonCard } from './reason-card';
import {
  awaitsApproval,
  goalLine,
  activeRun,
  knownRun,
  stepSession,
  stateWords,
} from './run-words';
import { isoDate } from '../adapter/platform';
import { timeWithSeconds } from '../ui/text';
import { t } from '../language/text';

/** ms until a run that another window or an earlier start of the plugin holds is tried again. */
const RETRY_DELAY = 5_000;

/** The runs of the vault: carries out the plugin's own, and resumes them at start. */
export class RunServices {
  readonly runs: Orchestrator;
  /** actions of the person that are not finished yet */
  readonly pendingActions = new PendingRunActions();
  private readonly boards = new Listeners<BoardChange>();
  private readonly updateListeners = new Listeners<{
    readonly run: string;
    readonly what: RunUpdate;
  }>();
  private readonly late: ExpiringRequests;
  private cancelRetry: Undo = () => undefined;
  private closed = false;

  /**
   * @param manager returns the manager of the current board root
   * @param notes the notes to search for related notes of a plan, as far as the reader may read
   * them
   */
  constructor(
    private readonly parts: CoreServices,
    manager: () => TodoManager,
    asks: PendingPermissions,
    settings: () => Pick<SharedSettings, 'askMinutes' | 'runPrompts' | 'runNotes'>,
    notes: (reader: Reader) => Promise<NoteSource>,
  ) {
    const { store, clock, ids, log, bus, runtime, sessions, connection, runLock } = parts;
    this.late = new ExpiringRequests({
      ...{ bus, runtime, clock, log },
      minutes: () => settings().askMinutes,
      usesSession: (sessionId) => this.runs.usesSession(sessionId),
      sessions: () => sessions.all(),
      own: runAsks(asks),
    });
    this.runs = new Orchestrator({
      ...{ store, clock, ids, log, bus, runtime },
      lock: runLock,
      sessions: () => sessions.all(),
      link: bridgesLink(connection),
      boards: { manager, onChange: (listener) => this.boards.add(listener) },
      toolRequests: this.late,
      strategy: chosenStrategy(() => settings().runPrompts),
      findNotes: async (goal, reader) => {
        const { runNotes, runPrompts } = settings();
        if (!runNotes || !isFeatureAvailable(connection.state, 'notes')) return undefined;
        return notesForGoal(goal, await notes(reader), runPrompts);
      },
      program: 'obsidian',
      notify: (run, what) => this.updateListeners.call({ run, what }),
      formatTime: noteTime,
    });
  }

  /** Calls the listener with updates that the person should be told about if no view shows them. */
  onUpdate(listener: (told: { readonly run: string; readonly what: RunUpdate }) => void): Undo {
    return this.updateListeners.add(listener);
  }

  /**
   * Call this after the first read of the boards, before connecting: resumes the plugin's runs that
   * nobody carries out. If boards or runs can't be read, the rest of the plugin still starts.
   */
  start(): Promise<void> {
    return this.runOrLog(async () => {
      await this.runs.scan();
      await this.takeUpOwn();
    });
  }

  /**
   * Calls the listener with the runs that are not over and the sessions that planned any run: now,
   * and once in a microtask after changes.
   */
  follow(listener: (runs: readonly RunSummary[], planners: readonly string[]) => void): Undo {
    let planned = false;
    const tell = (): void => {
      planned = false;
      if (this.closed) return;
      const all = this.runs.all();
      listener(
        runSummaries(all),
        all.flatMap((view) => knownRun(view)?.planner ?? []),
      );
    };
    tell();
    return this.runs.follow(() => {
      if (!planned) queueMicrotask(tell);
      planned = true;
    });
  }

  /** Reads what other programs did to their runs. */
  readChanges(): Promise<void> {
    return this.runOrLog(() => this.runs.refresh());
  }

  private async runOrLog(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.parts.log.note('Runs could not be read.', {
        at: 'run.read',
        severity: 'error',
        error: String(error),
      });
    }
  }

  boardChanged(change: BoardChange): void {
    this.boards.call(change);
  }

  /** Rolls back the board of a run that is not over; undefined if no such run has this board. */
  rollBackOn(path: string): ((n: number) => Promise<RollBackAnswer>) | undefined {
    const run = this.runs.all().find(({ id, board }) => board === path && !this.isOver(id));
    if (run === undefined) return undefined;
    return (n) =>
      this.pendingActions.track(run.id, ROLLING_BACK, () => this.runs.rollBack(run.id, n));
  }

  /** Why the board root can't be changed now; undefined if it can. */
  get whyBoardsFixed(): string | undefined {
    const goes = this.runs.all().some(({ by }) => by === 'here');
    return goes ? t('run.runUsesBoards') : undefined;
  }

  /** Stops everything; runs that were active are found at the next start. */
  close(): void {
    this.closed = true;
    this.cancelRetry();
    this.late.close();
    void this.runs.close();
    this.boards.clear();
    this.updateListeners.clear();
  }

  /** Takes up the plugin's runs; those of the command line only the person takes up. */
  private async takeUpOwn(): Promise<void> {
    if (!this.parts.connects()) return;
    let needsRetry = false;
    for (const { id, by, fault } of this.runs.all()) {
      if (this.closed) return;
      if (this.runs.program(id) !== 'obsidian' || fault !== null || this.isOver(id)) continue;
      if (by === 'elsewhere') needsRetry = true;
      if (by !== 'nobody') continue;
      const taken = await this.runs.takeUp(id);
      if (!taken.ok) needsRetry = true;
    }
    if (!needsRetry || this.closed) return;
    this.cancelRetry = this.parts.clock.after(RETRY_DELAY, () => void this.start());
  }

  private isOver(id: string): boolean {
    const { kind } = this.runs.get(id)?.state ?? { kind: 'idle' };
    return kind === 'completed' || kind === 'failed' || kind === 'cancelled';
  }
}

/** Local date and time. */
function noteTime(at: number): string {
  return `${isoDate(new Date(at))} ${timeWithSeconds(at)}`;
}

/** Reports requests of the plugin's own tools to runs: when one is asked, and how it ended. */
export function runAsks(
  asks: Pick<PendingPermissions, 'all' | 'onChange' | 'onEnd'>,
): ToolRequests {
  const pending = (): readonly ToolRequest[] => asks.all().flatMap(ownAsk);
  return {
    pending,
    onRequest: (listener) => {
      let known = new Set(pending().map(({ requestId }) => requestId));
      return asks.onChange(() => {
        const now = pending();
        const before = known;
        known = new Set(now.map(({ requestId }) => requestId));
        for (const ask of now) if (!before.has(ask.requestId)) listener(ask);
      });
    },
    onEnd: (listener) =>
      asks.onEnd((ask, { reply }) => {
        for (const own of ownAsk(ask)) listener(own, reply === 'expired');
      }),
  };
}

/** A call without a session belongs to no run. */
function ownAsk({
  sessionId,
  requestId,
  tool,
  path,
}: ToolPermissionRequest): readonly ToolRequest[] {
  if (sessionId === undefined) return [];
  return [{ sessionId, requestId, what: toolText(tool, path === undefined ? [] : [path]) }];
}

/** The runs that are not over, for views besides their panel; in the given order. */
export function runSummaries(all: readonly RunView[]): readonly RunSummary[] {
  return all.flatMap((view) => {
    const going = activeRun(view);
    const taken = takenTasks(view);
    if (going === undefined || taken === undefined) return [];
    const steps = stepsOf(view);
    const needs = attentionCards(view);
    return {
      ...{ ...taken, id: view.id, board: view.board },
      ...{ goal: goalLine(view), words: stateWords(view), needs },
      waits: going.kind === 'waiting' || needs.length > 0,
      approvals: steps.flatMap(({ task, doing }) => (doing.kind === 'approval' ? task : [])),
      workers: steps.flatMap((step) => {
        const session = stepSession(step);
        return session === undefined ? [] : { task: step.task, session };
      }),
    };
  });
}

/**
 * Reasons that "Needs you" already shows by another card: requests, the person's own tasks, tasks
 * to approve, and the banner of the connection.
 */
const SHOWN_ELSEWHERE: ReadonlySet<WaitReason['kind']> = new Set([
  'asked',
  'own',
  'approval',
  'offline',
]);

function attentionCards(view: RunView): readonly ReasonCard[] {
  if (!awaitsApproval(view)) {
    const reasons = attentionReasons(view).filter(({ kind }) => !SHOWN_ELSEWHERE.has(kind));
    return reasons.map((why) => reasonCard(view, why));
  }
  // A plan is approved in the panel, which shows it; the card links there.
  const title = t('run.planIsReadyTitle', { goal: goalLine(view) });
  const text = t('run.nothingBegunBeforeApproval');
  return [{ ...{ key: 'approve', icon: 'goal', tone: 'plain', title, text }, buttons: [] }];
}
