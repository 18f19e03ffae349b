import { callTasks } from './vault-calls';
import { chooseActor } from './choose-board';
import {
  BRIEF_OPTION,
  CALLER_OPTIONS,
  usageExit,
  type Command,
  type Exit,
  type CommandArgs,
  type OpenVault,
} from './command';
import type { TasksAnswer } from '../core/board/answer/write-answer';
import { OPERATION_EXAMPLES } from '../core/board/op';
import { collectChangedIds, answerExit } from './answer-exit';

/**
 * Calls the tool `tasks` once, as the named agent.
 * @param args arguments of the tool
 * @param reword rewrites the answer for the person at the command line
 */
export async function sendOperations(
  vault: OpenVault,
  given: CommandArgs,
  args: unknown,
  reword = (answer: TasksAnswer): TasksAnswer => answer,
): Promise<Exit> {
  const actor = await chooseActor(vault, given);
  const { ids, end } = collectChangedIds(vault.manager);
  const answer = await callTasks(vault, actor, args);
  end();
  return answerExit(reword(answer), given, ids);
}

/** `agent-boards ops`: calls the tool `tasks` once, as the named agent. */
export const runOperations: Command = {
  name: 'ops',
  takes: '',
  says: 'reads {"operations": [{"type": "add", "title": "…"}]} from standard input, as the tool takes it',
  options: { ...CALLER_OPTIONS, ...BRIEF_OPTION },
  rows: Object.entries(OPERATION_EXAMPLES),
  async run(given, vault, { input }) {
    let args: unknown;
    try {
      args = JSON.parse(await input());
    } catch {
      return usageExit('standard input holds no JSON; send {"operations": [...]}.');
    }
    return sendOperations(vault, given, args);
  },
};
