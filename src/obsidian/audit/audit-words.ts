import type {
  AuditRow,
  CallRow,
  Ending,
  IntentRecord,
} from '../../core/permission/audit/audit-rows';
import { deciderName } from '../../core/permission/decide';
import { jsonLine, visibleText } from '../../core/permission/audit/redact';
import { dayWords, localDay, refusalWords, shortTime, timeWithSeconds } from '../ui/text';
import { explainCall } from '../../core/permission/audit/explain-call';

/** What ids stand for, as far as it is known. */
export interface Names {
  session(id: string): string | undefined;
  /** of a task on a board of this session and agent */
  task(sessionId: string | undefined, agent: string, id: string): string | undefined;
}

/** Our tools: what they do, and what they did. */
const TOOLS: ReadonlyMap<string, readonly [does: string, did: string]> = new Map([
  ['tasks', ['Tasks', 'Used the board']],
  ['search_vault', ['Search vault', 'Searched for']],
  ['read_note', ['Read note', 'Read']],
  ['list_notes', ['List notes', 'Listed']],
  ['get_note_metadata', ['Look at note', 'Looked at']],
  ['create_note', ['Create note', 'Created']],
  ['update_note', ['Update note', 'Updated']],
  ['undo', ['Undo', 'Undid the change of']],
]);

/** UTF-16 units of an object in its line. */
const LONGEST = 200;

/** In the order in which the filter offers them. */
export const ENDINGS = {
  waiting: { word: 'Waiting', icon: 'hand' },
  done: { word: 'Done', icon: 'check' },
  preview: { word: 'Preview', icon: 'eye' },
  denied: { word: 'Denied', icon: 'ban' },
  failed: { word: 'Failed', icon: 'circle-alert' },
  cancelled: { word: 'Cancelled', icon: 'circle-minus' },
  open: { word: 'Not recorded', icon: 'circle-dashed' },
  damaged: { word: 'Damaged', icon: 'triangle-alert' },
} as const satisfies Readonly<Record<Ending, object>>;

/** How a row ended: "Done", or of a call of which a part was refused "1 done, 1 refused". */
export function endingWords(row: AuditRow, ending: Ending) {
  const refusals = row.kind === 'call' ? row.outcome?.refusals : undefined;
  if (refusals === undefined) return ENDINGS[ending];
  return { word: refusalWords(refusals), icon: 'circle-alert' };
}

/** "Update note"; the name itself where it is none of ours. */
export function toolWord(tool: string): string {
  return TOOLS.get(plainName(tool))?.[0] ?? visibleText(tool);
}

export function sessionWord({ sessionId, sessionTitle }: IntentRecord, names: Names): string {
  if (sessionId === undefined) return sessionTitle ?? 'No session';
  return visibleText(names.session(sessionId) ?? sessionTitle ?? sessionId);
}

/** What a call is about: a note's name, what is searched for, what was done with tasks. */
export function objectWord({ intent, outcome }: CallRow): string {
  const { operation, path = '', tool } = intent;
  const query = fieldOf(intent.args, 'query');
  if (query !== undefined) return cut(`“${query}”`);
  if (plainName(tool) === 'tasks' || operation === 'tasks')
    return cut(outcome?.title ?? 'Its board');
  if (plainName(tool) === 'list_notes' && path === '') return 'The whole vault';
  return cut(visibleNoteName(path === '' ? (fieldOf(intent.args, 'path') ?? 'No note') : path));
}

/** In a few words, why it was allowed, asked or denied. */
export function whyWord({ intent, outcome }: CallRow): string {
  const { verdict, decider, by, operation } = intent;
  if (by === 'person') return 'By hand';
  if (outcome?.reply !== undefined) return REPLIES[outcome.reply];
  const was = VERDICTS[verdict];
  if (decider === undefined) return outcome?.result === 'failed' ? 'Check failed' : was;
  const low = was.toLowerCase();
  const byRule = decider.kind === 'rule' || decider.kind === 'preset';
  if (byRule && operation === 'tasks' && verdict === 'allow') return `Boards, ${low}`;
  if (decider.kind === 'rule') return `Rule ${decider.number}, ${low}`;
  return `${DECIDERS[decider.kind]}, ${low}`;
}

const VERDICTS = { allow: 'Allowed', ask: 'Asked', deny: 'Denied' } as const;

const DECIDERS = {
  preset: 'Preset',
  protected: 'Protected',
  scope: 'Its scope',
  default: 'No rule',
} as const;

const REPLIES = {
  once: 'You allowed once',
  always: 'You allowed always',
  reject: 'You denied',
  expired: 'Nobody answered',
} as const;

/** "14:21, writer, update note 2026-11-20, denied by rule 2": the name of a row. */
export function rowSentence(row: AuditRow, ending: Ending, time: string): string {
  if (row.kind === 'damage') return `${time}, ${damageWords(row)}`;
  const { intent } = row;
  const what = `${lowered(toolWord(intent.tool))} ${objectWord(row)}`;
  return [time, visibleText(intent.agent), what, endingSentence(row, ending)].join(', ');
}

function endingSentence(row: CallRow, ending: Ending): string {
  const word = lowered(endingWords(row, ending).word);
  const { decider } = row.intent;
  if (ending === 'denied' && row.outcome?.reply === undefined) {
    if (decider?.kind === 'rule') return `${word} by rule ${decider.number}`;
    if (decider?.kind === 'preset') return `${word} by the preset`;
  }
  return `${word}, ${lowered(whyWord(row))}`;
}

export function damageWords(row: AuditRow & { kind: 'damage' }): string {
  return row.repaired
    ? 'an entry was torn while it was written'
    : `line ${row.line} of ${row.file} is no entry`;
}

