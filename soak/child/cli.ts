// Calls the command line's code again and again: one process stands in for many.
import { run } from '../../src/cli/run';
import { COMMANDS } from '../../src/cli/whole-program';
import { AGENT, makeEdits, SESSION, WAIT_SECONDS } from './edits';

const [vault = ''] = process.argv.slice(2);
const args = ['ops', '--vault', vault, '--session', SESSION, '--agent', AGENT];
await makeEdits(async (operations) => {
  const { code, out, err } = await run([...args, '--wait', String(WAIT_SECONDS)], COMMANDS, {
    cwd: vault,
    env: {},
    input: () => Promise.resolve(JSON.stringify({ operations })),
    bridge: () => Promise.resolve(undefined),
    print: () => undefined,
    untilStopped: () => new AbortController().signal,
  });
  return code === 0 ? undefined : `${out}${err}`;
});
