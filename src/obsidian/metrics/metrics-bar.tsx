import { GROUPS, type Group } from '../../core/metrics/figures';
import type { Metrics } from '../../core/metrics/metrics';
import { isoDate } from '../adapter/platform';
import { t } from '../language/text';
import { Select } from '../ui/fields';
import { Button } from '../ui/icon';

export const PERIODS = [
  ['7', t('metrics.last7')],
  ['30', t('metrics.last30')],
  ['month', t('metrics.month')],
  ['all', t('metrics.all')],
] as const;

export type Period = (typeof PERIODS)[number][0];

export const GROUP_WORDS: Readonly<Record<Group, string>> = {
  day: t('metrics.day'),
  session: t('metrics.session'),
  agent: t('metrics.agent'),
  model: t('metrics.model'),
  engine: t('metrics.engine'),
  task: t('metrics.task'),
  run: t('metrics.run'),
};

export type PickChoices<T> = readonly (readonly [value: T, words: string])[];

export const GROUP_CHOICES: PickChoices<Group> = GROUPS.map((one) => [one, GROUP_WORDS[one]]);

/** The first and last day, where the person is. */
export function daysOf(
  period: Period,
  now: number,
): { readonly from?: string; readonly to?: string } {
  if (period === 'all') return {};
  const today = new Date(now);
  const back = period === 'month' ? today.getDate() - 1 : Number(period) - 1;
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
  return { from: isoDate(first), to: isoDate(today) };
}

/** What is shown, and what can be done with it. */
export function MetricsBar(props: {
  readonly period: Period;
  readonly setPeriod: (period: Period) => void;
  readonly by: Group;
  readonly setBy: (by: Group) => void;
  readonly metrics: Metrics | undefined;
  readonly reading: boolean;
  readonly again: () => void;
  readonly exportCsv: (metrics: Metrics) => void;
}) {
  const { period, setPeriod, by, setBy, metrics, reading, again, exportCsv } = props;
  const isEmpty = metrics === undefined || metrics.rows.length === 0;
  return (
    <div class="atb-problems-bar">
      <Select
        name={t('metrics.period')}
        value={period}
        options={PERIODS}
        onChange={(value) => setPeriod(PERIODS.find(([one]) => one === value)?.[0] ?? '30')}
      />
      <label class="atb-audit-choice">
        <span>{t('metrics.groupBy')}</span>
        <Select
          value={by}
          options={GROUP_CHOICES}
          onChange={(value) => setBy(GROUPS.find((one) => one === value) ?? 'day')}
        />
      </label>
      <span class="atb-problems-count" role="status">
        {reading ? t('metrics.reading') : metrics && notes(metrics)}
      </span>
      <Button words={t('metrics.readAgain')} disabled={reading} onClick={again} />
      <Button
        words={t('metrics.exportCsv')}
        disabled={isEmpty}
        onClick={() => metrics && exportCsv(metrics)}
      />
    </div>
  );
}

function notes({ broken, unread }: Metrics): string {
  return [
    t('metrics.unknownWords'),
    ...(broken > 0 ? [t('metrics.broken', { count: broken })] : []),
    ...(unread.length > 0 ? [t('metrics.unread', { count: unread.length })] : []),
  ].join(' ');
}