/** "Updated Index format" where it was done, else "Update note Index format". */
export function detailTitle(row: CallRow): string {
  const { tool } = row.intent;
  const object = objectWord(row);
  const did = TOOLS.get(plainName(tool))?.[1];
  if (row.outcome?.result !== 'done' || did === undefined) return `${toolWord(tool)}: ${object}`;
  return plainName(tool) === 'tasks' ? `Tasks: ${object}` : `${did} ${object}`;
}

/** All that a row says, for the filter. */
export function rowWords(row: AuditRow, names: Names): string {
  if (row.kind === 'damage') return `${damageWords(row)} ${row.text}`;
  const { intent, outcome } = row;
  const { agent, path = '', task = '', sessionId, why } = intent;
  const title = task === '' ? '' : (names.task(sessionId, agent, task) ?? '');
  return [
    ...[agent, toolWord(intent.tool), intent.tool, sessionWord(intent, names), path],
    ...[objectWord(row), task, title, whyWord(row), why, outcome?.message ?? ''],
  ].join(' ');
}

export function visibleNoteName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return visibleText(name.replace(/\.md$/i, ''));
}

/** As the wire, OpenCode and the tools themselves name it: one name. */
function plainName(tool: string): string {
  return tool.replace(/^obsidian[._]/, '');
}

function fieldOf(args: unknown, field: string): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const found = new Map<string, unknown>(Object.entries(args)).get(field);
  return typeof found === 'string' ? found : undefined;
}

function cut(text: string): string {
  return visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A piece of a sentence; `code` is a rule as it is written. */
type WhyPart = { readonly kind: 'text' | 'code'; readonly text: string };

/** Why a call was allowed, asked or denied, and what came of it, from its entries alone. */
export function whyParts(row: CallRow, ending: Ending, now: number): readonly WhyPart[] {
  const parts = [text(answerWords(row, now)), ...ruleParts(row), text(endWords(row, ending) ?? '')];
  return parts.filter((part) => part.text !== '');
}

function answerWords({ outcome }: CallRow, now: number): string {
  const { reply, answeredAt, message } = outcome ?? {};
  const when = answeredAt === undefined ? '' : ` at ${whenWords(answeredAt, now)}`;
  const said = message === undefined ? '' : ` You said: ${visibleText(message)}`;
  if (reply === 'once') return `You allowed it once${when}. `;
  if (reply === 'always') return `You allowed it from then on${when}. `;
  if (reply === 'reject') return `You denied it${when}.${said} `;
  return reply === undefined ? '' : 'Nobody answered in time, so it was denied. ';
}

function ruleParts({ intent }: CallRow): readonly WhyPart[] {
  const { decider, why } = intent;
  if (decider?.kind !== 'rule' && decider?.kind !== 'preset') return [text(`${visibleText(why)} `)];
  const [, what = decider.words, action = '', whose = ''] =
    /^(.*), (allow|ask|deny)(?: \((.*)\))?$/s.exec(decider.words) ?? [];
  const end = whose === '' ? ', ' : ` for ${visibleText(whose)}, `;
  return [
    text(`${deciderName(decider)}, `),
    { kind: 'code', text: visibleText(what) },
    text(action === '' ? '. ' : `${end}is set to ${action}. `),
  ];
}

function endWords({ outcome }: CallRow, ending: Ending): string | undefined {
  const message = outcome?.message === undefined ? '' : visibleText(outcome.message);
  if (outcome?.refusals !== undefined) return `${refusalWords(outcome.refusals)}: ${message}`;
  if (ending === 'failed') return message === '' ? 'It failed.' : `It failed: ${message}`;
  return END_WORDS[ending];
}

const END_WORDS: Partial<Readonly<Record<Ending, string>>> = {
  waiting: 'It waits for your answer.',
  open: 'How it ended is not recorded. If it is not under way any more, look at the note.',
  preview: 'The change was shown to the agent, and not made.',
  cancelled: 'It was stopped before its effect.',
};

function whenWords(at: number, now: number): string {
  const short = shortTime(at, now);
  return short.includes(' ') ? short : timeWithSeconds(at);
}

function text(words: string): WhyPart {
  return { kind: 'text', text: words };
}

/** What Ctrl+C takes along: what happened in a sentence, and the entries as they stand there. */
export function copiedEntry(row: AuditRow, now: number): string {
  const when = `${dayWords(row.at, now)} ${timeWithSeconds(row.at)}`;
  if (row.kind === 'damage') return `${when}: ${damageWords(row)}\n${jsonLine(row.text)}`;
  const entries = [row.intent, ...(row.outcome === undefined ? [] : [row.outcome])];
  return [`${when}: ${explainCall(row)}`, ...entries.map((entry) => jsonLine(entry))].join('\n');
}

/** A line of the list: an entry, the day from which on entries are earlier, or what is not read yet. */
export type AuditItem =
  | { readonly kind: 'row'; readonly key: string; readonly row: AuditRow }
  | { readonly kind: 'day'; readonly key: string; readonly at: number }
  | { readonly kind: 'more'; readonly key: 'more'; readonly month: string };

/**
 * The rows with a line where another day begins; the first day stands in the head.
 * @param older month to load, `YYYY-MM`
 */
export function auditItems(
  rows: readonly AuditRow[],
  older: string | undefined,
): readonly AuditItem[] {
  const items: AuditItem[] = [];
  let day = { from: -Infinity, to: Infinity };
  for (const row of rows) {
    const { at, key } = row;
    if (items.length === 0) day = localDay(at);
    if (at < day.from || at >= day.to) {
      day = localDay(at);
      items.push({ kind: 'day', key: `day ${key}`, at });
    }
    items.push({ kind: 'row', key, row });
  }
  return older === undefined ? items : [...items, { kind: 'more', key: 'more', month: older }];
}
