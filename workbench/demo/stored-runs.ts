import type { Board } from '../../src/core/board/task';
import { TodoManager } from '../../src/core/board/todo-manager';
import type { ChangeRecord } from '../../src/core/board/history/change-record';
import type { EventRecord } from '../../src/core/orchestrator/event';
import { RunFiles } from '../../src/core/orchestrator/drive/run-files';
import { readLog } from '../../src/core/orchestrator/serialise';
import { IDLE, stateName, type RunState, type StateName } from '../../src/core/orchestrator/state';
import { replay } from '../../src/core/orchestrator/step';
import { readSharedSettings } from '../../src/core/shared-settings';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';

/** A run as stored on disk, with its changes to the board. */
export interface StoredRun {
  readonly id: string;
  readonly state: RunState;
  readonly log: readonly EventRecord[];
  /** path of the run note, relative to the vault; null before it exists */
  readonly note: string | null;
  readonly board: Board | undefined;
  /** changes of the board, oldest first */
  readonly changes: readonly ChangeRecord[];
}

/** Reads the runs of a vault from disk, oldest first. @throws Error with a sentence */
export async function readStoredRuns(vault: string): Promise<readonly StoredRun[]> {
  const store = new DiskStore(vault);
  const files = new RunFiles(store);
  const { root, defaultSession } = await readSharedSettings(store);
  const manager = new TodoManager({ store, clock, ids, root, defaultSession });
  await manager.scan();
  const found: (StoredRun & { readonly created: number })[] = [];
  for (const id of await files.ids()) {
    const read = await files.read(id);
    if (read === undefined) continue;
    if (!read.ok) throw new Error(`${id}: ${read.message}`);
    const { state, note, created } = read.value;
    const planner = state.kind === 'idle' ? null : state.run.planner;
    const board = manager.boards().find(({ session }) => session === planner);
    const changes = board === undefined ? [] : await manager.changes(board.path);
    found.push({ id, state, log: await readRunLog(files, id), note, board, changes, created });
  }
  return found.sort((a, b) => a.created - b.created);
}

async function readRunLog(files: RunFiles, id: string): Promise<readonly EventRecord[]> {
  const log: EventRecord[] = [];
  for (const first of await files.segments(id)) {
    const read = readLog(await files.segment(id, first));
    if (!read.ok) throw new Error(`${id}: ${read.message}`);
    log.push(...read.value.log);
  }
  return log;
}

/** The names of the states that a run went through. */
export function stateNamesOf({ log }: Pick<StoredRun, 'log'>): readonly StateName[] {
  const names = replay(log, IDLE).map(stateName);
  return names.filter((name, at) => name !== names[at - 1]);
}
