import { criticalTasks } from '../board/graph/schedule';
import type { Board, Task } from '../board/task';
import { groupByKey } from '../board/group-by-key';

/**
 * The nodes and edges of a board. Nodes are named `t1`, `t2`, … in the order of the note. An edge
 * in `waits` leads from a prerequisite, one in `parts` from a subtask to its parent. Prerequisites
 * that are not on the board have no node.
 */
function graphParts({ tasks }: Board) {
  const critical = criticalTasks(tasks);
  const names = new Map<string, string>();
  const nodes = tasks.map((task, at) => {
    names.set(task.key, `t${at + 1}`);
    return { name: `t${at + 1}`, task, critical: critical.has(task.key) };
  });
  const edge = (from: string, to: string) => {
    const [one, other] = [names.get(from), names.get(to)];
    if (one === undefined || other === undefined) return [];
    return [{ from: one, to: other, critical: critical.has(from) && critical.has(to) }];
  };
  return {
    nodes,
    waits: tasks.flatMap(({ key, dependsOn }) => dependsOn.flatMap((id) => edge(id, key))),
    parts: tasks.flatMap(({ key, parent }) => (parent === null ? [] : edge(key, parent))),
  };
}

/** A task's label, on one line. */
function labelOf({ n, title }: Task): string {
  const line = title.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').replace(/\p{Surrogate}/gu, '\ufffd');
  return n === null ? line : `#${n} ${line}`;
}

/**
 * A board as a Mermaid flowchart: an arrow to each task from its prerequisites, a dotted one from
 * each subtask to its parent, a frame around each phase, and thick lines for the critical path.
 */
export function mermaidText(board: Board): string {
  const { nodes, waits, parts } = graphParts(board);
  const thick = waits.flatMap(({ critical }, at) => (critical ? [at] : []));
  const critical = nodes.flatMap((node) => (node.critical ? [node.name] : []));
  return [
    'flowchart LR',
    ...phaseFrames(nodes),
    ...waits.map(({ from, to }) => `  ${from} --> ${to}`),
    ...parts.map(({ from, to }) => `  ${from} -.-> ${to}`),
    ...[...COLOURS].map(([status, colour]) => `  classDef ${status} fill:${colour}`),
    '  classDef critical stroke:#c0392b,stroke-width:3px',
    ...(critical.length === 0 ? [] : [`  class ${critical.join(',')} critical`]),
    ...(thick.length === 0
      ? []
      : [`  linkStyle ${thick.join(',')} stroke:#c0392b,stroke-width:3px`]),
    '',
  ].join('\n');
}

const COLOURS: ReadonlyMap<string, string> = new Map([
  ['completed', '#d4edda'],
  ['cancelled', '#eeeeee'],
  ['failed', '#f8d7da'],
  ['in_progress', '#fff3cd'],
]);

/** The nodes, with those of each phase in a frame. */
function phaseFrames(nodes: ReturnType<typeof graphParts>['nodes']): readonly string[] {
  const phases = groupByKey(nodes, ({ task }) => task.phase);
  return [...phases].flatMap(([phase, list], at) => {
    const lines = list.map(nodeLine);
    if (phase === null) return lines;
    return [`  subgraph p${at + 1}["${escapeLabel(phase)}"]`, ...lines, '  end'];
  });
}

function nodeLine({ name, task }: { readonly name: string; readonly task: Task }): string {
  const style = COLOURS.has(task.status) ? `:::${task.status}` : '';
  return `    ${name}["${escapeLabel(labelOf(task))}"]${style}`;
}

/** Replaces everything except letters, digits and plain punctuation by its code point. */
function escapeLabel(text: string): string {
  const label = text.replace(
    /[^\p{L}\p{M}\p{N} .,:!?'/_-]/gu,
    (char) => `#${char.codePointAt(0)};`,
  );
  return label === '' ? ' ' : label;
}

/**
 * A board as a Graphviz graph: an edge from each prerequisite, and a dashed one from each subtask.
 */
export function dotText(board: Board): string {
  const { nodes, waits, parts } = graphParts(board);
  return [
    `digraph ${dotString(board.title)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style="rounded,filled", fillcolor="#ffffff"];',
    ...nodes.map(({ name, task, critical }) => {
      const colour = COLOURS.get(task.status);
      const attributes = [
        `label=${dotString(labelOf(task))}`,
        ...(colour === undefined ? [] : [`fillcolor="${colour}"`]),
        ...(critical ? ['color="#c0392b"', 'penwidth=3'] : []),
      ];
      return `  ${name} [${attributes.join(', ')}];`;
    }),
    ...waits.map(({ from, to, critical }) => {
      return `  ${from} -> ${to}${critical ? ' [color="#c0392b", penwidth=3]' : ''};`;
    }),
    ...parts.map(({ from, to }) => `  ${from} -> ${to} [style=dashed, arrowhead=none];`),
    '}',
    '',
  ].join('\n');
}

/** A DOT string. In a label, two backslashes mean one; there are no other escapes. */
function dotString(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
  return `"${line.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
