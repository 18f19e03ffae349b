import {
  oneLine,
  type Planning,
  type Run,
  type RunState,
  type Step,
  type TaskWrite,
  type Turn,
  type WaitReason,
} from './state';

/** What a prompt is about. Its text is made from the current board when it is sent. */
interface PromptPurpose {
  readonly role: 'plan' | 'work' | 'check';
  readonly task: string | null;
  /** from 1 */
  readonly attempt: number;
  /** what went wrong in the previous attempt, or what the person wants changed */
  readonly wrong: string | null;
}

interface StartSession extends Pick<PromptPurpose, 'role'> {
  readonly type: 'start_session';
  readonly key: string;
  readonly title: string;
  /**
   * the planning session, to whose board the new one is bound; null for the planning session itself
   */
  readonly parent: string | null;
  /** the only task that it may change; null if it may only read the board */
  readonly task: string | null;
  /** null for the agent in the run's options */
  readonly agent: string | null;
}

/**
 * The commands of a run that have a key. A command is owed until an event with its key (or a result
 * that shows its outcome) arrives; after a restart or a lost connection, owed commands are
 * requested again. A command is executed once per key: the executor finds the session it started,
 * the prompt it sent or the line it wrote, and answers with that. Commands for one session, and
 * those for the board, are executed in the order in which they are given, after the state was
 * stored. A `write` that the state no longer owes when its turn comes is dropped, so that the
 * person's later action wins.
 */
export type KeyedCommand =
  | StartSession
  | (PromptPurpose & Readonly<{ type: 'prompt'; key: string; session: string }>)
  | Readonly<{ type: 'interrupt'; key: string; session: string }>
  | Readonly<{ type: 'checkpoint'; key: string; label: string }>
  | Readonly<{ type: 'write'; key: string; task: string; write: TaskWrite }>
  /** assigns a number to a line that has none */
  | Readonly<{ type: 'number'; key: string; line: number; title: string }>
  /** adds the plan in a text to the board of the planning session */
  | Readonly<{ type: 'plan_text'; key: string; text: string }>;

export type RunCommand =
  /** stores the new state; always first */
  { readonly type: 'store' } | KeyedCommand | { readonly type: 'tell'; readonly what: RunUpdate };

/** A notice for the person, if no view shows the run. */
export type RunUpdate =
  | { readonly kind: 'approve' }
  | { readonly kind: 'waits'; readonly why: readonly WaitReason[] }
  | { readonly kind: 'ended'; readonly as: 'completed' | 'failed' | 'cancelled' };

/**
 * The commands that a state waits for. The state stores only their keys; the rest is derived from
 * it.
 */
export function owedCommands(state: RunState): readonly KeyedCommand[] {
  if ('stops' in state) return state.stops.map((stop) => ({ type: 'interrupt', ...stop }));
  if (!('stage' in state)) return [];
  const { run, stage } = state;
  if (stage.kind === 'planning') return planningCommands(run, stage);
  if (stage.kind === 'approving') return [];
  const { naming, steps } = stage;
  const number = naming === null ? [] : [{ type: 'number', ...naming } as const];
  return [...number, ...steps.flatMap((step) => stepCommands(run, step))];
}

function planningCommands(run: Run, { doing, attempt, wrong }: Planning): readonly KeyedCommand[] {
  if (doing.kind === 'held') return [];
  return doing.kind === 'writing'
    ? [{ type: 'plan_text', key: doing.key, text: doing.text }]
    : turnCommands(
        run,
        doing.turn,
        { role: 'plan', task: null, attempt, wrong },
        run.wish.goal,
        null,
      );
}

function stepCommands(run: Run, step: Step): readonly KeyedCommand[] {
  const { task, title, attempt, wrong, agent, doing } = step;
  switch (doing.kind) {
    case 'saving':
      return [{ type: 'checkpoint', key: doing.key, label: oneLine(`Before: ${title}`, 200) }];
    case 'writing':
      return [{ type: 'write', key: doing.key, task, write: doing.write }];
    case 'work':
      return turnCommands(run, doing.turn, { role: 'work', task, attempt, wrong }, title, agent);
    case 'check': {
      const about = { role: 'check', task, attempt, wrong: null } as const;
      return turnCommands(run, doing.turn, about, `Check: ${title}`, null);
    }
    case 'approval':
    case 'held':
      return [];
  }
}

function turnCommands(
  run: Run,
  turn: Turn,
  about: PromptPurpose,
  named: string,
  agent: string | null,
): readonly KeyedCommand[] {
  const { role } = about;
  if (turn.kind === 'opening') {
    const parent = role === 'plan' ? null : run.planner;
    const task = role === 'work' ? about.task : null;
    const title = oneLine(named, 120);
    return [{ type: 'start_session', key: turn.key, role, title, parent, task, agent }];
  }
  if (turn.kind === 'sending') {
    return [{ type: 'prompt', key: turn.key, session: turn.session, ...about }];
  }
  const stop = turn.kind === 'working' ? turn.stop : null;
  return stop === null ? [] : [{ type: 'interrupt', key: stop.key, session: turn.session }];
}
