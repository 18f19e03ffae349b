import { describe, expect, it } from 'vitest';
import { runPrompt, structuredTemplate } from '../../src/core/orchestrator/run-prompt';
import { board, task } from '../orchestrator/plan-board';
import { useConversation } from './conversation-rig';

const rig = useConversation();

describe('a session of a run', () => {
  it('[CONV40] [CONV41] prompts of a run and verdicts stand as what they are; so does a compaction, and the list of OpenCode', async () => {
    const tasks = board([task(1, { body: ['Success: It is straight.'] })]);
    const about = { role: 'check', task: 'k3f9-1', attempt: 1, wrong: null } as const;
    const prompt = runPrompt(about, 'A wall', tasks, structuredTemplate);
    const verdict = { verdict: 'fail', criteria: [{ n: 1, met: false, why: 'it leans' }] };
    const todos = [{ content: 'Look at it', status: 'completed' }];
    await rig.emit(
      rig.prompt(prompt.ok ? prompt.text : '', 'u1'),
      rig.event('progress.update', { kind: 'compacted' }),
      rig.event('progress.update', { kind: 'todo', todos }),
      rig.message(`I looked.\n\n${JSON.stringify(verdict)}`, `${rig.id}-v`),
    );
    const run = rig.block('Check the task');
    await run.waitFor();
    expect(await run.locator('.atb-talk-by').textContent()).toMatch(/^Run · /);
    expect(await rig.view.textContent()).not.toMatch(/## |"verdict"|You · /);
    await run.locator('button').click();
    await run.getByText('Another session says that this task is done.').waitFor();
    const card = rig.view.getByRole('group', { name: 'The task does not pass' });
    await card.getByText('Criterion 1: not met. it leans').waitFor();
    await rig.block('What was said before this is summarized').waitFor();
    await rig.block('To-do list').locator('button').click();
    await rig.view.getByText('Done: Look at it').waitFor();
  });
});
