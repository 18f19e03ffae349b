/** "18:00", where the person is. @param at ms since the epoch */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** When the day ends that a moment is in, where the person is; ms since the epoch. */
export function endOfDay(at: number): number {
  return new Date(at).setHours(24, 0, 0, 0);
}
