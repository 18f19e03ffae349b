import type { Actor } from '../../core/board/history/actor';
import type { ChangeRecord } from '../../core/board/history/change-record';
import { historyEntries } from '../../core/board/history/histories';
import { changedTaskBoards } from '../../core/board/history/work-spans';
import type { Checkpoint } from '../../core/board/checkpoint/checkpoints';
import type { Board } from '../../core/board/task';
import type { RunView } from '../../core/orchestrator/runs';
import { auditStatusOf, type AuditRow, type CallRow } from '../../core/permission/audit/audit-rows';
import type { Block, ReportedChange } from '../../core/session/transcript/transcript';
import { detailTitle, endingWords, whyWord } from '../audit/audit-words';
import { describeChange } from '../conversation/tool-block';
import type { RunIntent } from '../run/run-intent';
import { runEntries } from '../run/timeline-section';
import { boardChangeEntries } from '../session/session-history';
import { plainLine, STATUS_WORDS } from '../ui/text';
import { COMMA, t, translated } from '../language/text';

/** What an entry opens. */
export type TimelineTarget =
  /** the board's note, at a task if there is one */
  | { readonly kind: 'board'; readonly task?: string }
  /** a call, with its change, in the audit */
  | { readonly kind: 'call'; readonly row: CallRow }
  /** the conversation, at a block */
  | { readonly kind: 'session'; readonly block?: string }
  | { readonly kind: 'run'; readonly run: string; readonly intent: RunIntent | undefined }
  | { readonly kind: 'checkpoint'; readonly n: number };

/** What an entry can undo: a change of the board by its name, or a call's change of a note. */
export type TimelineUndo =
  | { readonly kind: 'change'; readonly change: string; readonly by: Actor }
  | { readonly kind: 'call'; readonly row: CallRow };

/** An event in the life of a board. */
export interface TimelineItem {
  readonly key: string;
  /** ms since the epoch */
  readonly at: number;
  /** "You", the agent's name, "Run", or what was imported */
  readonly who: string;
  readonly icon: string;
  readonly tone: 'plain' | 'error';
  readonly title: string;
  readonly text: string;
  readonly target: TimelineTarget;
  readonly undo?: TimelineUndo;
}

/** The stored data of a board and its session. */
export interface TimelineSources {
  readonly board: Board;
  /** oldest first */
  readonly records: readonly ChangeRecord[];
  readonly checkpoints: readonly Checkpoint[];
  readonly runs: readonly RunView[];
  /** of all boards */
  readonly rows: readonly AuditRow[];
  readonly blocks: readonly Block[];
}

/** All events, newest first. */
export function timelineItems(sources: TimelineSources): readonly TimelineItem[] {
  const written = changeItems(sources);
  return [
    ...written,
    ...checkpointItems(sources),
    ...runItems(sources),
    ...callItems(sources),
    ...sessionItems(sources, written),
  ].sort((a, b) => b.at - a.at);
}

/** `who`: empty for all; `text`: words that must all occur, in any case. */
export interface TimelineFilter {
  readonly who: string;
  readonly text: string;
}

/** The items that match the filter. */
export function filterItems(
  items: readonly TimelineItem[],
  { who, text }: TimelineFilter,
): readonly TimelineItem[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (who === '' && wanted.length === 0) return items;
  return items.filter((item) => {
    if (who !== '' && item.who !== who) return false;
    const said = `${item.who} ${item.title} ${item.text}`.toLowerCase();
    return wanted.every((word) => said.includes(word));
  });
}

/** "You", or the name of the other actor. */
export function actorName(actor: Actor): string {
  return actor.kind === 'person' ? YOU : plainLine(actor.name);
}

const YOU = t('timeline.you');

/**
 * The changes in the board's history, except what the person typed in the note: the session reports
 * that.
 */
