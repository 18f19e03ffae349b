import type { CallRefusals } from '../../protocol/snapshot';
import { progress } from '../../core/board/facts';
import { checkTypedTask } from '../../core/board/note/typed-task';
import type { Board, Status } from '../../core/board/task';
import type { BridgesState } from '../../core/session/bridges';
import type { ConnectionState } from '../../core/session/connection';
import { hostTitle } from '../../core/session/session-host';
import { faultText, t } from '../language/text';

/** Names of statuses. "Ready" and "Waiting" are computed; a person chooses "Ready". */
export const STATUS_WORDS: Readonly<
  Record<Status, { readonly word: string; readonly icon: string }>
> = {
  pending: { word: t('status.pending'), icon: 'square' },
  in_progress: { word: t('status.in_progress'), icon: 'square-dot' },
  completed: { word: t('status.completed'), icon: 'square-check' },
  failed: { word: t('status.failed'), icon: 'octagon-alert' },
  deferred: { word: t('status.deferred'), icon: 'square-chevron-right' },
  cancelled: { word: t('status.cancelled'), icon: 'square-minus' },
};

/** Statuses in the order of menus. */
export const STATUS_ORDER: readonly Status[] = [
  'pending',
  'in_progress',
  'completed',
  'failed',
  'deferred',
  'cancelled',
];

/** What is wrong with a task as the person types it for this board; undefined if it is valid. */
export function typedProblem(board: Board, text: string): string | undefined {
  const typed = checkTypedTask(board, text);
  return typed.ok ? undefined : faultText(typed);
}

/** Number of tasks of several boards that are done, and that count at all. */
export function progressOf(boards: readonly Board[]): { done: number; total: number } {
  const all = boards.map(progress);
  const sum = (key: 'done' | 'total') => all.reduce((count, one) => count + one[key], 0);
  return { done: sum('done'), total: sum('total') };
}

/** "1 done, 1 refused": the outcome of a call with several operations. */
export function refusalWords({ done, refused }: Omit<CallRefusals, 'reason'>): string {
  return t('ui.doneRefused', { done, refused });
}

/** Text for the connection, for the status bar and the phone's toolbar. */
export function connectionWords(
  connection: BridgesState,
  now: number,
): { readonly icon: string; readonly text: string } {
  switch (connection.kind) {
    case 'connected': {
      const { among } = connection;
      const what = among?.mixed === true ? t('ui.programs') : hostTitle(connection);
      if (among === undefined) return { icon: 'plug-zap', text: t('ui.connected', { what }) };
      const { up, of } = among;
      const text =
        up === of ? t('ui.connectedAll', { of, what }) : t('ui.connectedSome', { up, of, what });
      return { icon: 'plug-zap', text };
    }
    case 'connecting':
      return { icon: 'plug-zap', text: t('ui.connecting') };
    case 'disconnected':
      return { icon: 'unplug', text: t('connect.notConnected') };
    case 'reconnecting': {
      const seconds = Math.max(0, Math.ceil((connection.at - now) / 1_000));
      return { icon: 'unplug', text: t('ui.reconnectingIn', { seconds }) };
    }
    case 'failed':
      return {
        icon: 'unplug',
        text: t(connection.code === 'token' ? 'ui.connectionRefused' : 'connect.notConnected'),
      };
  }
}

/** "Disconnect from OpenCode", or from another program, or from several. */
export function disconnectWords(connection: BridgesState & { readonly kind: 'connected' }): string {
  const { among } = connection;
  const what = among?.mixed === true ? t('ui.allPrograms') : hostTitle(connection);
  return t('ui.disconnectFrom', { what });
}

/** Why the connection to a program is being retried. */
export function lossWords(connection: ConnectionState & { readonly kind: 'reconnecting' }): string {
  const { engine, reason } = connection;
  const who = engine === undefined ? t('ui.agentsProgram') : hostTitle({ engine });
  return t(`loss.${reason}`, { who: plainLine(who) });
}

/** Control, invisible and direction-changing characters; joiners are parts of words. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]+/gu;

/**
 * Formats a foreign name or title as one line without characters that could reorder or hide text.
 */
