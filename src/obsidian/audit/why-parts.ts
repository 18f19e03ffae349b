import type { Ending } from '../../core/permission/audit/audit-filter';
import type { CallRow } from '../../core/permission/audit/audit-row';
import { visibleText } from '../../core/permission/audit/visible-text';
import { shortTime, timeOfDay } from './audit-times';

/** A piece of a sentence; `code` is a rule as it is written. */
export type WhyPart = { readonly kind: 'text' | 'code'; readonly text: string };

/** Why a call was allowed, asked or denied, and what came of it, from its entries alone. */
export function whyParts(row: CallRow, ending: Ending, now: number): readonly WhyPart[] {
  const { outcome } = row;
  const answer = outcome?.reply === undefined ? [] : [text(answerWords(row, now))];
  const more = endWords(row, ending);
  return [...answer, ...ruleParts(row), ...(more === undefined ? [] : [text(more)])];
}

function answerWords({ outcome }: CallRow, now: number): string {
  const { reply, answeredAt, message } = outcome ?? {};
  const when = answeredAt === undefined ? '' : ` at ${whenWords(answeredAt, now)}`;
  const said = message === undefined ? '' : ` You said: ${visibleText(message)}`;
  switch (reply) {
    case 'once':
      return `You allowed it once${when}. `;
    case 'always':
      return `You allowed it from then on${when}. `;
    case 'reject':
      return `You denied it${when}.${said} `;
    case 'expired':
      return 'Nobody answered in time, so it was denied. ';
    case undefined:
      return '';
  }
}

function ruleParts({ intent }: CallRow): readonly WhyPart[] {
  const { decider, why } = intent;
  if (decider?.kind !== 'rule') return [text(`${visibleText(why)} `)];
  const [, what = decider.words, action = '', whose = ''] =
    /^(.*), (allow|ask|deny)(?: \((.*)\))?$/s.exec(decider.words) ?? [];
  const end = whose === '' ? ', ' : ` for ${visibleText(whose)}, `;
  return [
    text(`Rule ${decider.number}, `),
    { kind: 'code', text: visibleText(what) },
    text(action === '' ? '. ' : `${end}is set to ${action}. `),
  ];
}

function endWords({ outcome }: CallRow, ending: Ending): string | undefined {
  const message = outcome?.message === undefined ? '' : visibleText(outcome.message);
  switch (ending) {
    case 'waiting':
      return 'It waits for your answer.';
    case 'open':
      return 'How it ended is not recorded. If it is not under way any more, look at the note.';
    case 'preview':
      return 'The change was shown to the agent, and not made.';
    case 'failed':
      return message === '' ? 'It failed.' : `It failed: ${message}`;
    case 'cancelled':
      return 'It was stopped before its effect.';
    case 'denied':
    case 'done':
    case 'damaged':
      return undefined;
  }
}

function whenWords(at: number, now: number): string {
  const short = shortTime(at, now);
  return short.includes(' ') ? short : timeOfDay(at);
}

function text(words: string): WhyPart {
  return { kind: 'text', text: words };
}
