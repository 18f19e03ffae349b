import { parseJson } from '../json';
import type { ModelMessage } from '../model/model-client';
import {
  messageRecords,
  isTurnOpen,
  newestPrompt,
  resultsOf,
  type LoggedAnswer,
  type LoggedPrompt,
  type MessageRecord,
  type LogRecord,
} from './session-log';

/** The result of a call whose turn was interrupted. */
const NO_RESULT =
  'The turn was interrupted. It may have been done all the same: look before you repeat it.';

/** The board that the model was shown last, by prompt; only since the session's newest summary. */
export function shownBoards(records: readonly LogRecord[]): ReadonlyMap<string, string> {
  const shown = records.slice(records.findLastIndex(({ kind }) => kind === 'summary') + 1);
  return new Map(
    shown.flatMap((one) => (one.kind === 'board' ? [[one.prompt, one.text] as const] : [])),
  );
}

/**
 * The messages of a request: the session's newest summary, and all records since. Every call gets a
 * result. Later records only add messages, so that providers find the earlier ones in their caches.
 */
export function modelMessages(records: readonly LogRecord[]): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  const results = resultsOf(records);
  const boards = shownBoards(records);
  const newest = newestPrompt(records);
  const models = new Map(
    records.flatMap((one) => (one.kind === 'prompt' ? [[one.id, one.model] as const] : [])),
  );
  const isOwn = ({ prompt }: LoggedAnswer): boolean =>
    providerOf(models.get(prompt)) === providerOf(newest?.model);
  const user = (text: string): void => {
    const last = messages.at(-1);
    if (last?.role !== 'user') messages.push({ role: 'user', text });
    else messages[messages.length - 1] = { role: 'user', text: `${last.text}\n\n${text}` };
  };
  const prompt = (one: LoggedPrompt): void => {
    user(promptText(one));
    const board = boards.get(one.id);
    if (board !== undefined) user(board);
  };
  const { summary, since } = sinceSummary(records);
  if (summary !== undefined) {
    user(`The conversation so far, in short:\n\n${summary}`);
    const goesOn = newest !== undefined && !since.includes(newest) && isTurnOpen(records);
    if (goesOn) {
      user('You were working on this prompt. Go on where you stopped:');
      prompt(newest);
    }
  }
  for (const one of since) {
    if (one.kind === 'prompt') prompt(one);
    if (one.kind !== 'answer') continue;
    if (one.text !== '' || one.calls.length > 0) messages.push(assistant(one, isOwn(one)));
    for (const { id } of one.calls) {
      const { output = NO_RESULT, ok = false } = results.get(id) ?? {};
      messages.push({ role: 'tool', callId: id, output, failed: !ok });
    }
  }
  return messages;
}

/**
 * Maximum characters of an answer that are sent back: a longer one did not end by itself, and would
 * fill every further request.
 */
const MAX_ANSWER = 400_000;

function truncateAnswer(text: string): string {
  return text.length <= MAX_ANSWER ? text : `${text.slice(0, MAX_ANSWER)}\n(cut here)`;
}

/** @param isOwn whether the provider of the request gave the answer; others refuse what it signed */
function assistant({ text, calls, thinking }: LoggedAnswer, isOwn: boolean): ModelMessage {
  const { text: thought = '', signed } = thinking ?? {};
  return {
    role: 'assistant',
    text: truncateAnswer(text),
    calls: isOwn ? calls : calls.map(({ id, name, args }) => ({ id, name, args })),
    ...(isOwn && signed !== undefined && { thinking: { text: thought, signed } }),
  };
}

function providerOf(model = ''): string {
  return model.slice(0, model.indexOf('/'));
}

/** The parsed arguments of a call; undefined if they are not a JSON object. */
export function argumentsOf(args: string): Readonly<Record<string, unknown>> | undefined {
  const value = args.trim() === '' ? {} : parseJson(args);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

function promptText({ text, along }: LoggedPrompt): string {
  return along === undefined ? text : `${text}\n\n${along}`;
}

function sinceSummary(records: readonly LogRecord[]): {
  readonly summary: string | undefined;
  readonly since: readonly MessageRecord[];
} {
  const spoken = messageRecords(records);
  const at = spoken.findLastIndex(({ kind }) => kind === 'summary');
  const summary = spoken[at];
  return {
    summary: summary?.kind === 'summary' ? summary.text : undefined,
    since: spoken.slice(at + 1),
  };
}

/**
 * Maximum characters of a tool's answer in the text for a summary, and how many of the newest answers
 * it includes.
 */
const MAX_RESULT = 1_500;
const NEWEST_RESULTS = 12;

/**
 * The text to summarize: a single text, so that no tools need to be offered. Old answers of tools
 * are left out.
 */
export function textToSummarize(records: readonly LogRecord[]): string {
  const { summary, since } = sinceSummary(records);
  const results = resultsOf(records);
  const answered = since.flatMap((one) => (one.kind === 'answer' ? one.calls : []));
  const kept = new Set(answered.slice(-NEWEST_RESULTS).map(({ id }) => id));
  const lines = since.flatMap((one) => {
    if (one.kind === 'prompt') return [`## The person\n${promptText(one)}`];
    if (one.kind !== 'answer') return [];
    const calls = one.calls.map(({ id, name, args }) => {
      const { output = NO_RESULT } = results.get(id) ?? {};
      const shown = kept.has(id) ? output.slice(0, MAX_RESULT) : '(left out)';
      return `### Call of ${name}\n${args.slice(0, MAX_RESULT)}\n### Answer of ${name}\n${shown}`;
    });
    return [...(one.text === '' ? [] : [`## The agent\n${truncateAnswer(one.text)}`]), ...calls];
  });
  const before = summary === undefined ? [] : [`## Summary of what came before\n${summary}`];
  return [...before, ...lines].join('\n\n');
}
