import type { RunView } from '../../core/orchestrator/runs';
import { STATE_WORDS, waitWords } from '../../core/orchestrator/run-words';
import { stateName } from '../../core/orchestrator/state-name';
import type { WaitReason } from '../../core/orchestrator/wait-reason';
import type { Exit, ExitCode } from '../exit';
import { stateJson } from './run-json';
import { stepsOf } from './run-text';

/** The last that is said of a run: how it stands, and what takes it on. */
export function ending(view: RunView, json: boolean): Exit {
  const code = codeOf(view);
  const { id, state, fault } = view;
  if (json) {
    const end = { type: 'end', run: id, ...stateJson(state), fault, ok: code === 0 };
    return { code, out: `${JSON.stringify(end)}\n`, err: '' };
  }
  return { code, out: `${words(view)}\n`, err: fault === null ? '' : `agent-boards: ${fault}\n` };
}

/** 0: it is done, or its plan stands as was wished. */
function codeOf({ state, fault }: RunView): ExitCode {
  const well = state.kind === 'completed' || stateName(state) === 'approving';
  return well && fault === null ? 0 : 1;
}

function words({ id, state, look }: RunView): string {
  const word = STATE_WORDS[stateName(state)];
  if (state.kind === 'completed')
    return look.kind === 'plan'
      ? `${word}: ${stepsOf(look).replace(/done$/, 'tasks')}.`
      : `${word}.`;
  if (state.kind === 'failed') return `${word}: ${state.message}`;
  if (state.kind === 'cancelled' || state.kind === 'idle') return `${word}.`;
  if (stateName(state) === 'approving') {
    return `The plan is ready. agent-boards run approve ${id} carries it out; change it on the board before, or have another made: agent-boards run replan "WORDS" ${id}.`;
  }
  if (state.kind !== 'waiting') {
    return `Run ${id} rests; what OpenCode has begun goes on to its end. agent-boards run resume ${id} goes on with it.`;
  }
  const { wish, planner } = state.run;
  const steps = state.why.map(
    (why) =>
      `- ${waitWords(why, wish.limits)} ${nextStep(why, { id, planner, agent: wish.agent })}`,
  );
  return [`Run ${id} waits for you:`, ...steps].join('\n');
}

interface Plan {
  readonly id: string;
  readonly planner: string | null;
  readonly agent: string;
}

/** What to type for a reason to be gone. */
function nextStep(why: WaitReason, { id, planner, agent }: Plan): string {
  const run = (verb: string): string => `agent-boards run ${verb} ${id}`;
  switch (why.kind) {
    case 'limit':
      return why.limit === 'no_progress'
        ? `${run('resume')}, or ${run('finish')}.`
        : `${run(`more --${why.limit} N`)}, or ${run('finish')}.`;
    case 'offline':
      return 'Start OpenCode in this vault.';
    case 'asked':
      return `${run('asks')}, then agent-boards run answer; or answer it in OpenCode or Obsidian.`;
    case 'held':
    case 'approval': {
      const task = nameOf(why.task);
      const verbs = why.kind === 'held' ? ['retry', 'skip', 'done'] : ['done', 'retry', 'skip'];
      return `${verbs.map((verb) => run(`${verb} ${task}`)).join(', ')}.`;
    }
    case 'own':
      return `agent-boards complete ${nameOf(why.task)} --as-person --session ${planner ?? 'S'} --agent ${agent}, then ${run('resume')}.`;
    case 'plan':
      return `${run('resume')}, or ${run('replan "WORDS"')}.`;
    case 'board':
      return `Mend the note, then ${run('resume')}.`;
    case 'blocked':
      return `Change the board, then ${run('resume')}; or ${run('finish')}.`;
  }
}

/** As it is typed: a title in quotes. */
function nameOf({ id, title }: { readonly id: string | null; readonly title: string }): string {
  return id ?? `"${title}"`;
}
