import type { Command } from './command';
import { CALLER } from './common-options';
import { usage } from './exit';
import { shown } from './send-operations';

/** `agent-boards ops`: one call of the tool `tasks`, as the agent that is named. */
export const runOperations: Command = {
  name: 'ops',
  takes: '',
  says: 'reads {"operations": [...]} from standard input and carries it out as the tool does',
  options: CALLER,
  words: { least: 0, most: 0 },
  async run({ agent, session, json }, { calls }, { input }) {
    if (agent === undefined) return usage('ops needs --agent.');
    let args: unknown;
    try {
      args = JSON.parse(await input());
    } catch {
      return usage('standard input holds no JSON; send {"operations": [...]}.');
    }
    return shown(await calls.call({ sessionId: session, agent }, args), json);
  },
};