function changeItems({ board, records }: TimelineSources): readonly TimelineItem[] {
  const byChange = new Map(records.map((record) => [record.change, record]));
  return historyEntries(records, records.length).flatMap((entry) => {
    const record = byChange.get(entry.change);
    if (record === undefined) return [];
    const { change, at, by, said, undone } = entry;
    const { before, after } = changedTaskBoards(record, board);
    const isUndoOrRedo = record.undoes !== undefined || record.redoes !== undefined;
    const words = changeWords(said, boardChangeEntries(before, after));
    const what = record.undoes === undefined ? 'doneAgain' : 'undone';
    const undoable = !isUndoOrRedo && !undone && by.kind !== 'agent' && record.hunks !== undefined;
    return {
      ...{ key: change, at, who: actorName(by), tone: words.tone ?? 'plain' },
      icon: isUndoOrRedo ? 'undo-2' : (words.icon ?? 'list-checks'),
      title: isUndoOrRedo ? t(`timeline.${what}`, { title: words.title }) : words.title,
      text: undone
        ? [words.text, t('timeline.undoneSince')].filter(Boolean).join(COMMA)
        : words.text,
      target: { kind: 'board', ...(record.tasks.length === 1 && { task: record.tasks[0] ?? '' }) },
      ...(undoable && { undo: { kind: 'change' as const, change, by } }),
    };
  });
}

interface EntryTexts {
  readonly title: string;
  readonly text: string;
  readonly icon?: string;
  readonly tone?: TimelineItem['tone'];
}

/** Maximum tasks that one entry names. */
const MAX_NAMED = 3;

function changeWords(said: readonly string[], changes: readonly ReportedChange[]): EntryTexts {
  const [first, ...rest] = changes;
  if (first === undefined) return { title: said.join(' '), text: '' };
  if (rest.length > 0) {
    const named = changes.slice(0, MAX_NAMED).map((one) => `${one.title}: ${describeChange(one)}`);
    const more = changes.length - named.length;
    const text = [...named, ...(more > 0 ? [t('boardView.andMore', { more })] : [])].join('; ');
    return { title: t('timeline.tasksChanged', { count: changes.length }), text };
  }
  const { what, status } = first;
  const icon =
    what === 'status' && status !== undefined ? STATUS_WORDS[status].icon : CHANGE_ICONS[what];
  const tone = what === 'status' && status === 'failed' ? 'error' : 'plain';
  return { title: first.title, text: describeChange(first), icon, tone };
}

const CHANGE_ICONS = {
  added: 'plus',
  removed: 'trash-2',
  changed: 'pencil',
  status: 'square',
} as const;

function checkpointItems({ checkpoints, runs }: TimelineSources): readonly TimelineItem[] {
  // The run has its own entries for these.
  const shownByRuns = new Set(
    runs.flatMap((view) => runEntries(view, undefined)).map(({ n }) => n),
  );
  return checkpoints.flatMap(({ n, at, by, label }) =>
    shownByRuns.has(n)
      ? []
      : {
          ...{ key: `checkpoint ${n}`, at, who: by === 'user' ? YOU : by, icon: 'bookmark' },
          ...{ tone: 'plain' as const, title: t('board.checkpointN', { n }), text: label ?? '' },
          target: { kind: 'checkpoint' as const, n },
        },
  );
}

function runItems({ runs, board }: TimelineSources): readonly TimelineItem[] {
  return runs.flatMap((view) =>
    runEntries(view, board).map(({ key, at, person, words, intent }) => ({
      ...{ key: `run ${view.id} ${key}`, at, who: person ? YOU : t('timeline.run') },
      ...{ icon: words.icon, title: words.title, text: words.text },
      tone: words.tone === 'error' ? ('error' as const) : ('plain' as const),
      target: { kind: 'run' as const, run: view.id, intent },
    })),
  );
}

/**
 * Calls of the board's agent, except `tasks` calls that were carried out: the board's history has
 * those.
 */
