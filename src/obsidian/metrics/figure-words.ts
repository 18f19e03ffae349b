import { isTime, type FigureRow, type Measure } from '../../core/metrics/figures';
import { figure, languageCode, t } from '../language/text';
import { durationWords, workTime } from '../ui/text';

/** Names a row. */
export type RowNames = (row: Pick<FigureRow, 'key' | 'title'>) => string;

const AMOUNT = new Intl.NumberFormat(languageCode, {
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** A figure as text; `?` if unknown. */
export function figureWords(measure: Measure, value: number | null): string {
  if (value === null) return t('metrics.unknownSign');
  if (isTime(measure)) return waitDuration(value);
  if (measure === 'cost')
    return t('metrics.dollars', { amount: value.toFixed(value < 0.01 ? 4 : 2) });
  return value < 10_000 ? figure(Math.round(value)) : AMOUNT.format(value);
}

/** "45 s", "3 h 20 min", "2 d 4 h" */
export function waitDuration(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 60) return durationWords(minutes < 10 ? ms : Math.round(minutes) * 60_000);
  if (minutes < 48 * 60) return workTime(Math.round(minutes));
  const hours = Math.floor(minutes / 60);
  return t('metrics.days', { days: Math.floor(hours / 24), hours: hours % 24 });
}
