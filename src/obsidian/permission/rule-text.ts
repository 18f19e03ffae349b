import { endOfDay } from '../ui/text';
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

export const ANSWERS: Readonly<Record<AccessVerdict, { word: string; icon: string }>> = {
  allow: { word: 'Allow', icon: 'check' },
  ask: { word: 'Ask', icon: 'shield-question-mark' },
  deny: { word: 'Deny', icon: 'ban' },
};

/** A session that rules may name. */
export interface NamedSession {
  readonly id: string;
  readonly title: string;
}

type RuleText = ReturnType<typeof ruleText>;

/** What a table says of one rule. @param now ms since the epoch */
export function ruleText(
  rule: Rule,
  sessions: readonly NamedSession[],
  now: number,
  preset: boolean,
) {
  const { agent, session, permission, pattern, until } = rule;
  return {
    agent: agent === undefined ? 'Anyone' : visibleText(agent),
    session: session === undefined ? 'Any' : sessionName(session, sessions),
    action: ACTION_WORDS[permission],
    notes: permission === 'tasks' ? 'boards' : visibleText(pattern),
    from: preset ? 'Preset' : endText(until, now),
    /** it counts for nothing any more */
    over: until !== undefined && until <= now,
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

const HOUR = 3_600_000;

/** When a rule ends that is set now; undefined: by the person's hand. */
export function endOf(choice: string, now: number): number | undefined {
  if (choice === 'hour') return now + HOUR;
  return choice === 'today' ? endOfDay(now) : undefined;
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
  return [...whom, text.action, ANSWERS[answer].word, ...end].join(' · ');
}