export function plainLine(text: string): string {
  return text.replace(INVISIBLE, ' ').trim();
}

/** Like `plainLine`, for text that may have several lines. */
export function plainLines(text: string): string {
  return text.split('\n').map(plainLine).join('\n');
}

/** "Index format", of "Projects/Index format.md". */
export function noteName(path: string): string {
  if (path === '') return t('ui.aFile');
  return plainLine(path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, ''));
}

/** Local times in words. `now` and `at` are ms since the epoch. */

const MONTHS = t('dates.months').split(' ');

/** "Jan" to "Dec" */
export const SHORT_MONTHS = t('dates.shortMonths').split(' ');

/** "14:08:16" */
export function timeWithSeconds(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(padTwo).join(':');
}

/** "14:40", or with the day if it isn't today: "Yesterday 14:40" */
export function shortTime(at: number, now: number): string {
  const time = timeOfDay(at);
  const day = dayWords(at, now);
  return at >= localDay(now).from && at < localDay(now).to ? time : `${day} ${time}`;
}

/** "Today", "Yesterday", "20 November", "20 November 2025" */
export function dayWords(at: number, now: number): string {
  return dayName(at, now, MONTHS);
}

function dayName(at: number, now: number, months: readonly string[]): string {
  const today = localDay(now);
  if (at >= today.from && at < today.to) return t('dates.today');
  if (localDay(at).to === today.from) return t('dates.yesterday');
  const date = new Date(at);
  const [day, month] = [String(date.getDate()), months[date.getMonth()] ?? ''];
  const year = String(date.getFullYear());
  return date.getFullYear() === new Date(now).getFullYear()
    ? t('dates.day', { day, month })
    : t('dates.dayOfYear', { day, month, year });
}

/** Start and end of the local day that contains `at`; ms since the epoch. */
export function localDay(at: number): { readonly from: number; readonly to: number } {
  const date = new Date(at);
  const midnight = (days: number): number =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
  return { from: midnight(0), to: midnight(1) };
}

/** "October", or "October 2025" if `now` is in another year. @param month `YYYY-MM` */
export function monthWords(month: string, now: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const name = MONTHS[number - 1] ?? month;
  return year === new Date(now).getFullYear()
    ? name
    : t('dates.monthOfYear', { month: name, year: String(year) });
}

/** "38 ms", "2 s", "3 min" */
export function shortDuration(ms: number): string {
  if (ms < 1_000) return t('dates.milliseconds', { n: ms });
  if (ms < 60_000) return t('dates.seconds', { n: Math.round(ms / 1_000) });
  return t('dates.minutes', { n: Math.round(ms / 60_000) });
}

function padTwo(number: number): string {
  return String(number).padStart(2, '0');
}

/** "Today", "Yesterday", "20 Nov", "20 Nov 2025". */
export function shortDay(at: number, now: number): string {
  return dayName(at, now, SHORT_MONTHS);
}

/** "18:00", in local time. @param at ms since the epoch */
export function timeOfDay(at: number): string {
  return timeWithSeconds(at).slice(0, 5);
}

/** End of the local day that contains `at`; ms since the epoch. */
export function endOfDay(at: number): number {
  return new Date(at).setHours(24, 0, 0, 0);
}

/** How long something took: "41 ms", "6 s", "2 min 5 s". */
export function durationWords(ms: number): string {
  if (ms < 1_000) return t('dates.milliseconds', { n: Math.max(0, Math.round(ms)) });
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return t('dates.seconds', { n: seconds });
  const rest = seconds % 60;
  const minutes = Math.floor(seconds / 60);
  return rest === 0
    ? t('dates.minutes', { n: minutes })
    : t('dates.minutesAndSeconds', { minutes, seconds: rest });
}

/** Working time in whole minutes: "50 min", "1 h 34 min", "2 h". */
export function workTime(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), Math.round(minutes % 60)];
  if (hours === 0) return t('dates.minutes', { n: rest });
  if (rest === 0) return t('dates.hours', { n: hours });
  return t('dates.hoursAndMinutes', { hours, minutes: rest });
}
