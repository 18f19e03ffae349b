import { LONG_ANSWER } from '../board/answer/text-budget';
import type { Hooks } from '../hook/hooks';
import type { Undo } from '../ports';

/** Runs after all other hooks, so that their additions count too. */
const LAST_PRIORITY = Number.MAX_SAFE_INTEGER;

/**
 * Limits answers about notes to 500 lines. Tools cut their own output where they can say how to get
 * the rest. Answers about boards are left alone: a model would take part of a plan for the whole
 * plan.
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
    { priority: LAST_PRIORITY },
  );
}
