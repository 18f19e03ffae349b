import {
  CompletionItemKind,
  type CompletionItem,
  type Position,
  type TextEdit,
} from 'vscode-languageserver';
import { matchingTasks, idQuery } from '../core/board/find-task';
import { taskLineParts } from '../core/board/merge/merge-line';
import { EMOJI_OF_FIELD, OWN_FIELDS, priorityEmoji } from '../core/board/note/line-facts';
import { markOf } from '../core/board/note/task-block';
import { PRIORITIES, STATUSES, type Status } from '../core/board/task';
import { FIELD_WORDS, IMPACTS, LEVELS, RISKS, SCOPES } from '../core/board/tasks-schema';
import type { OpenNote } from './open-notes';
import { personEdits, toTaskTarget } from './person-edits';

/** Characters after which the editor asks for completions. */
export const TRIGGERS: readonly string[] = ['⛔', ',', '[', ':', '#', ' '];

/** Matches a task line up to its status mark, and beyond it. */
const BEFORE_MARK = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\]]?)$/u;
const TASK = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.\][ \t]/u;

/** Completions at a position of a board: statuses, fields, values, and ids by title. */
export async function completions(
  open: OpenNote,
  position: Position,
  today: string,
): Promise<readonly CompletionItem[]> {
  const { note } = open;
  if (note === undefined || note.board.broken !== null) return [];
  const start = { line: position.line, character: 0 };
  const [from, at] = [open.offsetAt(start), open.offsetAt(position)];
  const before = open.text.slice(from, at);
  const line = before + (/^[^\r\n]*/.exec(open.text.slice(at))?.[0] ?? '');
  if (at < (note.layout?.header.end ?? 0)) return [];
  const mark = BEFORE_MARK.exec(before);
  if (mark !== null) return statusItems(open, position, at - (mark[1] ?? '').length, today);
  const [, name, value] = /\[(\w+)::[ \t]*([^[\]]*)$/u.exec(before) ?? [];
  if (TASK.test(before) && name !== undefined && value !== undefined) {
    const close = line.startsWith(']', before.length) ? '' : ']';
    const words = await valuesOf(open, name);
    const edit = editMaker(open, at - value.length, at);
    return words.map((word) => item(word, CompletionItemKind.EnumMember, edit(word + close)));
  }
  const field = TASK.test(before) ? /\[(\w*)$/u.exec(before) : null;
  if (field !== null) return fieldItems(open, at - field[0].length, at, line.slice(before.length));
  return idItems(open, before, line, at);
}

type MakeEdit = (newText: string) => TextEdit;

function editMaker(open: OpenNote, from: number, to: number): MakeEdit {
  const range = open.range(from, to);
  return (newText) => ({ range, newText });
}

function item(label: string, kind: CompletionItemKind, textEdit: TextEdit): CompletionItem {
  return { label, kind, textEdit };
}

/** Statuses with the dates they set. Only the mark if the line can't be edited as a task yet. */
function statusItems(
  open: OpenNote,
  position: Position,
  from: number,
  today: string,
): readonly CompletionItem[] {
  const [task] = open.tasksIn({ start: position, end: position });
  const until = open.text.slice(from);
  const [typed = ''] = /^[^\]\r\n]?(?=\])/u.exec(until) ?? [];
  const isClosed = until.startsWith(']', typed.length);
  const put = editMaker(open, from, isClosed ? from + typed.length : open.offsetAt(position));
  return STATUSES.map((status) => {
    const edit = put(markOf(status) + (isClosed ? '' : '] '));
    const changed =
      task && personEdits(open, [{ type: 'update', id: toTaskTarget(task), status }], today);
    const others = changed?.ok === true ? changed.edits.filter((one) => !touches(one, edit)) : [];
    return {
      ...item(status.replace('_', ' '), CompletionItemKind.EnumMember, edit),
      ...{ detail: `[${markOf(status)}]`, filterText: typed, sortText: order(status) },
      ...(others.length > 0 && { additionalTextEdits: [...others] }),
    };
  });
}

function order(status: Status): string {
  return String(STATUSES.indexOf(status));
}

function touches({ range: { start, end } }: TextEdit, other: TextEdit): boolean {
  const { start: from, end: to } = other.range;
  const before = (a: Position, b: Position): boolean =>
    a.line < b.line || (a.line === b.line && a.character < b.character);
  return !before(end, from) && !before(to, start);
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  scope: SCOPES,
  risk: RISKS,
  impact: IMPACTS,
  level: LEVELS,
  approve: ['me'],
  estimate: ['30m', '1h', '2h', '4h'],
};

async function valuesOf(
  { note, context: place }: OpenNote,
  name: string,
): Promise<readonly string[]> {
  if (name !== 'owner') return Object.hasOwn(VALUES, name) ? (VALUES[name] ?? []) : [];
  const { agent, tasks } = note?.board ?? { agent: '', tasks: [] };
  const owners = tasks.flatMap(({ owner }) => owner ?? []);
  const agents = (await place?.agents()) ?? [];
  return [...new Set(['me', ...agents, agent, ...owners])].filter((one) => one !== '');
}

const FIELD_DESCRIPTIONS: Readonly<Record<string, string | undefined>> = FIELD_WORDS;

/** Fields in brackets, and tail fields, which start with an emoji. */
function fieldItems(
  open: OpenNote,
  from: number,
  at: number,
  behind: string,
): readonly CompletionItem[] {
  const put = editMaker(open, from, at);
  const own = OWN_FIELDS.map((name) => ({
    ...item(name, CompletionItemKind.Field, put(`[${name}:: `)),
    ...{ detail: FIELD_DESCRIPTIONS[name] ?? '', filterText: `[${name}` },
  }));
  const emoji = editMaker(open, from, behind.startsWith(']') ? at + 1 : at);
  const tail = [
    ...(['dependsOn', 'due', 'scheduled', 'start'] as const).map((name) => ({
      ...{ name, text: `${EMOJI_OF_FIELD[name]} ` },
    })),
    ...PRIORITIES.flatMap((name) => {
      const text = priorityEmoji(name);
      return text === undefined ? [] : [{ name, text }];
    }),
  ].map(({ name, text }) => ({
    ...item(name, CompletionItemKind.Field, emoji(text)),
    ...{ detail: text.trim(), filterText: `[${name}` },
  }));
  return [...own, ...tail];
}

/**
 * Ids by title or number, best match first. The same filter text keeps the editor from filtering
 * and sorting them.
 */
function idItems(
  open: OpenNote,
  before: string,
  line: string,
  at: number,
): readonly CompletionItem[] {
  const query = idQuery(before);
  if (query === undefined) return [];
  const typed = before.slice(query.from);
  const put = editMaker(open, at - typed.length, at);
  const tasks = open.note?.board.tasks ?? [];
  return matchingTasks(tasks, query, taskLineParts(line)?.id ?? null).map((task, index) => {
    const text = query.form === 'number' && task.n !== null ? `#${task.n}` : (task.id ?? '');
    return {
      ...item(task.title, CompletionItemKind.Reference, put(text)),
      ...{ detail: `${task.id} · ${task.status.replace('_', ' ')}` },
      ...{ filterText: typed, sortText: String(index).padStart(2, '0') },
    };
  });
}
