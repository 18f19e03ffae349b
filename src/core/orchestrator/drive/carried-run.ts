import type { RunEvent } from '../event';
import type { RunState } from '../state';
import type { OrchestratorDeps } from './orchestrator-deps';
import type { RunFiles } from './run-files';
import type { RunJournal } from './run-journal';
import type { Backoff } from './timers';
import type { RunBoard } from './run-board';

/**
 * An event for a run. An answer to an earlier request is computed from the state when its turn comes;
 * undefined if it no longer means anything.
 */
export type PendingEvent = RunEvent | ((state: RunState) => RunEvent | undefined);

/** A run that this program carries out, for all that has a part in that. */
export interface CarriedRun {
  readonly deps: OrchestratorDeps;
  readonly files: RunFiles;
  readonly journal: RunJournal;
  readonly board: RunBoard;
  readonly waits: Backoff;
  readonly state: RunState;
  hear(event: PendingEvent): void;
  /** the run, or its board, is another */
  changed(): void;
  /** prompts to each session that went out, so that a look at one knows whether it is out of date */
  readonly sent: Map<string, number>;
}

/** @returns whether no prompt to the session went out since */
export function unprompted({ sent }: CarriedRun, session: string): () => boolean {
  const before = sent.get(session);
  return () => sent.get(session) === before;
}
