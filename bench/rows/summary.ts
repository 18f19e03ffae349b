import { boardSummaryText } from '../../src/core/board/answer/board-lines';
import { parseNote } from '../../src/core/board/note/parse-note';
import { exactResult, type Row } from '../row';

/** The cost of the board to a model in each prompt: the summary of 10,000 tasks with English titles. */
export function summaryRows(): Row[] {
  return [
    {
      name: 'prompt.summary',
      against: 'o200k_base',
      target: 1_024,
      unit: 'tokens',
      peers: true,
      measure: async () => {
        const { encode } = await import('gpt-tokenizer/encoding/o200k_base');
        return exactResult(encode(boardSummaryText(largeBoard(), [])).length);
      },
    },
  ];
}

function largeBoard() {
  const tasks = Array.from(
    { length: 10_000 },
    (_, n) => `- [${' /!'[n % 3]}] Build the index of part ${n} of the archive 🆔 k3f9-${n + 1}`,
  );
  const head = ['---', 'board: 1', 'session: s', 'agent: build', 'prefix: k3f9', 'next: 10001'];
  const note = [...head, 'rev: 0', '---', '', '# The archive', '', ...tasks, ''].join('\n');
  return parseNote('.opencode/todos/s/build-tasks.md', note).board;
}
