import { visibleText } from '../../core/permission/audit/redact';
import type { PermissionName, Rule, AccessVerdict } from '../../core/permission/rule';

export const ACTION_WORDS: Readonly<Record<PermissionName, string>> = {
  read: 'read',
  write: 'write',
  create: 'create',
  update: 'update',
  delete: 'delete',
  tasks: 'tasks',
  '*': 'everything',
};

export const ANSWER_WORDS: Readonly<Record<AccessVerdict, string>> = {
  allow: 'Allow',
  ask: 'Ask',
  deny: 'Deny',
};

export const ANSWER_ICONS: Readonly<Record<AccessVerdict, string>> = {
  allow: 'check',
  ask: 'shield-question-mark',
  deny: 'ban',
};

/** A session that rules may name. */
export interface NamedSession {
  readonly id: string;
  readonly title: string;
}

/** What a table says of one rule. */
export interface RuleText {
  readonly agent: string;
  readonly session: string;
  readonly action: string;
  readonly notes: string;
  readonly from: string;
  /** it counts for nothing any more */
  readonly over: boolean;
}

/** @param now ms since the epoch */
export function ruleText(
  rule: Rule,
  sessions: readonly NamedSession[],
  now: number,
  preset: boolean,
): RuleText {
  const { agent, session, permission, pattern, until } = rule;
  const over = until !== undefined && until <= now;
  return {
    agent: agent === undefined ? 'Anyone' : visibleText(agent),
    session: session === undefined ? 'Any' : sessionName(session, sessions),
    action: ACTION_WORDS[permission],
    notes: permission === 'tasks' ? 'boards' : visibleText(pattern),
    from: preset ? 'Preset' : endText(until, now),
    over,
  };
}

/** By its title where it is known. */
export function sessionName(id: string, sessions: readonly NamedSession[]): string {
  return visibleText(sessions.find((session) => session.id === id)?.title ?? id);
}

/** "Until 18:00", "Expired 21 Nov, 18:00"; "You" for a rule without an end. */
function endText(until: number | undefined, now: number): string {
  if (until === undefined) return 'You';
  return `${until <= now ? 'Expired' : 'Until'} ${momentText(until, now)}`;
}

/** The time, and the day where that is not today's. */
export function momentText(at: number, now: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const year = date.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' };
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const options = { day: 'numeric', month: 'short', ...year } as const;
  return `${date.toLocaleDateString('en-GB', options as Intl.DateTimeFormatOptions)}, ${time}`;
}

/** One line for a list: "Anyone · write · Ask". */
export function ruleLine(text: RuleText, answer: AccessVerdict): string {
  const whom = text.session === 'Any' ? [text.agent] : [text.agent, text.session];
  const end = text.from === 'You' ? [] : [text.from];
  return [...whom, text.action, ANSWER_WORDS[answer], ...end].join(' · ');
}
