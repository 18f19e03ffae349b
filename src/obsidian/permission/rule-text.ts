import { endOfDay, plainLine, SHORT_MONTHS, timeOfDay } from '../ui/text';
import { visibleText } from '../../core/permission/audit/redact';
import type { Decision } from '../../core/permission/decide';
import type { PermissionName, Rule, AccessVerdict } from '../../core/permission/rule';
import { COMMA, t } from '../language/text';

export const ACTION_WORDS: Readonly<Record<PermissionName, string>> = {
  read: t('permission.actionRead'),
  write: t('permission.actionWrite'),
  create: t('permission.actionCreate'),
  update: t('permission.actionUpdate'),
  delete: t('permission.actionDelete'),
  tasks: t('permission.actionTasks'),
  '*': t('permission.everything'),
};

export const VERDICT_LABELS: Readonly<Record<AccessVerdict, { word: string; icon: string }>> = {
  allow: { word: t('permission.allow'), icon: 'check' },
  ask: { word: t('permission.ask'), icon: 'shield-question-mark' },
  deny: { word: t('permission.deny'), icon: 'ban' },
};

/** The verdicts as words within a sentence. */
export const VERDICT_WORDS: Readonly<Record<AccessVerdict, string>> = {
  allow: t('permission.allowWord'),
  ask: t('permission.askWord'),
  deny: t('permission.denyWord'),
};

/** The rule or the preset that decided, in words. */
export function deciderWords(decider: Extract<Decision['rule'], { words: string }>): string {
  return decider.kind === 'rule'
    ? t('permission.ruleNumber', { number: decider.number })
    : t('permission.thePreset');
}

/** Whom a rule concerns; empty: everyone. */
export function subjectWords({ agent, session }: Pick<Rule, 'agent' | 'session'>): string {
  return [
    ...(agent === undefined ? [] : [plainLine(agent)]),
    ...(session === undefined ? [] : [t('ask.sessionNamed', { session: plainLine(session) })]),
  ].join(COMMA);
}

/** A session that rules may name. */
export interface NamedSession {
  readonly id: string;
  readonly title: string;
}

type RuleText = ReturnType<typeof ruleText>;

/**
 * The texts of a rule in the table.
 * @param now ms since the epoch
 */
export function ruleText(
  rule: Rule,
  sessions: readonly NamedSession[],
  now: number,
  preset: boolean,
) {
  const { agent, session, permission, pattern, until } = rule;
  return {
    agent: agent === undefined ? t('permission.anyone') : visibleText(agent),
    session: session === undefined ? t('permission.any') : sessionName(session, sessions),
    action: ACTION_WORDS[permission],
    notes: permission === 'tasks' ? t('permission.boards') : visibleText(pattern),
    from: preset ? t('permission.preset') : endText(until, now),
    /** it has expired */
    expired: until !== undefined && until <= now,
  };
}

/** The session's title if known, else its id. */
export function sessionName(id: string, sessions: readonly NamedSession[]): string {
  return visibleText(sessions.find((session) => session.id === id)?.title ?? id);
}

/** "Until 18:00", "Expired 21 Nov, 18:00"; "You" for a rule that only the person ends. */
function endText(until: number | undefined, now: number): string {
  if (until === undefined) return t('common.you');
  const time = momentText(until, now);
  return until <= now ? t('permission.expiredAt', { time }) : t('permission.untilTime', { time });
}

const HOUR = 3_600_000;

/** When a new rule ends; undefined: only the person ends it. */
export function expiryOf(choice: string, now: number): number | undefined {
  if (choice === 'hour') return now + HOUR;
  return choice === 'today' ? endOfDay(now) : undefined;
}

/** The time, with the day unless it is today. */
export function momentText(at: number, now: number): string {
  const date = new Date(at);
  const time = timeOfDay(at);
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const words = { day: date.getDate(), month: SHORT_MONTHS[date.getMonth()] ?? '' };
  const year = date.getFullYear();
  const day =
    year === new Date(now).getFullYear()
      ? t('dates.day', words)
      : t('dates.dayOfYear', { ...words, year: String(year) });
  return t('permission.momentOfDay', { day, time });
}

/** One line for a list: "Anyone · write · Ask". */
export function ruleLine(text: RuleText, answer: AccessVerdict): string {
  const whom = text.session === t('permission.any') ? [text.agent] : [text.agent, text.session];
  const end = text.from === t('common.you') ? [] : [text.from];
  return [...whom, text.action, VERDICT_LABELS[answer].word, ...end].join(' · ');
}
