import { ScriptedRunAgents } from './scripted-run-agents';
import type { GoalRun } from './goal-headless';
import { waitForVisitor, LIVE_PACE } from './live';
import { demoRunOptions } from './play-goal';
import { prepare } from './prepare';
import { RemotePage } from './remote-page';
import { runLine } from './run-line';
import { readStoredRuns } from './stored-runs';
import { waitUntil } from './wait-until';

/**
 * Pursues the goal for a person who watches in their own browser, approves the plan and answers
 * questions; runs until Ctrl+C.
 * @returns the exit code
 */
export async function runGoalLive(run: GoalRun): Promise<number> {
  const { goal, script, faults, progress, cleanup } = run;
  try {
    const remote = new RemotePage();
    const cast = new ScriptedRunAgents(script, ({ prompt, index }) => {
      if (index === 0) progress(`${ROLE_LABELS[prompt.role]}${prompt.task}`);
      return new Promise((resolve) => setTimeout(resolve, LIVE_PACE.pauseMs));
    });
    const ready = await prepare(run, { ...LIVE_PACE, cast }, (request, response, url) =>
      remote.handle(request, response, url.pathname),
    );
    const { world, vault, page } = ready;
    if (page === undefined) throw new Error('The workbench was not started.');
    await waitForVisitor(page, remote, progress);
    const id = await remote.startRun(demoRunOptions(goal, script));
    progress('The run is started. Approve its plan in the run panel, and answer what it asks.');
    const over = waitUntil(async () => {
      const found = (await readStoredRuns(vault)).find((one) => one.id === id);
      if (found === undefined || !END_STATES.has(found.state.kind)) return false;
      progress(`The run is ${runLine(found).state}. OpenCode and the page stay; Ctrl C ends.`);
      return true;
    }, Infinity);
    await Promise.race([over, world.broken]);
    await world.broken;
  } catch (error) {
    faults.addError('The demo ended', error);
  }
  await cleanup.run();
  return 1;
}

const END_STATES: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

const ROLE_LABELS = { plan: 'Planning', work: 'Working: ', check: 'Checking: ' } as const;
