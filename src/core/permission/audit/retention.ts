/**
 * The first month that is kept, `YYYY-MM`; undefined where all are.
 * @param today `YYYY-MM-DD`
 * @param months how many are kept, this one included; 0: all
 */
export function firstKept(today: string, months: number): string | undefined {
  if (months === 0) return undefined;
  const [year = 0, month = 1] = today.split('-').map(Number);
  const first = year * 12 + month - months;
  const of = String(Math.floor(first / 12)).padStart(4, '0');
  return `${of}-${String((first % 12) + 1).padStart(2, '0')}`;
}
