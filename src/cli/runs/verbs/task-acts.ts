import { findTask } from '../../../core/board/operation/find-task';
import type { RunAction } from '../../../core/orchestrator/event';
import type { RunView } from '../../../core/orchestrator/runs';
import type { OpenVault } from '../../command';
import { usage, type Exit } from '../../exit';
import { actOn, cantRun, runOf } from '../carry-run';
import { FOLLOWS, type RunDesk, type RunVerb } from '../run-verb';

const skip: RunVerb = {
  name: 'skip',
  takes: 'TASK [RUN]',
  says: 'cancels a step, with --reason TEXT; --defer puts it off, and what waits for it waits on',
  options: ['reason', 'defer', ...FOLLOWS],
  words: { least: 1, most: 2 },
  run: (desk) => {
    const { given } = desk;
    const how = given.flag('defer') ? 'deferred' : 'cancelled';
    const reason = (given.text('reason') ?? '').trim();
    if (how === 'cancelled' && reason === '') {
      const message = 'skip takes --reason TEXT: the board keeps it. Or --defer puts the step off.';
      return Promise.resolve(usage(message, 'run skip'));
    }
    return onTask(desk, (task) => ({ type: 'skip', task, how, reason }));
  },
};

const retry: RunVerb = {
  name: 'retry',
  takes: 'TASK [RUN]',
  says: 'tries a step again that failed or was stopped',
  options: FOLLOWS,
  words: { least: 1, most: 2 },
  run: (desk) => onTask(desk, (task) => ({ type: 'retry', task })),
};

const done: RunVerb = {
  name: 'done',
  takes: 'TASK [RUN]',
  says: 'a step is done, by your word',
  options: FOLLOWS,
  words: { least: 1, most: 2 },
  run: (desk) => onTask(desk, (task) => ({ type: 'mark_done', task })),
};

/** What the person can want of a step: by its number, its id or its title. */
export const TASK_ACTS: readonly RunVerb[] = [skip, retry, done];

async function onTask(desk: RunDesk, action: (task: string) => RunAction): Promise<Exit> {
  const [word = '', named] = desk.words;
  const chosen = runOf(desk, named);
  if (!chosen.ok) return usage(chosen.message, 'run');
  const { view } = chosen;
  const found = await stepOf(desk.vault, view, word);
  return found.ok ? actOn(desk, view, action(found.task)) : cantRun(desk, found.message);
}

/** A task that the run has taken up; others are changed on the board. */
async function stepOf(
  { manager }: OpenVault,
  { id, state, board: path }: RunView,
  word: string,
): Promise<
  { readonly ok: true; readonly task: string } | { readonly ok: false; readonly message: string }
> {
  await manager.scan();
  const board = manager.boards().find((one) => one.path === path);
  if (board === undefined) return { ok: false, message: `Run ${id} has no board yet.` };
  const found = findTask(board, word);
  if (!found.ok) return found;
  const steps = 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
  const task = found.task.id;
  if (task !== null && steps.some((step) => step.task === task)) return { ok: true, task };
  const { session, agent } = board;
  const who = `--as-person --session ${session} --agent ${agent}`;
  const change = `agent-boards update ${task ?? `"${found.task.title}"`} --status STATUS ${who}`;
  const message = `The run is not at "${found.task.title}" now. Change it on the board, and the run goes by that: ${change}, with cancelled, deferred, completed or pending.`;
  return { ok: false, message };
}
