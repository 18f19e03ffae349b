import { writeAnswer } from '../core/board/answer/write-answer';
import { parseNote } from '../core/board/note/parse-note';
import type { Note } from '../core/board/note/note';
import type { Done } from '../core/board/operation/outcome';
import { getTask, readyTasks } from '../core/board/operation/read-board';
import type { Fault } from '../core/board/operation/read-operation';
import { chooseBoard } from './choose-board';
import type { Command } from './command';
import { CHOICE } from './common-options';
import { printed, usage } from './exit';
import type { Given } from './given';
import type { SentOperation } from './operation-kinds';
import { shown } from './send-operations';

type Outcome = Done | Fault;

/**
 * Reads of one board, told as the tool `tasks` tells them. They are nobody's look: what a person
 * changed stays news to the agent.
 */
function reading(
  command: Pick<Command, 'name' | 'takes' | 'says' | 'words'>,
  sent: (given: Given) => SentOperation,
  tell: (note: Note, given: Given) => Outcome,
): Command {
  return {
    ...command,
    options: CHOICE,
    async run(given, vault) {
      const chosen = await chooseBoard(vault, given);
      if (!chosen.ok) return usage(chosen.message);
      const { path, agent, session } = chosen.board;
      const text = await vault.store.read(path);
      const note = parseNote(path, text ?? '');
      const outcome = note.board.broken === null ? tell(note, given) : broken(note);
      if (!given.json && outcome.ok) return printed(0, linesOf(outcome));
      const told = { sessionId: session, agent, operations: [sent(given)], outcomes: [outcome] };
      // The header of a broken note does not say whose it is.
      const board = { ...note.board, agent, session };
      const answer = writeAnswer({ ...told, board, changes: [], others: [], notices: [] });
      return shown(answer, given.json);
    },
  };
}

function linesOf({ said, details = [] }: Done): string {
  return [said, ...details.map((line) => `  ${line}`)].join('\n');
}

function broken({ board }: Note): Fault {
  const message = `${board.path} needs repair. ${board.broken?.reason ?? ''}`;
  return { ok: false, code: 'broken_note', message };
}

/** What `get` looks at of its caller: nobody's earlier look. */
const NOBODY = { path: '', caller: '', today: '', seen: undefined, theirs: [], fresh: () => '' };

/** `agent-boards get ID` */
export const getOne = reading(
  { name: 'get', takes: 'ID', says: 'all that one task says', words: { least: 1, most: 1 } },
  ({ words }) => ({ type: 'get', id: words[0] }),
  (note, { words }) => {
    const operation = { type: 'get', id: words[0] ?? '' } as const;
    return getTask(note, operation, NOBODY).outcome;
  },
);

/** `agent-boards ready` */
export const readyOnes = reading(
  { name: 'ready', takes: '', says: 'what can be started now', words: { least: 0, most: 0 } },
  () => ({ type: 'ready' }),
  (note) => readyTasks(note).outcome,
);
