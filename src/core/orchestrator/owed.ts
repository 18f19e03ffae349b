import type { KeyedCommand, Role } from './command';
import type { Planning, Run, RunState, Stage } from './state';
import type { Step } from './task-step';
import { oneLine } from './timeline';
import type { Turn } from './turn';

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
