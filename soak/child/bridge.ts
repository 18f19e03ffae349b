// The built bridge as OpenCode loads it, without a client that takes calls: it runs them headless.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Hooks, PluginInput } from '../../src/bridge/opencode-plugin';
import { AGENT, makeEdits, SESSION } from './edits';

interface Bridge {
  readonly default: { server(input: PluginInput): Promise<Hooks> };
}

const [vault = ''] = process.argv.slice(2);
const file = pathToFileURL(join(import.meta.dirname, 'bridge.mjs')).href;
const { default: bridge } = (await import(file)) as Bridge;
const nobody = { request: () => Promise.resolve({ data: {}, response: { status: 404 } }) };
const hooks = await bridge.server({
  client: { _client: nobody },
  directory: vault,
  worktree: vault,
});
const call = { sessionID: SESSION, agent: AGENT, abort: new AbortController().signal };
let messages = 0;
await makeEdits(async (operations) => {
  const messageID = `m${(messages += 1)}`;
  const ask = () => Promise.resolve();
  const answer = await hooks.tool['tasks']?.execute({ operations }, { ...call, messageID, ask });
  if (answer === undefined) throw new Error('The bridge has no tool "tasks".');
  return answer.output.includes(' FAILED (') ? answer.output : undefined;
});
process.exit(0);
