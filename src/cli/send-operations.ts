import { callTasks } from './vault-calls';
import { chooseActor } from './choose-board';
import {
  BRIEF,
  CALLER,
  usage,
  type Command,
  type Exit,
  type Given,
  type OpenVault,
} from './command';
import type { TasksAnswer } from '../core/board/answer/write-answer';
import { OPERATION_EXAMPLES } from '../core/board/op';
import { changedIds, shownAnswer } from './shown-answer';

/**
 * One call of the tool `tasks`, as the agent that is named.
 * @param args as the tool takes them
 * @param worded the answer in the words of who gave them
 */
export async function sendOperations(
  vault: OpenVault,
  given: Given,
  args: unknown,
  worded = (answer: TasksAnswer): TasksAnswer => answer,
): Promise<Exit> {
  const actor = await chooseActor(vault, given);
  const { ids, end } = changedIds(vault.manager);
  const answer = await callTasks(vault, actor, args);
  end();
  return shownAnswer(worded(answer), given, ids);
}

/** `agent-boards ops`: one call of the tool `tasks`, as the agent that is named. */
export const runOperations: Command = {
  name: 'ops',
  takes: '',
  says: 'reads {"operations": [{"type": "add", "title": "…"}]} from standard input, as the tool takes it',
  options: { ...CALLER, ...BRIEF },
  rows: Object.entries(OPERATION_EXAMPLES),
  async run(given, vault, { input }) {
    let args: unknown;
    try {
      args = JSON.parse(await input());
    } catch {
      return usage('standard input holds no JSON; send {"operations": [...]}.');
    }
    return sendOperations(vault, given, args);
  },
};
