import {
  defaultKeymap,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  insertNewlineAndIndent,
} from '@codemirror/commands';
import { codeFolding, foldEffect, foldKeymap, foldService, indentUnit } from '@codemirror/language';
import {
  EditorSelection,
  EditorState,
  RangeSetBuilder,
  StateField,
  type ChangeSpec,
  type Extension,
  type Line,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightActiveLine,
  keymap,
  tooltips,
  ViewPlugin,
  type Command,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import type { Task } from '../../core/board/task';
import { currentTaskLine } from './note-current';
import { completionTasks, idCompletion } from './source-complete';
import { conflictChoices, conflicts, type ConflictChoices } from './source-conflicts';
import { touchedLines, typingLine } from './source-saver';
import { parseNote } from '../../core/board/note/parse-note';
import { setTaskStatus } from '../../core/board/note/edit-task';
import { taskLineParts } from '../../core/board/merge/merge-line';
import { textEdits } from '../../core/board/merge/text-edits';
import { tailKind } from '../../core/board/note/field-syntax';
import { t } from '../language/text';

interface SourceEditorDeps {
  /** accessible name */
  readonly name: string;
  readonly today: () => string;
  readonly tasks: () => readonly Task[];
  readonly choices: ConflictChoices;
  readonly onUpdate: (update: ViewUpdate) => void;
}

/** Creates the editor of a note as text: it keeps and shows every character. */
export function sourceEditor(parent: HTMLElement, doc: string, deps: SourceEditorDeps): EditorView {
  parent.createDiv({ cls: 'atb-unseen', text: deps.name, attr: { id: NAME_ID } });
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc, extensions: extensions(deps) }),
  });
  // The editor asks the document of its root for focus and selection.
  view.dom.onWindowMigrated(({ document }) => view.setRoot(document));
  return view;
}

/** The editor is labelled by an element, since the app shows each `aria-label` as a tooltip. */
const NAME_ID = 'atb-note-editor-name';

function extensions(deps: SourceEditorDeps): Extension {
  return [
    idCompletion(),
    sourceKeys(deps.today),
    history(),
    indentUnit.of('\t'),
    EditorState.tabSize.of(4),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-labelledby': NAME_ID, spellcheck: 'true' }),
    highlightActiveLine(),
    tooltips({ position: 'fixed' }),
    regionsField,
    sourceMarks,
    currentTaskLine,
    headerFolding(),
    touchedLines,
    typingLine,
    conflicts,
    conflictChoices.of(deps.choices),
    completionTasks.of(deps.tasks),
    EditorView.updateListener.of(deps.onUpdate),
  ];
}

/** The keys of the app's editor, and Ctrl+Enter, which ticks the line. */
function sourceKeys(today: () => string): Extension {
  const tick: Command = (view) => tickLine(view, today());
  return keymap.of([
    { key: 'Mod-Enter', run: tick },
    { key: 'Enter', run: continueList },
    { key: 'Tab', run: indentMore, shift: indentLess },
    { key: 'Mod-b', run: (view) => wrapSelection(view, '**') },
    { key: 'Mod-i', run: (view) => wrapSelection(view, '*') },
    ...historyKeymap,
    ...defaultKeymap,
  ]);
}

/** Completes or reopens the task in the cursor's line, with its date. @param today `YYYY-MM-DD` */
export function tickLine(view: EditorView, today: string): boolean {
  const { state } = view;
  const line = state.doc.lineAt(state.selection.main.head);
  const before = state.doc.toString();
  const note = parseNote('', before);
  const task = note.board.tasks.find((one) => one.line === line.number);
  const to = task?.status === 'completed' ? 'pending' : 'completed';
  const done = task && setTaskStatus(note, task.key, to, { today });
  const changes =
    done?.ok === true
      ? textEdits(before, done.text).map(({ from, to: end, text }) => ({
          from,
          to: end,
          insert: text,
        }))
      : flipCheckbox(state);
  if (changes === undefined) return false;
  view.dispatch({ changes, userEvent: 'input.tick' });
  return true;
}

