/** Local times in words. `now` and `at` are ms since the epoch. */

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

/** "14:08:16" */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/** "14:40", or with its day where that is another: "Yesterday 14:40" */
export function shortTime(at: number, now: number): string {
  const time = timeOfDay(at).slice(0, 5);
  const day = dayWords(at, now);
  return day === 'Today' ? time : `${day} ${time}`;
}

/** "Today", "Yesterday", "20 November", "20 November 2025" */
export function dayWords(at: number, now: number): string {
  const today = dayOf(now);
  if (at >= today.from && at < today.to) return 'Today';
  if (dayOf(at).to === today.from) return 'Yesterday';
  const day = new Date(at);
  const words = `${day.getDate()} ${MONTHS[day.getMonth()] ?? ''}`;
  return day.getFullYear() === new Date(now).getFullYear()
    ? words
    : `${words} ${day.getFullYear()}`;
}

/** Where a local day begins and ends. */
export function dayOf(at: number): { readonly from: number; readonly to: number } {
  const date = new Date(at);
  const midnight = (days: number): number =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
  return { from: midnight(0), to: midnight(1) };
}

/** "October", or "October 2025" where `now` is in another year. @param month `YYYY-MM` */
export function monthWords(month: string, now: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const name = MONTHS[number - 1] ?? month;
  return year === new Date(now).getFullYear() ? name : `${name} ${year}`;
}

/** "38 ms", "2 s", "3 min" */
export function howLong(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
