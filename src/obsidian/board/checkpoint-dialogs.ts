import type { App } from 'obsidian';
import type { TaskChange } from '../../core/board/digest';
import type { Checkpoint, RollBackAnswer } from '../../core/board/checkpoint/checkpoints';
import { PERSON } from '../../core/board/history/actor';
import { STATE_ROOT, type TodoManager } from '../../core/board/todo-manager';
import type { Board } from '../../core/board/task';
import { StoreError, type NoteStore } from '../../core/ports';
import type { BoardWrites } from './board-actions';
import { ask, askForText, pick } from '../ui/dialog';
import { effectText } from './own-changes';
import { faultText, languageCode, t } from '../language/text';

export interface CheckpointDialogsDeps {
  readonly app: App;
  readonly store: NoteStore;
  readonly manager: () => Pick<TodoManager, 'checkpoints'>;
  readonly writes: BoardWrites;
  /** A function that stops a board's run and rolls the board back; undefined: no active run. */
  readonly runOn?: (path: string) => RunRollBack | undefined;
}

/** Rolls back the board of a run; the run stays paused. */
export type RunRollBack = (n: number) => Promise<RollBackAnswer>;

/** Adds checkpoints of a board, and rolls back to one after showing what would change. */
export class CheckpointDialogs {
  private checkpointsExist = false;

  constructor(private readonly deps: CheckpointDialogsDeps) {}

  /** Whether any board has a checkpoint, as of the last check. */
  get hasCheckpoints(): boolean {
    return this.checkpointsExist;
  }

  async refresh(): Promise<void> {
    try {
      this.checkpointsExist = (await this.deps.store.list(`${STATE_ROOT}/checkpoints`)).length > 0;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.checkpointsExist = false;
    }
  }

  async create(board: Board): Promise<void> {
    const { app, manager, writes } = this.deps;
    const label = await askForText(app, {
      title: t('board.createCheckpointOfTitle', { title: board.title }),
      placeholder: t('board.checkpointName'),
      yes: t('board.create'),
      optional: true,
    });
    if (label === undefined) return;
    const wish = { by: 'user' as const, ...(label !== '' && { label }) };
    const answer = await writes.catchStoreErrors(() => manager().checkpoints.add(board.path, wish));
    this.checkpointsExist = this.checkpointsExist || answer.ok;
    writes.notify(
      answer.ok
        ? t('board.checkpointWasCreated', { checkpoint: checkpointName(answer.checkpoint) })
        : faultText(answer),
    );
  }

  /** Rolls a board back. @param n number of the checkpoint; without it, the person picks one */
  async rollBack(board: Board, n?: number): Promise<void> {
    const { app, manager, writes } = this.deps;
    const { path } = board;
    const all = await writes.read(() => manager().checkpoints.list(path));
    if (all === undefined) return;
    if (all.length === 0)
      return writes.notify(t('board.titleHasNoCheckpointYet', { title: board.title }));
    const choices = all.map((one) => ({
      text: `${checkpointName(one)} · ${dateWords(one.at)}`,
      value: one,
    }));
    const wanted = all.find((one) => one.n === n);
    if (n !== undefined && wanted === undefined) {
      return writes.notify(t('board.checkpointNotKept', { n }));
    }
    const chosen = wanted ?? (await pick(app, choices, t('board.rollBackToWhichCheckpoint'), true));
    if (chosen === undefined || !(await this.confirmRollBack(path, chosen))) return;
    const run = this.deps.runOn?.(path);
    const done = await writes.catchStoreErrors(
      () => run?.(chosen.n) ?? manager().checkpoints.rollBack(path, chosen.n, PERSON),
    );
    if (done.ok)
      writes.recordChange(
        done.change,
        t('board.rolledBackTo', { checkpoint: checkpointName(chosen) }),
      );
    else writes.notify(faultText(done));
  }

  private async confirmRollBack(path: string, chosen: Checkpoint): Promise<boolean> {
    const { app, manager, writes } = this.deps;
    const diff = await writes.catchStoreErrors(() => manager().checkpoints.diff(path, chosen.n));
    if (!diff.ok) {
      writes.notify(faultText(diff));
      return false;
    }
    const { told, left } = diff;
    const undone = t('board.changesAreUndone', { count: told.length });
    const runs = this.deps.runOn?.(path) !== undefined;
    const words = runs ? `${undone} ${t('board.runIsPausedFirst')}` : undone;
    const answer = await ask(app, {
      title: t('board.rollBackTo', { checkpoint: checkpointName(chosen) }),
      text: told.length === 0 ? t('board.boardIsAsThen') : words,
      answers: told.length === 0 ? [] : [{ label: t('board.rollBack'), value: true }],
      draw: (element) => drawLines(element, [...told.map(effectPreview), ...left]),
    });
    return answer === true;
  }
}

/** Describes a change as the board will show it: "Ship waits for Build". */
function effectPreview(change: TaskChange): string {
  return effectText(change, 'effect');
}

function drawLines(element: HTMLElement, lines: readonly string[]): void {
  const list = element.createEl('ul', { cls: 'atb-lines' });
  for (const text of lines.slice(0, MAX_LINES)) list.createEl('li', { text });
  const more = lines.length - MAX_LINES;
  if (more > 0) element.createEl('p', { text: t('board.andMoreChanges', { count: more }) });
}

const MAX_LINES = 200;

function checkpointName({ n, label }: Checkpoint): string {
  return label === null ? t('board.checkpointN', { n }) : t('board.checkpointNLabel', { n, label });
}

function dateWords(at: number): string {
  return new Date(at).toLocaleString(languageCode, { dateStyle: 'medium', timeStyle: 'short' });
}
