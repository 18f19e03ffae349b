import type { HistoryEntry } from '../core/board/todo-manager';
import { actorWords } from './actor-words';
import { chooseBoard } from './choose-board';
import type { Command } from './command';
import { CHOICE } from './common-options';
import { printed, usage } from './exit';
import { timeOf } from './time-of';

const USUAL = 20;

/** `agent-boards history`: who changed what on one board. */
export const boardHistory: Command = {
  name: 'history',
  takes: '',
  says: 'who changed what, the newest first',
  options: {
    ...CHOICE,
    limit: { type: 'string', value: 'N', says: `how many changes (${USUAL}; 200 are kept)` },
  },
  words: { least: 0, most: 0 },
  async run(given, vault) {
    const limit = given.text('limit') ?? String(USUAL);
    if (!/^[1-9]\d{0,4}$/.test(limit)) return usage('--limit takes a number.');
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return usage(chosen.message);
    const { path, agent, title, rev } = chosen.board;
    const entries = await vault.manager.history(path, Number(limit));
    if (given.json) {
      const history = entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }));
      return printed(0, JSON.stringify({ path, agent, title, rev, history }));
    }
    return printed(0, entries.length === 0 ? 'Nothing yet.' : entries.map(lineOf).join('\n'));
  },
};

function lineOf({ at, by, said, rev, undone }: HistoryEntry): string {
  return `${timeOf(at)}  ${actorWords(by)}: ${said.join(' ')} (rev ${rev}${undone ? ', undone' : ''})`;
}
