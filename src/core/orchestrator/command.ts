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

/** Which prompt a session gets. Its text is made of the board as it is when it is sent. */
interface About {
  readonly role: 'plan' | 'work' | 'check';
  readonly task: string | null;
  /** from 1 */
  readonly attempt: number;
  /** what went wrong in the attempt before, or what the person wants otherwise */
  readonly wrong: string | null;
}

interface StartSession extends Pick<About, 'role'> {
  readonly type: 'start_session';
  readonly key: string;
  readonly title: string;
  /** the planning session, whose board it is bound to; null for that session itself */
  readonly parent: string | null;
  /** the one task that it may change; null: it may read the board */
  readonly task: string | null;
  /** null: as the person's wish says */
  readonly agent: string | null;
}

/**
 * The requests of a run. Commands with a key are owed until an event with that key (or the result that it
 * shows) reports their outcome; after a restart, and when the connection is back, they are requested again.
 * The program that carries out a command does it once per key: it finds the session that it started, the
 * prompt that it sent, the line that it wrote, and answers with that. Commands to one session, and to the
 * board, are carried out in the order in which they are given, after the state was stored. A `write` that
 * the state no longer owes when its turn comes is dropped: the person had the last word.
 */
export type KeyedCommand =
  | StartSession
  | (About & Readonly<{ type: 'prompt'; key: string; session: string }>)
  | Readonly<{ type: 'interrupt'; key: string; session: string }>
  | Readonly<{ type: 'checkpoint'; key: string; label: string }>
  | Readonly<{ type: 'write'; key: string; task: string; write: TaskWrite }>
  /** a number for a line that has none */
  | Readonly<{ type: 'number'; key: string; line: number; title: string }>
  /** the plan in a text, onto the board of the planning session */
  | Readonly<{ type: 'plan_text'; key: string; text: string }>;

export type RunCommand =
  /** the new state, before anything else is done */
  { readonly type: 'store' } | KeyedCommand | { readonly type: 'tell'; readonly what: RunUpdate };

/** What the person is told where no view shows it. */
export type RunUpdate =
  | { readonly kind: 'approve' }
  | { readonly kind: 'waits'; readonly why: readonly WaitReason[] }
  | { readonly kind: 'ended'; readonly as: 'completed' | 'failed' | 'cancelled' };

/** The commands that a state waits for; each stands in the state by its key alone. */
export function owed(state: RunState): readonly KeyedCommand[] {
  if ('stops' in state) return state.stops.map((stop) => ({ type: 'interrupt', ...stop }));
  if (!('stage' in state)) return [];
  const { run, stage } = state;
  if (stage.kind === 'planning') return ofPlanning(run, stage);
  if (stage.kind === 'approving') return [];
  const { naming, steps } = stage;
  const number = naming === null ? [] : [{ type: 'number', ...naming } as const];
  return [...number, ...steps.flatMap((step) => ofStep(run, step))];
}

function ofPlanning(run: Run, { doing, attempt, wrong }: Planning): readonly KeyedCommand[] {
  if (doing.kind === 'held') return [];
  return doing.kind === 'writing'
    ? [{ type: 'plan_text', key: doing.key, text: doing.text }]
    : ofTurn(run, doing.turn, { role: 'plan', task: null, attempt, wrong }, run.wish.goal, null);
}

function ofStep(run: Run, step: Step): readonly KeyedCommand[] {
  const { task, title, attempt, wrong, agent, doing } = step;
  switch (doing.kind) {
    case 'saving':
      return [{ type: 'checkpoint', key: doing.key, label: oneLine(`Before: ${title}`, 200) }];
    case 'writing':
      return [{ type: 'write', key: doing.key, task, write: doing.write }];
    case 'work':
      return ofTurn(run, doing.turn, { role: 'work', task, attempt, wrong }, title, agent);
    case 'check': {
      const about = { role: 'check', task, attempt, wrong: null } as const;
      return ofTurn(run, doing.turn, about, `Check: ${title}`, null);
    }
    case 'approval':
    case 'held':
      return [];
  }
}

function ofTurn(
  run: Run,
  turn: Turn,
  about: About,
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