/** In a note that can't be parsed only the checkbox changes. */
function flipCheckbox(state: EditorState): ChangeSpec | undefined {
  const line = state.doc.lineAt(state.selection.main.head);
  const parts = taskLineParts(line.text);
  if (parts === undefined) return undefined;
  const { start, end } = parts.mark;
  const insert = /x/i.test(line.text.slice(start, end)) ? ' ' : 'x';
  return { from: line.from + start, to: line.from + end, insert };
}

/** Handles Enter in a list item: starts the next item; in an empty one it ends the list. */
function continueList(view: EditorView): boolean {
  const { state } = view;
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const item = /^(\s*)([-*+]|\d+[.)])(\s+)(\[.\]\s+)?/u.exec(line.text);
  if (!empty || item === null || head < line.from + item[0].length) {
    return insertNewlineAndIndent(view);
  }
  if (item[0].length === line.text.length) {
    view.dispatch({ changes: { from: line.from, to: line.to }, userEvent: 'delete' });
    return true;
  }
  const [, indent = '', marker = '-', blank = ' ', box] = item;
  const number = /^\d+/.exec(marker)?.[0];
  const next =
    number === undefined ? marker : `${Number(number) + 1}${marker.slice(number.length)}`;
  const insert = `\n${indent}${next}${blank}${box === undefined ? '' : '[ ] '}`;
  // In the middle of a task line, the fields stay with the task.
  const at =
    box === undefined
      ? head
      : Math.max(head, insertPosition(line.text, head - line.from) + line.from);
  view.dispatch({
    changes: { from: at, insert },
    selection: { anchor: at + insert.length },
    scrollIntoView: true,
    userEvent: 'input.type',
  });
  return true;
}

/** The end of the line if the cursor is between title and fields; else the cursor. */
function insertPosition(text: string, cursor: number): number {
  const parts = taskLineParts(text);
  const title = parts?.pieces.at(-1)?.end ?? text.length;
  return cursor >= title ? text.length : cursor;
}

function wrapSelection(view: EditorView, mark: string): boolean {
  const { state } = view;
  view.dispatch(
    state.changeByRange((range) => ({
      changes: [
        { from: range.from, insert: mark },
        { from: range.to, insert: mark },
      ],
      range: EditorSelection.range(range.from + mark.length, range.to + mark.length),
    })),
    { userEvent: 'input' },
  );
  return true;
}

/** The style of a part of a line; offsets in the line. */
interface LineMark {
  readonly from: number;
  readonly to: number;
  readonly style: 'dim' | 'strong' | 'box' | 'tail' | 'emoji';
}

const STYLES: Readonly<Record<LineMark['style'], Decoration>> = {
  dim: Decoration.mark({ class: 'atb-src-dim' }),
  strong: Decoration.mark({ class: 'atb-src-strong' }),
  box: Decoration.mark({ class: 'atb-src-box' }),
  tail: Decoration.mark({ class: 'atb-src-tail' }),
  emoji: Decoration.mark({ class: 'atb-src-emoji' }),
};

/** Styles of the parts of a note's line, in order: headings strong, fields muted. */
export function lineMarks(text: string): readonly LineMark[] {
  const heading = /^(#{1,6}\s+)(?=\S)/.exec(text);
  if (heading !== null) {
    const behind = heading[0].length;
    return [
      { from: 0, to: behind, style: 'dim' },
      { from: behind, to: text.length, style: 'strong' },
    ];
  }
  const parts = taskLineParts(text);
  if (parts === undefined) return [];
  const { lead, mark, fields, tailStart } = parts;
  const bullet = /\S/.exec(text)?.index ?? 0;
  const quiet = fields.filter(({ place }) => place === 'head');
  const tail = trimmedEnd(text);
  return [
    { from: bullet, to: lead.end - 1, style: 'dim' },
    { from: lead.end - 1, to: mark.end + 1, style: 'box' },
    ...quiet.map(({ start, end }): LineMark => ({ from: start, to: end, style: 'tail' })),
    ...(tailStart < tail ? tailMarks(text, tailStart, tail) : []),
  ];
}

/** Styles of the fields after a title: their text, and each emoji. */
function tailMarks(text: string, from: number, to: number): readonly LineMark[] {
  const marks: LineMark[] = [];
  let at = from;
  for (let index = from; index < to; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    const size = point > 0xffff ? 2 : 1;
    if (tailKind(point) === undefined) continue;
    if (at < index) marks.push({ from: at, to: index, style: 'tail' });
    at = index + size + (text.charCodeAt(index + size) === 0xfe0f ? 1 : 0);
    marks.push({ from: index, to: at, style: 'emoji' });
    index = at - 1;
  }
  if (at < to) marks.push({ from: at, to, style: 'tail' });
  return marks;
}

function trimmedEnd(text: string): number {
  return text.trimEnd().length;
}

const HEADER_LINE = Decoration.line({ class: 'atb-src-header' });

const TASK_LINE = Decoration.line({ class: 'atb-src-task' });

const CODE_LINE = Decoration.line({ class: 'atb-src-code' });

/** Draws the styles of the visible lines. */
const sourceMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = buildDecorations(view);
    }

    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = buildDecorations(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function buildDecorations(view: EditorView): DecorationSet {
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
    if (marks.some(({ style: look }) => look === 'box'))
      builder.add(line.from, line.from, TASK_LINE);
    for (const { from, to, style: look } of marks) {
      if (from < to) builder.add(line.from + from, line.from + to, STYLES[look]);
    }
  }
}

