import type {
  AuditRow,
  CallRow,
  AuditStatus,
  IntentRecord,
} from '../../core/permission/audit/audit-rows';
import { h, type ComponentChildren } from 'preact';
import { deciderWords, VERDICT_WORDS as ANSWER_WORDS, subjectWords } from '../permission/rule-text';
import { jsonLine, visibleText } from '../../core/permission/audit/redact';
import { dayWords, localDay, refusalWords, shortTime, timeWithSeconds } from '../ui/text';
import { explainCall } from '../../core/permission/audit/explain-call';
import { t, tNodes, translated } from '../language/text';

/** Looks up the names of ids, as far as they are known. */
export interface NameLookup {
  session(id: string): string | undefined;
  /** title of a task of any board; a session may work on the board of another */
  task(id: string): string | undefined;
}

/** Our tools, with the text for a pending and for a finished call. */
const TOOLS: ReadonlyMap<string, readonly [does: string, did: DoneKey]> = new Map([
  ['tasks', [t('audit.tasks'), 'audit.tasksOf']],
  ['search_vault', [t('audit.searchVault'), 'audit.searchedFor']],
  ['read_note', [t('audit.readNote'), 'audit.readOf']],
  ['list_notes', [t('ask.listNotesShort'), 'audit.listedOf']],
  ['get_note_metadata', [t('audit.lookAtNote'), 'audit.lookedAt']],
  ['create_note', [t('audit.createNote'), 'audit.createdOf']],
  ['update_note', [t('audit.updateNote'), 'audit.updatedOf']],
  ['undo', [t('common.undo'), 'audit.undidOf']],
]);

type DoneKey = `audit.${
  | 'tasksOf'
  | 'searchedFor'
  | 'readOf'
  | 'listedOf'
  | 'lookedAt'
  | 'createdOf'
  | 'updatedOf'
  | 'undidOf'}`;

/** Maximum UTF-16 units of an object in its line. */
const MAX_OBJECT_LENGTH = 200;

/** In the order of the filter's options. */
export const ENDINGS = {
  waiting: { word: t('audit.waiting'), icon: 'hand' },
  done: { word: t('common.done'), icon: 'check' },
  preview: { word: t('audit.preview'), icon: 'eye' },
  denied: { word: t('audit.denied'), icon: 'ban' },
  failed: { word: t('audit.failed'), icon: 'circle-alert' },
  cancelled: { word: t('audit.cancelled'), icon: 'circle-minus' },
  open: { word: t('audit.notRecorded'), icon: 'circle-dashed' },
  damaged: { word: t('audit.damaged'), icon: 'triangle-alert' },
} as const satisfies Readonly<Record<AuditStatus, object>>;

/** How a call ended: "Done", or if part of it was refused "1 done, 1 refused". */
export function endingWords(row: AuditRow, ending: AuditStatus) {
  const refusals = row.kind === 'call' ? row.outcome?.refusals : undefined;
  if (refusals === undefined) return ENDINGS[ending];
  return { word: refusalWords(refusals), icon: 'circle-alert' };
}

/** "Update note"; for other tools their own name. */
export function toolWord(tool: string): string {
  return TOOLS.get(plainName(tool))?.[0] ?? visibleText(tool);
}

export function sessionWord({ sessionId, sessionTitle }: IntentRecord, names: NameLookup): string {
  if (sessionId === undefined) return sessionTitle ?? t('audit.noSession');
  return visibleText(names.session(sessionId) ?? sessionTitle ?? sessionId);
}

/** The object of a call: a note's name, a search text, or the operations on tasks. */
export function objectWord({ intent, outcome }: CallRow): string {
  const { operation, path = '', tool } = intent;
  const query = fieldOf(intent.args, 'query');
  if (query !== undefined) return truncate(`“${query}”`);
  if (plainName(tool) === 'tasks' || operation === 'tasks')
    return truncate(outcome?.title ?? t('audit.itsBoard'));
  if (plainName(tool) === 'list_notes' && path === '') return t('audit.theWholeVault');
  return truncate(
    visibleNoteName(path === '' ? (fieldOf(intent.args, 'path') ?? t('audit.noNote')) : path),
  );
}

