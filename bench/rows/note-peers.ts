import { parseNote } from '../../src/core/board/note/parse-note';
import { boardText } from '../board-sample';
import { compare, type Work } from '../measure';
import type { Row } from '../row';

function parseWork(text: string): Work {
  return (times) => {
    let tasks = 0;
    for (let n = 0; n < times; n++) tasks += parseNote('bench.md', text).board.tasks.length;
    return tasks;
  };
}

/** Against the markdown parsers of npm, which do not parse task fields. */
export function notePeerRows(): Row[] {
  const thousand = boardText(1000);
  return [
    {
      name: 'note.parse.lezer',
      against: '@lezer/markdown',
      target: 1 / 8,
      peers: true,
      measure: async () => {
        const { parser, GFM } = await import('@lezer/markdown');
        const gfm = parser.configure(GFM);
        return compare(parseWork(thousand), (times) => {
          let length = 0;
          for (let n = 0; n < times; n++) length += gfm.parse(thousand).length;
          return length;
        });
      },
    },
    {
      name: 'note.parse.mdast',
      against: 'mdast-util-from-markdown',
      target: 1 / 50,
      peers: true,
      measure: async () => {
        const { fromMarkdown } = await import('mdast-util-from-markdown');
        return compare(parseWork(thousand), (times) => {
          let children = 0;
          for (let n = 0; n < times; n++) children += fromMarkdown(thousand).children.length;
          return children;
        });
      },
    },
  ];
}