/** Folding of the front matter, which is meant for programs. */
function headerFolding(): Extension {
  return [
    codeFolding({ placeholderDOM: placeholder, preparePlaceholder: lineCount }),
    foldService.of((state, from) => (from === 0 ? headerRange(state) : null)),
    keymap.of(foldKeymap),
  ];
}

/** Folds the header, unless the cursor is in it. */
export function foldHeader(view: EditorView): void {
  const range = headerRange(view.state);
  const { head } = view.state.selection.main;
  if (range === null || (head > range.from && head < range.to)) return;
  view.dispatch({ effects: foldEffect.of(range) });
}

function headerRange(state: EditorState): { from: number; to: number } | null {
  const { header } = state.field(regionsField);
  if (header < 2) return null;
  return { from: state.doc.line(1).to, to: state.doc.line(header).to };
}

function lineCount({ doc }: EditorState, { from, to }: { from: number; to: number }): number {
  return doc.lineAt(to).number - doc.lineAt(from).number;
}

function placeholder(_: EditorView, onclick: (event: Event) => void, lines: number): HTMLElement {
  const button = createEl('button', {
    cls: 'atb-src-folded',
    text: t('note.headerOf', { count: lines }),
    attr: { type: 'button', 'aria-label': t('note.unfoldHeader') },
  });
  button.addEventListener('click', onclick);
  return button;
}

/** The parts of a note that are not prose; line numbers are 1-based. */
interface Regions {
  /** last line of the front matter; 0: none */
  readonly header: number;
  /** first and last line of each fence, in order */
  readonly fences: readonly (readonly [number, number])[];
}

/** The regions of the text; recomputed on each change in one pass over the lines. */
export const regionsField = StateField.define<Regions>({
  create: ({ doc }) => readRegions(doc),
  update: (regions, { docChanged, newDoc }) => (docChanged ? readRegions(newDoc) : regions),
});

export function inFence(state: EditorState, line: number): boolean {
  return state.field(regionsField).fences.some(([from, to]) => line >= from && line <= to);
}

function readRegions(doc: Text): Regions {
  const fences: (readonly [number, number])[] = [];
  let header = 0;
  let opened: { line: number; mark: string } | undefined;
  let number = 0;
  let inHeader = false;
  for (const line of doc.iterLines()) {
    number += 1;
    if (number === 1) inHeader = /^\uFEFF?---\s*$/.test(line);
    else if (inHeader && header === 0 && /^(---|\.\.\.)\s*$/.test(line)) header = number;
    else if (!inHeader || header > 0) {
      const [, mark, words = ''] = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})(.*)/.exec(line) ?? [];
      if (mark === undefined) continue;
      if (opened === undefined) opened = { line: number, mark };
      else if (mark.startsWith(opened.mark) && words.trim() === '') {
        fences.push([opened.line, number]);
        opened = undefined;
      }
    }
  }
  if (opened !== undefined) fences.push([opened.line, number]);
  return { header, fences };
}