/** Briefly, why the call was allowed, asked or denied. */
export function whyWord({ intent, outcome }: CallRow): string {
  const { verdict, decider, by, operation } = intent;
  if (by === 'person') return t('audit.byHand');
  if (outcome?.reply !== undefined) return REPLIES[outcome.reply];
  const was = VERDICTS[verdict];
  if (decider === undefined) return outcome?.result === 'failed' ? t('audit.checkFailed') : was;
  const low = { verdict: LOWERCASE_VERDICTS[verdict] };
  const byRule = decider.kind === 'rule' || decider.kind === 'preset';
  if (byRule && operation === 'tasks' && verdict === 'allow') return t('audit.boardsVerdict', low);
  if (decider.kind === 'rule') return t('audit.ruleVerdict', { ...low, number: decider.number });
  return t(`audit.${decider.kind}Verdict`, low);
}

const VERDICTS = {
  allow: t('audit.wasAllowed'),
  ask: t('audit.wasAsked'),
  deny: t('audit.wasDenied'),
} as const;

const LOWERCASE_VERDICTS = {
  allow: t('audit.allowedWord'),
  ask: t('audit.askedWord'),
  deny: t('audit.deniedWord'),
} as const;

const REPLIES = {
  once: t('audit.youAllowedOnce'),
  always: t('audit.youAllowedAlways'),
  reject: t('audit.youDenied'),
  expired: t('audit.nobodyAnswered'),
} as const;

/** The accessible name of a row: "14:21, writer, Update note 2026-11-20, Denied by rule 2". */
export function rowSentence(row: AuditRow, ending: AuditStatus, time: string): string {
  if (row.kind === 'damage') return t('audit.damageAt', { time, what: damageWords(row) });
  const { intent } = row;
  const tool = toolWord(intent.tool);
  return t('audit.callAt', {
    ...{ time, agent: visibleText(intent.agent), tool, object: objectWord(row) },
    ending: endingSentence(row, ending),
  });
}

function endingSentence(row: CallRow, ending: AuditStatus): string {
  const ended = endingWords(row, ending).word;
  const { decider } = row.intent;
  if (ending === 'denied' && row.outcome?.reply === undefined) {
    if (decider?.kind === 'rule')
      return t('audit.endedByRule', { ending: ended, number: decider.number });
    if (decider?.kind === 'preset') return t('audit.endedByPreset', { ending: ended });
  }
  return t('audit.endedSince', { ending: ended, why: whyWord(row) });
}

export function damageWords(row: AuditRow & { kind: 'damage' }): string {
  return row.repaired
    ? t('audit.entryTorn')
    : t('audit.noEntryAt', { line: row.line, file: row.file });
}

/** "Updated Index format" if it was done, else "Update note Index format". */
export function detailTitle(row: CallRow): string {
  const { tool } = row.intent;
  const object = objectWord(row);
  const did = TOOLS.get(plainName(tool))?.[1];
  return row.outcome?.result !== 'done' || did === undefined
    ? t('audit.callOf', { tool: toolWord(tool), object })
    : t(did, { object });
}

/** All texts of a row, for the filter. */
export function rowWords(row: AuditRow, names: NameLookup): string {
  if (row.kind === 'damage') return `${damageWords(row)} ${row.text}`;
  const { intent, outcome } = row;
  const { agent, path = '', task = '', why } = intent;
  const title = task === '' ? '' : (names.task(task) ?? '');
  return [
    ...[agent, toolWord(intent.tool), intent.tool, sessionWord(intent, names), path],
    ...[objectWord(row), task, title, whyWord(row), why, outcome?.message ?? ''],
  ].join(' ');
}

export function visibleNoteName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return visibleText(name.replace(/\.md$/i, ''));
}

/** The tool's name without the prefix that OpenCode or the tool itself adds. */
function plainName(tool: string): string {
  return tool.replace(/^obsidian[._]/, '');
}

function fieldOf(args: unknown, field: string): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const found = new Map<string, unknown>(Object.entries(args)).get(field);
  return typeof found === 'string' ? found : undefined;
}

