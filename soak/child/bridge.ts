// The bridge as OpenCode loads it, without a client to run tool calls: the bridge runs them
// headless.
import bridge from '../../src/bridge/plugin';
import { AGENT, makeEdits, SESSION } from './edits';

const [vault = ''] = process.argv.slice(2);
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
  const answer = await hooks.tool?.['tasks']?.execute({ operations }, { ...call, messageID, ask });
  if (answer === undefined) throw new Error('The bridge has no tool "tasks".');
  return answer.output.includes(' FAILED (') ? answer.output : undefined;
});
process.exit(0);
