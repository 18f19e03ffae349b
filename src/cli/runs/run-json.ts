import { timeLeft } from '../../core/orchestrator/estimate';
import type { RunView } from '../../core/orchestrator/runs';
import { waitWords } from '../../core/orchestrator/run-words';
import type { RunState } from '../../core/orchestrator/state';
import { stateName } from '../../core/orchestrator/state-name';
import type { TimelineEntry } from '../../core/orchestrator/timeline';

/** A run for programs. Times are ISO 8601. */
export function runJson(view: RunView): object {
  const { id, state, by, board, note, fault, look } = view;
  const head = {
    run: id,
    ...stateJson(state),
    by,
    board: board ?? null,
    note: note ?? null,
    fault,
  };
  if (state.kind === 'idle') return head;
  const { wish, used, planner, done, timeline } = state.run;
  const { goal, agent, model, approve, limits } = wish;
  const { ms, ...rest } = used;
  return {
    ...head,
    ...{ goal, agent, model, approve, limits, planner },
    used: { ...rest, minutes: ms / 60_000 },
    left: timeLeft(look, state.run),
    plan: look.kind === 'plan' ? look.tasks.map(planned) : null,
    steps: stepsJson(state),
    results: done,
    timeline: timeline.map(entryJson),
  };
}

/** Where it stands, in one word, and why it does not go on. */
export function stateJson(state: RunState): object {
  const name = stateName(state);
  if (state.kind === 'waiting') {
    const { limits } = state.run.wish;
    return {
      state: name,
      why: state.why.map((why) => ({ ...why, words: waitWords(why, limits) })),
    };
  }
  if (state.kind !== 'failed') return { state: name, why: [] };
  return { state: name, why: [{ kind: state.reason, words: state.message }] };
}

export function entryJson({ at, ...entry }: TimelineEntry): object {
  return { at: new Date(at).toISOString(), ...entry };
}

function planned({
  id,
  title,
  status,
}: {
  id: string | null;
  title: string;
  status: string;
}): object {
  return { id, title, status };
}

function stepsJson(state: RunState): readonly object[] {
  if (!('stage' in state) || state.stage.kind !== 'executing') return [];
  return state.stage.steps.map(({ task, title, attempt, doing }) => {
    const turn = 'turn' in doing && 'session' in doing.turn ? doing.turn.session : null;
    return { task, title, attempt, doing: doing.kind, session: turn };
  });
}
