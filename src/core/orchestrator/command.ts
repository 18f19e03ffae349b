import {
  oneLine,
  type Planning,
  type Run,
  type RunState,
  type Stage,
  type Step,
  type TaskWrite,
  type Turn,
  type WaitReason,
} from './state';

/** Which prompt a session gets. Its text is made of the board as it is when it is sent. */
type Role = 'plan' | 'work' | 'check';

/**
 * What a run asks for. Commands with a key are owed until an event with that key (or what it shows)
 * says what became of them; after a restart, and when the connection is back, they are asked for
 * again. Who carries one out does it once per key: it finds the session that it started, the prompt
 * that it sent, the line that it wrote, and answers with that. Commands to one session, and to the
 * board, are carried out in the order in which they are given, after the state was stored. A `write`
 * that the state does not owe any more when its turn comes is left: the person had the last word.
 */
export type KeyedCommand =
  | {
      readonly type: 'start_session';
      readonly key: string;
      readonly role: Role;
      readonly title: string;
      /** the planning session, whose board it is bound to; null for that session itself */
      readonly parent: string | null;
      /** the one task that it may change; null: it may read the board */
      readonly task: string | null;
      /** null: as the person's wish says */
      readonly agent: string | null;
    }
  | {
      readonly type: 'prompt';
      readonly key: string;
      readonly session: string;
      readonly role: Role;
      readonly task: string | null;
      /** from 1 */
      readonly attempt: number;
      /** what went wrong in the attempt before, or what the person wants otherwise */
      readonly wrong: string | null;
    }
  | { readonly type: 'interrupt'; readonly key: string; readonly session: string }
  | { readonly type: 'checkpoint'; readonly key: string; readonly label: string }
  | {
      readonly type: 'write';
      readonly key: string;
      readonly task: string;
      readonly write: TaskWrite;
    }
  /** a number for a line that has none */
  | {
      readonly type: 'number';
      readonly key: string;
      readonly line: number;
      readonly title: string;
    }
  /** the plan in a text, onto the board of the planning session */
  | { readonly type: 'plan_text'; readonly key: string; readonly text: string };

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
  switch (state.kind) {
    case 'idle':
    case 'completed':
      return [];
    case 'failed':
    case 'cancelled':
      return state.stops.map(({ key, session }) => ({ type: 'interrupt', key, session }));
    case 'going':
    case 'paused':
    case 'waiting':
      return ofStage(state.run, state.stage);
  }
}

function ofStage(run: Run, stage: Stage): readonly KeyedCommand[] {
  switch (stage.kind) {
    case 'planning':
      return ofPlanning(run, stage);
    case 'approving':
      return [];
    case 'executing': {
      const { naming, steps } = stage;
      const number = naming === null ? [] : [{ type: 'number', ...naming } as const];
      return [...number, ...steps.flatMap((step) => ofStep(run, step))];
    }
  }
}

function ofPlanning(run: Run, { doing, attempt, wrong }: Planning): readonly KeyedCommand[] {
  switch (doing.kind) {
    case 'turn': {
      const about = { role: 'plan', task: null, title: run.wish.goal, agent: null } as const;
      return ofTurn(run, doing.turn, { ...about, attempt, wrong });
    }
    case 'writing':
      return [{ type: 'plan_text', key: doing.key, text: doing.text }];
    case 'held':
      return [];
  }
}

function ofStep(run: Run, step: Step): readonly KeyedCommand[] {
  const { task, title, attempt, wrong, agent, doing } = step;
  switch (doing.kind) {
    case 'saving':
      return [{ type: 'checkpoint', key: doing.key, label: oneLine(`Before: ${title}`, 200) }];
    case 'writing':
      return [{ type: 'write', key: doing.key, task, write: doing.write }];
    case 'work':
      return ofTurn(run, doing.turn, { role: 'work', task, title, agent, attempt, wrong });
    case 'check': {
      const about = { role: 'check', task, title: `Check: ${title}`, agent: null } as const;
      return ofTurn(run, doing.turn, { ...about, attempt, wrong: null });
    }
    case 'approval':
    case 'held':
      return [];
  }
}

interface About {
  readonly role: Role;
  readonly task: string | null;
  readonly title: string;
  readonly agent: string | null;
  readonly attempt: number;
  readonly wrong: string | null;
}

function ofTurn(run: Run, turn: Turn, about: About): readonly KeyedCommand[] {
  const { role, task, attempt, wrong, agent } = about;
  switch (turn.kind) {
    case 'opening': {
      const { key } = turn;
      const title = oneLine(about.title, 120);
      const parent = role === 'plan' ? null : run.planner;
      const bound = role === 'work' ? task : null;
      return [{ type: 'start_session', key, role, title, parent, task: bound, agent }];
    }
    case 'due':
      return [];
    case 'sending': {
      const { key, session } = turn;
      return [{ type: 'prompt', key, session, role, task, attempt, wrong }];
    }
    case 'working': {
      const { stop, session } = turn;
      return stop === null ? [] : [{ type: 'interrupt', key: stop.key, session }];
    }
  }
}
