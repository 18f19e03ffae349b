const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "14:26", as the clock on the wall says. */
export function timeOf(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** "Today", "Yesterday", "20 Nov", "20 Nov 2025". */
export function dayOf(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  const days = Math.round((midnight(today) - midnight(then)) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  const words = `${then.getDate()} ${MONTHS[then.getMonth()] ?? ''}`;
  return then.getFullYear() === today.getFullYear() ? words : `${words} ${then.getFullYear()}`;
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
