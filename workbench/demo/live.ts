import { HttpStage } from './http-stage';
import { LiveStage } from './live-stage';
import { playMcpAgent } from './mcp-agent';
import { PersonOnNotes } from './person-on-notes';
import { playScript } from './play-script';
import { prepare, type Prepared, type ScriptRun } from './prepare';
import { RemotePage } from './remote-page';
import type { Turn } from './script';
import type { Stage } from './stage';

/** Delays that are slow enough to follow by eye. */
export const LIVE_PACE = { defaultDelayMs: 30, pauseMs: 900 };

/**
 * Plays the script for a person who watches in their own browser; runs until Ctrl+C.
 * @returns the exit code
 */
export async function runLive(run: ScriptRun): Promise<number> {
  const { script, faults, progress, cleanup } = run;
  try {
    const remote = new RemotePage();
    const titles = new Map<string, string>();
    const onAnswer = (sessionId: string, turn: Turn): void => {
      const line = describeAnswer(turn);
      if (line !== '') progress(`${titles.get(sessionId) ?? 'A session'}: ${line}`);
    };
    const ready = await prepare(run, { ...LIVE_PACE, onAnswer }, (request, response, url) =>
      remote.handle(request, response, url.pathname),
    );
    const { world, model, persons } = ready;
    if (ready.page !== undefined) await waitForVisitor(ready.page, remote, progress);
    const stage = makeStage(ready, remote);
    const second = run.options.mcp && startMcpAgent(run, ready);
    await playScript({
      ...{ script, world, model, persons, faults, stage, titles },
      broken: world.broken,
      silenceMs: undefined,
      personAnswers: run.options.plugin,
    });
    await second;
    progress(
      run.options.plugin
        ? SCRIPT_OVER
        : `The script is over. The boards stand in ${ready.vault}/.opencode/todos. Ctrl C ends.`,
    );
    await world.broken;
  } catch (error) {
    faults.addError('The demo ended', error);
  }
  await cleanup.run();
  return 1;
}

/** Starts the second agent for a live run. */
async function startMcpAgent(run: ScriptRun, { vault, page }: Prepared): Promise<void> {
  const origin = page === undefined ? undefined : new URL(page).origin;
  try {
    const { client, title } = await playMcpAgent({ ...run, vault, origin, pauseMs: 2_000 });
    run.progress(`${client}: planned "${title}" over MCP.`);
  } catch (error) {
    run.faults.addError('The agent over MCP', error);
  }
}

const SCRIPT_OVER =
  'The script is over; OpenCode and the page stay. Tick a task, then send a message to its session ' +
  '(command palette, "Send message to session"): the agent is told what you changed. Ctrl C ends.';

/** Prints the address of the page, and waits until it is opened. */
export async function waitForVisitor(
  page: string,
  remote: RemotePage,
  progress: ScriptRun['progress'],
): Promise<void> {
  progress(`\n  Open ${page} in a browser. It begins as soon as it is open.\n`);
  await remote.waitForPage();
}

function makeStage({ world, vault, page }: Prepared, remote: RemotePage): Stage {
  const person = new PersonOnNotes(world.manager, vault);
  return page === undefined
    ? new HttpStage(world.client, world.turns, person)
    : new LiveStage(remote, world.turns, person);
}

/** The line that the terminal prints for an answer. */
function describeAnswer({ text = '', tools = [], status }: Turn): string {
  const calls = tools.map(({ name }) => `[${name}]`);
  return [status === undefined ? '' : `[error ${status}]`, text, ...calls]
    .filter((part) => part !== '')
    .join(' ');
}
