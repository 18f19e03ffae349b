import { LONG_ANSWER } from '../board/answer/text-budget';
import type { Hooks } from '../hook/hooks';
import type { Undo } from '../ports';

/** After all others, whose changes count too. */
const LAST = Number.MAX_SAFE_INTEGER;

/**
 * Keeps answers about notes to 500 lines; the tools leave out by themselves what they know how to ask for.
 * A board chooses by itself what it shows: a plan of which a part is missing is worked on as if that were all.
 */
export function cutLongAnswers(hooks: Pick<Hooks, 'on'>): Undo {
  return hooks.on(
    'post-tool-use',
    'long answers',
    ({ tool, output }) => {
      if (!tool.startsWith('obsidian.')) return undefined;
      const lines = output.split('\n');
      const left = lines.length - LONG_ANSWER;
      if (left <= 0) return undefined;
      const how =
        tool === 'obsidian.list_notes'
          ? 'List them with "after", the last path above.'
          : 'Read the note in parts for them: obsidian_read_note with "lines".';
      const words = `[${left + 1} more lines are left out. ${how}]`;
      return { change: { output: [...lines.slice(0, LONG_ANSWER - 1), words].join('\n') } };
    },
    { priority: LAST },
  );
}
