import type { Task } from '../board/task';
import type { TailKind } from '../board/note/field-syntax';
import type { Note } from '../board/note/note';
import { parseNote } from '../board/note/parse-note';
import { newNoteText } from '../board/note/edit-header';
import { lineExtras, taskLineAt } from '../board/note/line-extras';
import { EMOJI_OF_FIELD } from '../board/note/line-facts';
import { segmentsOf } from './split-notes';
import { importResult, readFrontMatter, readText, type Fields } from './source-files';
import { nameOfPath, stemOf, type PlanReader } from './imported-plan';
import { lossPart } from './import-fault';
import { PlanBuilder } from './plan-builder';
import { shown, type SourceTask } from './source-task';
import { OWN_KANBAN_KEY } from './export-board';

/** Adds one of our headers, so that cards are parsed like task lines of a board. */
const header = (): string =>
  newNoteText({ session: 's', agent: 'a', title: 'Plan', prefix: 'a000' }).replace(/# .*\n$/, '');

/**
 * Reads a note of the Kanban plugin: headings are lanes, their list items are cards. The part after
 * `***` under "Archive" is a lane too. In a lane marked `**Complete**`, every card is done.
 */
export const readKanban: PlanReader = async (source) => {
  const { reader, path } = source;
  const read = await readText(reader, path);
  if (!read.ok) return read;
  const builder = new PlanBuilder();
  const matter = readFrontMatter(read.text);
  if (!matter.ok) builder.reportLoss(lossPart('frontMatter'), matter.why);
  const { lines, complete } = cardLines(matter.ok ? matter.body : read.text.split(/\r\n|\r|\n/));
  const note = parseNote(path, `${header()}${lines.join('\n')}\n`);
  const { board } = note;
  const { broken } = board;
  if (broken !== null) builder.reportLoss(nameOfPath(path), [broken.reason, broken.said]);
  const own = matter.ok && matter.fields.value(OWN_KANBAN_KEY) !== null;
  if (matter.ok) reportFrontMatter(builder, matter.fields);
  reportFreeText(builder, note);
  for (const [at, task] of board.tasks.entries()) {
    const found = ownCard(note, task, at);
    builder.add(own ? found : readPluginCard(found, complete));
    reportRepeatedFields(builder, note, at);
  }
  const name = stemOf(path);
  return importResult('kanban', source, [builder.build({ kind: 'kanban', name })]);
};

function reportFrontMatter(builder: PlanBuilder, fields: Fields): void {
  fields.skip('kanban-plugin');
  for (const name of fields.unread()) {
    builder.reportLoss(lossPart('ofFrontMatter', { name: shown(name) }), lossPart('noCard'));
  }
}

/** Reports text between the cards, except for the plugin's settings, which are in a comment. */
function reportFreeText(builder: PlanBuilder, { text, layout }: Note): void {
  if (layout === null) return;
  const free = segmentsOf(text, layout).filter(({ task }) => task === -1);
  const [first, ...more] = free
    .map((segment) => segment.text)
    .join('')
    .replace(/%%.*?(?:%%|$)/gs, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '' && !/^#{1,6}(?:\s|$)/.test(line));
  if (first === undefined) return;
  const values = { text: shown(first.trim()), count: String(more.length) };
  const what = lossPart(more.length === 0 ? 'freeLine' : 'freeLines', values);
  builder.reportLoss(what, lossPart('noCard'));
}

/** Reports repeated fields: a line may have one of each, except for prerequisites. */
function reportRepeatedFields(builder: PlanBuilder, note: Note, at: number): void {
  const line = taskLineAt(note, at);
  const seen = new Set<TailKind>(['dependsOn']);
  for (const { kind } of [...line.tail.fields, ...line.dataview]) {
    if (seen.has(kind) && kind !== 'dependsOn') {
      const n = String(at + 1);
      const what =
        kind === 'priority'
          ? lossPart('anotherPriority', { n })
          : lossPart('anotherField', { field: EMOJI_OF_FIELD[kind], n });
      builder.reportLoss(what, lossPart('lastCounts'));
    }
    seen.add(kind);
  }
}

/** Turns every card into a task line, and collects the lanes marked complete. */
function cardLines(given: readonly string[]): {
  readonly lines: readonly string[];
  readonly complete: ReadonlySet<string>;
} {
  const complete = new Set<string>();
  let lane = '';
  const lines = given.flatMap((line) => {
    lane = /^#{1,6}\s+(.*?)\s*$/.exec(line)?.[1] ?? lane;
    if (/^\*\*(?:Complete)\*\*\s*$/.test(line)) {
      complete.add(lane);
      return [];
    }
    if (/^\*{3,}\s*$/.test(line)) return [];
    return [line.replace(/^([-*+])\s+(?!\[.\](?:\s|$))/u, '$1 [ ] ')];
  });
  return { lines, complete };
}

/** Reads the plugin's own format: `<br>` separates lines, `@{2026-11-28}` is the due date. */
function readPluginCard(own: OwnCard, complete: ReadonlySet<string>): SourceTask {
  const [title = '', ...rest] = own.title.split(/<br\s*\/?>/);
  const date = /(?:^|\s)@(?:\{([^{}]*)\}|\[\[([^[\]]*)\]\])/.exec(title);
  const dated = date !== null && own.due === null;
  const done = own.lane !== null && complete.has(own.lane) && own.status === 'pending';
  return {
    ...own,
    title: dated ? title.replace(date[0], '') : title,
    status: done ? 'completed' : own.status,
    mark: done && own.mark === ' ' ? null : own.mark,
    due: dated ? (date[1] ?? date[2] ?? null) : own.due,
    body: [...rest, ...own.body],
  };
}

type OwnCard = SourceTask &
  Pick<Task, 'title' | 'status' | 'mark' | 'due' | 'body'> & {
    /** heading of the card's lane, for subtasks too */
    readonly lane: string | null;
  };

/** All values of a task line. */
function ownCard(note: Note, task: Task, at: number): OwnCard {
  const { key, id, parent, phase } = task;
  return {
    ...task,
    ...lineExtras(note, at),
    ref: key,
    local: id !== key,
    phase: parent === null ? phase : null,
    lane: phase,
  };
}
