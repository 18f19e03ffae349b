import type { RunEvent } from '../event';
import type { RunState } from '../state';
import type { OrchestratorDeps } from './orchestrator-deps';
import type { RunFiles } from './run-files';
import type { RunJournal } from './run-journal';
import type { Backoff } from './timers';
import type { RunBoard } from './run-board';

/**
 * An event for a run. A function computes the event from the state when its turn comes; it returns
 * undefined if the event is obsolete by then.
 */
export type PendingEvent = RunEvent | ((state: RunState) => RunEvent | undefined);

/** A run that this program carries out, as its parts share it. */
export interface DrivenRun {
  readonly deps: OrchestratorDeps;
  readonly files: RunFiles;
  readonly journal: RunJournal;
  readonly board: RunBoard;
  readonly backoff: Backoff;
  readonly state: RunState;
  enqueue(event: PendingEvent): void;
  /** Call when the run or its board changed. */
  changed(): void;
  /** number of prompts sent to each session; shows whether a look at a session is out of date */
  readonly promptCounts: Map<string, number>;
}

/** @returns a function that tells whether no prompt has been sent to the session since */
export function noPromptSince({ promptCounts }: DrivenRun, session: string): () => boolean {
  const before = promptCounts.get(session);
  return () => promptCounts.get(session) === before;
}