function callItems({ rows, board }: TimelineSources): readonly TimelineItem[] {
  const undone = new Set(rows.flatMap((row) => (isDone(row) ? (row.intent.undoes ?? []) : [])));
  return rows.flatMap((row) => {
    if (row.kind !== 'call') return [];
    const { intent, outcome, key, at } = row;
    if (intent.sessionId !== board.session) return [];
    if (intent.agent !== board.agent && intent.by !== 'person') return [];
    const ending = auditStatusOf(row, () => false);
    const plain = ending === 'done' || ending === 'preview';
    if (intent.operation === 'tasks' && plain && outcome?.refusals === undefined) return [];
    const { word, icon } = endingWords(row, ending);
    const wrote = intent.operation === 'create' || intent.operation === 'update';
    const isUndone = undone.has(intent.callId);
    const undoable = wrote && isDone(row) && outcome?.after !== undefined && !isUndone;
    const words = [`${word} · ${whyWord(row)}`, ...(isUndone ? [t('timeline.undoneSince')] : [])];
    return {
      ...{ key: `call ${key}`, at, who: intent.by === 'person' ? YOU : intent.agent },
      icon: ending === 'done' ? (wrote ? 'file-pen' : 'file-search') : icon,
      tone: plain ? ('plain' as const) : ('error' as const),
      ...{ title: detailTitle(row), text: words.join(COMMA) },
      target: { kind: 'call' as const, row },
      ...(undoable && { undo: { kind: 'call' as const, row } }),
    };
  });
}

function isDone(row: AuditRow): row is CallRow {
  return row.kind === 'call' && row.outcome?.result === 'done';
}

/** Maximum UTF-16 units of a person's message in an entry. */
const MAX_TITLE_LENGTH = 160;

/** Maximum ms from a change by another program until it is noticed here. */
const MAX_NOTICE_DELAY = 30_000;

/** Messages and turns of the session, and what was typed in the note. */
function sessionItems(
  { blocks, board }: TimelineSources,
  written: readonly TimelineItem[],
): readonly TimelineItem[] {
  const isWritten = ({ at }: Block, { title, text }: EntryTexts) =>
    written.some(
      (one) =>
        one.title === title &&
        one.text.startsWith(text) &&
        Math.abs(one.at - at) < MAX_NOTICE_DELAY,
    );
  return blocks.flatMap((block): TimelineItem | readonly TimelineItem[] => {
    const base = { key: `said ${block.kind} ${block.id}`, at: block.at };
    if (block.kind === 'prompt') {
      const line = plainLine(block.text);
      const title = line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH)}…` : line;
      const target = { kind: 'session', block: block.id } as const;
      return { ...base, who: YOU, icon: 'message-square', tone: 'plain', title, text: '', target };
    }
    if (block.kind === 'turn') {
      const { icon, title, tone } = TURN_TEXTS[block.reason];
      const { changedTasks: count, error } = block;
      const changed = count > 0 ? t('timeline.tasksChanged', { count }) : '';
      const text = error === undefined ? changed : translated(error.message);
      const target = { kind: 'session', block: block.id } as const;
      return { ...base, who: plainLine(board.agent), icon, tone, title, text, target };
    }
    if (block.kind !== 'board' || block.by !== 'disk' || block.path !== board.path) return [];
    const words = changeWords([], block.changes);
    // A change by another program has its own entry.
    if (isWritten(block, words)) return [];
    const [only, ...others] = block.changes;
    const task = others.length === 0 && only !== undefined ? { task: only.key } : {};
    const rest = { tone: words.tone ?? 'plain', icon: words.icon ?? 'pencil' } as const;
    const text = [words.text, t('timeline.inTheNote')].filter(Boolean).join(COMMA);
    return {
      ...base,
      ...rest,
      who: YOU,
      title: words.title,
      text,
      target: { kind: 'board', ...task },
    };
  });
}

const TURN_TEXTS = {
  completed: { icon: 'check', tone: 'plain', title: t('timeline.turnEnded') },
  interrupted: { icon: 'circle-stop', tone: 'plain', title: t('timeline.turnStopped') },
  error: { icon: 'circle-alert', tone: 'error', title: t('timeline.turnEndedWithAnError') },
} as const;
