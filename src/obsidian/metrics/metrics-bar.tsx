import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import * as z from 'zod/mini';
import { lazy } from '../../core/lazy';
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
  ['own', t('metrics.ownDays')],
] as const;

export type Period = (typeof PERIODS)[number][0];

/** The person's choices, stored in the view's state. */
export interface MetricsChoice {
  readonly period: Period;
  /** first and last day of a custom period, `YYYY-MM-DD`; empty: unbounded */
  readonly from: string;
  readonly to: string;
  readonly by: Group;
}

const choiceSchema = lazy(() => {
  const day = z.catch(z.string().check(z.regex(/^(\d{4}-\d\d-\d\d)?$/)), '');
  return z.object({
    period: z.catch(z.enum(PERIODS.map(([one]) => one)), '30'),
    ...{ from: day, to: day },
    by: z.catch(z.enum(GROUPS), 'day'),
  });
});

/** Reads the choices from a view's state, which anyone may have written. */
export function readChoice(state: unknown): MetricsChoice {
  return choiceSchema().parse(state ?? {});
}

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

/** The first and last day, in local time. */
export function daysOf(
  { period, from, to }: MetricsChoice,
  now: number,
): { readonly from?: string; readonly to?: string } {
  if (period === 'all') return {};
  if (period === 'own') return { ...(from !== '' && { from }), ...(to !== '' && { to }) };
  const today = new Date(now);
  const back = period === 'month' ? today.getDate() - 1 : Number(period) - 1;
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
  return { from: isoDate(first), to: isoDate(today) };
}

/** Changes the period; a custom period starts with the days shown before. */
export function withPeriod(choice: MetricsChoice, period: Period, now: number): MetricsChoice {
  const days = period === 'own' && choice.period !== 'own' ? daysOf(choice, now) : choice;
  return { ...choice, period, from: days.from ?? '', to: days.to ?? '' };
}

export function isReversed({ period, from, to }: MetricsChoice): boolean {
  return period === 'own' && to !== '' && from > to;
}

export interface BarProps {
  readonly choice: MetricsChoice;
  readonly choose: (choice: MetricsChoice) => void;
  readonly setPeriod: (period: Period) => void;
  /** undefined: nothing is read yet, or the days are invalid */
  readonly metrics: Metrics | undefined;
  readonly reading: boolean;
  readonly again: () => void;
  readonly exportCsv: (metrics: Metrics) => void;
  readonly firstDay: RefObject<HTMLInputElement | null>;
}

/** The choices of what is shown, and the actions on it. */
export function MetricsBar(props: BarProps) {
  const { choice, choose, setPeriod, metrics, reading, again, exportCsv } = props;
  const isEmpty = metrics === undefined || metrics.rows.length === 0;
  return (
    <div class="atb-problems-bar">
      <Select
        name={t('metrics.period')}
        value={choice.period}
        options={PERIODS}
        onChange={(value) => setPeriod(PERIODS.find(([one]) => one === value)?.[0] ?? '30')}
      />
      {choice.period === 'own' && <CustomDays {...props} />}
      <label class="atb-audit-choice">
        <span>{t('metrics.groupBy')}</span>
        <Select
          value={choice.by}
          options={GROUP_CHOICES}
          onChange={(value) =>
            choose({ ...choice, by: GROUPS.find((one) => one === value) ?? 'day' })
          }
        />
      </label>
      <span class="atb-problems-count" role="status">
        {reading ? t('metrics.reading') : metrics && statusNotes(metrics, choice)}
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

/** The fields for the first and the last day. An incompletely typed day is ignored. */
function CustomDays({ choice, choose, firstDay }: BarProps) {
  const [partial, setPartial] = useState<readonly string[]>([]);
  return (
    <>
      <div class="atb-metrics-days">
        {' '}
        {(['from', 'to'] as const).map((end) => {
          const name = t(end === 'from' ? 'metrics.firstDay' : 'metrics.lastDay');
          const handleInput = ({
            currentTarget,
          }: {
            readonly currentTarget: HTMLInputElement;
          }): void => {
            const { value, validity } = currentTarget;
            const others = partial.filter((one) => one !== name);
            setPartial(validity.badInput ? [...others, name] : others);
            if (value !== choice[end]) choose({ ...choice, [end]: value });
          };
          return (
            <label class="atb-audit-choice" key={end}>
              <span>{name}</span>
              <input
                {...(end === 'from' && { ref: firstDay })}
                type="date"
                // Limits the year to four digits.
                max="9999-12-31"
                value={choice[end]}
                aria-invalid={partial.includes(name) || isReversed(choice)}
                onInput={handleInput}
                onBlur={handleInput}
              />
            </label>
          );
        })}
      </div>
      <span class="atb-form-problem" role="status">
        {[
          ...partial.map((name) => t('metrics.partialDay', { name })),
          ...(isReversed(choice) ? [t('metrics.turned')] : []),
        ].join(' ')}
      </span>
    </>
  );
}

function statusNotes(
  { broken, unread, tasksSince }: Metrics,
  { period, from, to }: MetricsChoice,
): string {
  const isOpen = period === 'own' && from === '' && to === '';
  return [
    ...(isOpen ? [t('metrics.noDays')] : []),
    ...(period === 'own' && from === '' && !isOpen ? [t('metrics.noFirstDay')] : []),
    ...(period === 'own' && to === '' && !isOpen ? [t('metrics.noLastDay')] : []),
    t('metrics.unknownWords'),
    ...(tasksSince === null ? [] : [t('metrics.tasksSince', { day: tasksSince })]),
    ...(broken > 0 ? [t('metrics.broken', { count: broken })] : []),
    ...(unread.length > 0 ? [t('metrics.unread', { count: unread.length })] : []),
  ].join(' ');
}