function truncate(text: string): string {
  return visibleText(
    text.length > MAX_OBJECT_LENGTH ? `${text.slice(0, MAX_OBJECT_LENGTH)}…` : text,
  );
}

/** Why a call was allowed, asked or denied, and its result, from its entries alone. */
export function whyParts(
  row: CallRow,
  ending: AuditStatus,
  now: number,
): readonly ComponentChildren[] {
  return [...answerWords(row, now), ruleParts(row), endWords(row, ending) ?? '']
    .filter((sentence) => sentence !== '')
    .flatMap((sentence, at) => (at === 0 ? [sentence] : [' ', sentence]));
}

function answerWords({ outcome }: CallRow, now: number): readonly string[] {
  const { reply, answeredAt, message } = outcome ?? {};
  if (reply === undefined) return [];
  if (reply === 'expired') return [t('audit.deniedInTime')];
  const when = answeredAt === undefined ? undefined : { time: whenWords(answeredAt, now) };
  const answer = REPLY_KEYS[reply];
  const sentence = when === undefined ? t(`audit.${answer}`) : t(`audit.${answer}At`, when);
  if (reply !== 'reject' || message === undefined) return [sentence];
  return [sentence, t('audit.youSaid', { message: visibleText(message) })];
}

const REPLY_KEYS = { once: 'allowedOnce', always: 'allowedAlways', reject: 'deniedIt' } as const;

function ruleParts({ intent }: CallRow): ComponentChildren {
  const { decider, rule, verdict, why } = intent;
  if (decider?.kind !== 'rule' && decider?.kind !== 'preset') return visibleText(translated(why));
  const target = h('code', null, visibleText(rule?.target ?? decider.words));
  const words = { decider: deciderWords(decider), rule: target };
  if (rule === undefined) return tNodes('audit.ruleIs', words);
  const values = { ...words, action: ANSWER_WORDS[verdict] };
  const whose = subjectWords(rule);
  return whose === ''
    ? tNodes('audit.ruleSetTo', values)
    : tNodes('audit.ruleSetToFor', { ...values, whose: visibleText(whose) });
}

function endWords({ outcome }: CallRow, ending: AuditStatus): string | undefined {
  const message = outcome?.message === undefined ? '' : visibleText(outcome.message);
  if (outcome?.refusals !== undefined) {
    return t('audit.refusedSince', { refusals: refusalWords(outcome.refusals), message });
  }
  if (ending !== 'failed') return END_WORDS[ending];
  return message === '' ? t('audit.itFailed') : t('audit.itFailedSince', { message });
}

const END_WORDS: Partial<Readonly<Record<AuditStatus, string>>> = {
  waiting: t('audit.waitsForYou'),
  open: t('audit.endNotRecorded'),
  preview: t('audit.onlyShown'),
  cancelled: t('audit.wasStopped'),
};

function whenWords(at: number, now: number): string {
  const short = shortTime(at, now);
  return short.includes(' ') ? short : timeWithSeconds(at);
}

/** The text that Ctrl+C copies: a sentence about what happened, and the entries as stored. */
export function copiedEntry(row: AuditRow, now: number): string {
  const when = `${dayWords(row.at, now)} ${timeWithSeconds(row.at)}`;
  if (row.kind === 'damage') return `${when}: ${damageWords(row)}\n${jsonLine(row.text)}`;
  const entries = [row.intent, ...(row.outcome === undefined ? [] : [row.outcome])];
  return [`${when}: ${explainCall(row)}`, ...entries.map((entry) => jsonLine(entry))].join('\n');
}

/**
 * A line of the list: an entry, a heading where an earlier day begins, or a month that is not
 * loaded.
 */
export type AuditItem =
  | { readonly kind: 'row'; readonly key: string; readonly row: AuditRow }
  | { readonly kind: 'day'; readonly key: string; readonly at: number }
  | { readonly kind: 'more'; readonly key: 'more'; readonly month: string };

/**
 * The rows, with a line where another day begins; the head shows the first day.
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
