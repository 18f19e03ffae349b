import { RangeSetBuilder, type Line } from '@codemirror/state';
import {
  Decoration,
  ViewPlugin,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from '@codemirror/view';
import { tailKind } from '../../core/board/note/field-emoji';
import { taskLineParts } from '../../core/board/merge/task-line-parts';
import { inFence, regionsField } from './source-regions';

/** A part of a line and how it looks; offsets into the line. */
export interface LineMark {
  readonly from: number;
  readonly to: number;
  readonly look: 'dim' | 'strong' | 'box' | 'tail' | 'emoji';
}

const LOOKS: Readonly<Record<LineMark['look'], Decoration>> = {
  dim: Decoration.mark({ class: 'atb-src-dim' }),
  strong: Decoration.mark({ class: 'atb-src-strong' }),
  box: Decoration.mark({ class: 'atb-src-box' }),
  tail: Decoration.mark({ class: 'atb-src-tail' }),
  emoji: Decoration.mark({ class: 'atb-src-emoji' }),
};

/** How the parts of a line of a note look: headings strong, fields and tail quiet; in order. */
export function lineMarks(text: string): readonly LineMark[] {
  const heading = /^(#{1,6}\s+)(?=\S)/.exec(text);
  if (heading !== null) {
    const behind = heading[0].length;
    return [
      { from: 0, to: behind, look: 'dim' },
      { from: behind, to: text.length, look: 'strong' },
    ];
  }
  const parts = taskLineParts(text);
  if (parts === undefined) return [];
  const { lead, mark, fields, tailStart } = parts;
  const bullet = /\S/.exec(text)?.index ?? 0;
  const quiet = fields.filter(({ place }) => place === 'head');
  const tail = trimmedEnd(text);
  return [
    { from: bullet, to: lead.end - 1, look: 'dim' },
    { from: lead.end - 1, to: mark.end + 1, look: 'box' },
    ...quiet.map(({ start, end }): LineMark => ({ from: start, to: end, look: 'tail' })),
    ...(tailStart < tail ? tailMarks(text, tailStart, tail) : []),
  ];
}

/** The words of a tail, and each of its emoji. */
function tailMarks(text: string, from: number, to: number): readonly LineMark[] {
  const marks: LineMark[] = [];
  let at = from;
  for (let index = from; index < to; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    const size = point > 0xffff ? 2 : 1;
    if (tailKind(point) === undefined) continue;
    if (at < index) marks.push({ from: at, to: index, look: 'tail' });
    at = index + size + (text.charCodeAt(index + size) === 0xfe0f ? 1 : 0);
    marks.push({ from: index, to: at, look: 'emoji' });
    index = at - 1;
  }
  if (at < to) marks.push({ from: at, to, look: 'tail' });
  return marks;
}

function trimmedEnd(text: string): number {
  return text.trimEnd().length;
}

const HEADER_LINE = Decoration.line({ class: 'atb-src-header' });
const TASK_LINE = Decoration.line({ class: 'atb-src-task' });
const CODE_LINE = Decoration.line({ class: 'atb-src-code' });

/** Draws the marks of what is in sight. */
export const sourceMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = drawn(view);
    }

    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = drawn(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function drawn(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  let next = 0;
  for (const { from, to } of view.visibleRanges) {
    for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
      if (line.number > next) decorate(builder, view, line);
      next = Math.max(next, line.number);
      if (line.to >= to || line.number === doc.lines) break;
    }
  }
  return builder.finish();
}

function decorate(builder: RangeSetBuilder<Decoration>, view: EditorView, line: Line): void {
  const { state } = view;
  if (line.number <= state.field(regionsField).header) {
    builder.add(line.from, line.from, HEADER_LINE);
  } else if (inFence(state, line.number)) {
    builder.add(line.from, line.from, CODE_LINE);
  } else {
    const marks = lineMarks(line.text);
    if (marks.some(({ look }) => look === 'box')) builder.add(line.from, line.from, TASK_LINE);
    for (const { from, to, look } of marks) {
      if (from < to) builder.add(line.from + from, line.from + to, LOOKS[look]);
    }
  }
}
