import { archivedIds } from '../archive/archived-numbers';
import type { Board, Problem } from '../task';
import { BlockScan } from './block-scan';
import { CONFLICT, readHeader, type Header } from './header';
import type { Heading } from './heading';
import type { Note } from './note';
import { ReadLayout } from './read-layout';
import { TaskList } from './task-list';

/** Reads a board note. Never throws: a note that can't be parsed has `board.broken` set, and no tasks. */
export function parseNote(path: string, text: string): Note {
  const read = readHeader(text);
  if (!read.ok) return brokenNote(path, text, read.problem);
  const { header } = read;
  const scan = new BlockScan(text, header.end, header.lines);
  if (scan.conflict > 0) {
    const reason = `Line ${scan.conflict}: ${CONFLICT}.`;
    return brokenNote(path, text, { line: scan.conflict, reason }, header);
  }
  const { session, agent, prefix, rev, continued, shelved } = header.data;
  const title = titleOf(header, scan.headings);
  const found = new TaskList(text, scan, prefix, titleHeading(scan.headings, title));
  const board: Board = {
    path,
    session,
    agent,
    title,
    prefix,
    rev,
    ...archivedIds(header.values.get('archived')?.text, prefix),
    ...(continued !== undefined && { continued }),
    ...(shelved === 'true' && { shelved: true as const }),
    tasks: found.tasks,
    problems: found.problems,
    broken: null,
  };
  const { tasks, otherIds } = found;
  return { board, text, layout: new ReadLayout(header, scan, lineEndOf(text), tasks, otherIds) };
}

/** Index of the heading that is the board's own title, -1 for none. */
export function titleHeading(headings: readonly Heading[], title: string): number {
  const same = headings.findIndex((heading) => heading.level === 1 && heading.text === title);
  if (same >= 0) return same;
  const alone = headings.filter((heading) => heading.level === 1).length === 1;
  return alone && headings[0]?.level === 1 ? 0 : -1;
}

function titleOf(header: Header, headings: readonly Heading[]): string {
  const own = header.data.title?.replace(/\s*[\r\n]\s*/g, ' ').trim() ?? '';
  if (own !== '') return own;
  return headings[0]?.level === 1 ? headings[0].text : '';
}

function brokenNote(path: string, text: string, problem: Problem, header?: Header): Note {
  const board: Board = {
    path,
    session: header?.data.session ?? '',
    agent: header?.data.agent ?? '',
    title: header?.data.title ?? '',
    prefix: header?.data.prefix ?? '',
    rev: header?.data.rev ?? 0,
    tasks: [],
    problems: [],
    broken: problem,
  };
  return { board, text, layout: null };
}

/** The line end of a note: its first one. */
export function lineEndOf(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? '\n';
}
