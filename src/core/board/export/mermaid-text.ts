import { grouped } from '../grouped';
import type { Board } from '../task';
import { graphParts, labelOf, type GraphNode } from './graph-parts';

/**
 * A board as a Mermaid flowchart: an arrow to each task from what it waits for, a dotted one from
 * each sub-task to its parent, a frame around each phase; the critical path has thick lines.
 */
export function mermaidText(board: Board): string {
  const { nodes, waits, parts } = graphParts(board);
  const thick = waits.flatMap(({ critical }, at) => (critical ? [at] : []));
  const critical = nodes.flatMap((node) => (node.critical ? [node.name] : []));
  return [
    'flowchart LR',
    ...framed(nodes),
    ...waits.map(({ from, to }) => `  ${from} --> ${to}`),
    ...parts.map(({ from, to }) => `  ${from} -.-> ${to}`),
    '  classDef completed fill:#d4edda',
    '  classDef cancelled fill:#eeeeee',
    '  classDef failed fill:#f8d7da',
    '  classDef in_progress fill:#fff3cd',
    '  classDef critical stroke:#c0392b,stroke-width:3px',
    ...(critical.length === 0 ? [] : [`  class ${critical.join(',')} critical`]),
    ...(thick.length === 0
      ? []
      : [`  linkStyle ${thick.join(',')} stroke:#c0392b,stroke-width:3px`]),
    '',
  ].join('\n');
}

const COLOURED: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed', 'in_progress']);

/** The nodes, those of a phase in its frame. */
function framed(nodes: readonly GraphNode[]): readonly string[] {
  const phases = grouped(nodes, ({ task }) => task.phase);
  return [...phases].flatMap(([phase, list], at) => {
    const lines = list.map(drawn);
    if (phase === null) return lines;
    return [`  subgraph p${at + 1}["${escaped(phase)}"]`, ...lines, '  end'];
  });
}

function drawn({ name, task }: GraphNode): string {
  const look = COLOURED.has(task.status) ? `:::${task.status}` : '';
  return `    ${name}["${escaped(labelOf(task))}"]${look}`;
}

/** Whatever is not a letter, a digit or plain punctuation is written as its number. */
function escaped(text: string): string {
  const label = text.replace(
    /[^\p{L}\p{M}\p{N} .,:!?'/_-]/gu,
    (char) => `#${char.codePointAt(0)};`,
  );
  return label === '' ? ' ' : label;
}
