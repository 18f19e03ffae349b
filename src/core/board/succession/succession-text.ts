import { archiveTasks, finishedTops } from '../archive/archive-tasks';
import { cutBlocks } from '../archive/cut-blocks';
import { behindLine, cutLines } from '../note/block-lines';
import { headerSplices } from '../note/edit-header';
import type { Note } from '../note/note';
import { parseNote, titleHeading } from '../note/parse-note';
import { applySplices } from '../note/splice';
import { yamlText } from '../note/yaml-text';
import { withIds } from '../operation/edit-chain';
import type { Fault } from '../operation/read-operation';
import type { Task } from '../task';

type Text = { readonly ok: true; readonly text: string } | Fault;

/** The tasks at the top that go on: not finished, or something under them is not. */
export function openTops(note: Note): readonly Task[] {
  const done = new Set(finishedTops(note));
  return note.board.tasks.filter((task) => task.parent === null && !done.has(task));
}

/** The plan as it is closed: every task has an id, and the header names the session that goes on. */
export function closedText(note: Note, session: string): Text {
  const named = withIds(note, note.board.tasks);
  if (!named.ok) return named;
  return { ok: true, text: withKey(named.note, 'continued', session) };
}

/**
 * The plan as another session goes on with it: the closed one without what is finished, which stands
 * in the header as archived does, so that nothing waits for it and no id is given twice.
 */
export function successorText(closed: Note, session: string): Text {
  const rest = archiveTasks(closed, finishedTops(closed));
  if (!rest.ok) return rest;
  const { path } = closed.board;
  const begun = withoutKey(parseNote(path, rest.text), 'continued');
  const from = withKey(parseNote(path, begun), 'continues', closed.board.session);
  return { ok: true, text: withKey(parseNote(path, from), 'session', session) };
}

/** The closed plan without what stands in its successor, and with a link to it. */
export function leftText(closed: Note, successor: Note): Text {
  const there = new Set(successor.board.tasks.flatMap(({ id }) => id ?? []));
  const gone = openTops(closed).filter(({ id }) => id !== null && there.has(id));
  const cut = cutBlocks(closed, new Set(gone.map(({ key }) => key)));
  if (!cut.ok) return cut;
  return { ok: true, text: linked(parseNote(closed.board.path, cut.text), successor.board.path) };
}

/** With the link below the title, once. */
function linked({ board, layout, text }: Note, path: string): string {
  const link = `Continued in [[${path.replace(/\.md$/, '')}]].`;
  if (layout === null || text.includes(link)) return text;
  const { headings } = layout.scan;
  const title = headings[titleHeading(headings, board.title)];
  const at = title === undefined ? layout.header.end : title.end;
  const lines = title === undefined ? [link, ''] : ['', '', link];
  return text.slice(0, at) + lines.join(layout.eol) + text.slice(at);
}

function withKey({ layout, text }: Note, key: string, value: string): string {
  if (layout === null) return text;
  return applySplices(text, headerSplices(layout, key, yamlText(value)));
}

function withoutKey({ layout, text }: Note, key: string): string {
  const old = layout?.header.values.get(key);
  return old === undefined || old.from < 0
    ? text
    : cutLines(text, old.at, behindLine(text, old.to));
}
