import type { Board } from '../task';
import { graphParts, labelOf } from './graph-parts';

const COLOURS: Readonly<Record<string, string>> = {
  completed: '#d4edda',
  cancelled: '#eeeeee',
  failed: '#f8d7da',
  in_progress: '#fff3cd',
};

/** A board as a graph of Graphviz: an edge from each prerequisite, a dashed one from each sub-task. */
export function dotText(board: Board): string {
  const { nodes, waits, parts } = graphParts(board);
  return [
    `digraph ${quoted(board.title)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style="rounded,filled", fillcolor="#ffffff"];',
    ...nodes.map(({ name, task, critical }) => {
      const colour = COLOURS[task.status];
      const look = [
        `label=${quoted(labelOf(task))}`,
        ...(colour === undefined ? [] : [`fillcolor="${colour}"`]),
        ...(critical ? ['color="#c0392b"', 'penwidth=3'] : []),
      ];
      return `  ${name} [${look.join(', ')}];`;
    }),
    ...waits.map(({ from, to, critical }) => {
      return `  ${from} -> ${to}${critical ? ' [color="#c0392b", penwidth=3]' : ''};`;
    }),
    ...parts.map(({ from, to }) => `  ${from} -> ${to} [style=dashed, arrowhead=none];`),
    '}',
    '',
  ].join('\n');
}

/** A string of DOT. Two backslashes are one in a label; nothing else in it means anything. */
function quoted(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
  return `"${line.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
