import { useMemo } from 'preact/hooks';
import type { Figures, FigureRow, Measure } from '../../core/metrics/figures';
import type { Metrics } from '../../core/metrics/metrics';
import { isoDate } from '../adapter/platform';
import { COMMA, t } from '../language/text';
import { useAccessibleName } from '../ui/icon';
import { HorizontalBars, VerticalBars, type ChartRow, type Series } from './chart';
import { figureWords, type RowNames } from './figure-words';
import { GROUP_WORDS } from './metrics-bar';
import { FiguresTable } from './figures-table';

/** A chart with its table: the series of its bars, and further columns of the table. */
interface Chart {
  readonly id: string;
  readonly title: string;
  readonly series: readonly Series[];
  readonly more: readonly Series[];
}

export const CHARTS: readonly Chart[] = [
  {
    ...{ id: 'atb-tokens', title: t('metrics.tokens') },
    series: [
      { measure: 'tokensIn', name: t('metrics.tokensIn') },
      { measure: 'tokensOut', name: t('metrics.tokensOut') },
      { measure: 'tokensCached', name: t('metrics.tokensCached') },
    ],
    more: [
      { measure: 'turns', name: t('metrics.turns') },
      { measure: 'cost', name: t('metrics.cost') },
    ],
  },
  {
    ...{ id: 'atb-times', title: t('metrics.times') },
    series: [
      { measure: 'workingMs', name: t('metrics.working') },
      { measure: 'waitedPersonMs', name: t('metrics.waitedPerson') },
      { measure: 'waitedModelMs', name: t('metrics.waitedModel') },
    ],
    more: [
      { measure: 'calls', name: t('metrics.calls') },
      { measure: 'failures', name: t('metrics.failed') },
    ],
  },
  {
    ...{ id: 'atb-tasks', title: t('metrics.tasks') },
    series: [
      { measure: 'done', name: t('metrics.done') },
      { measure: 'reopened', name: t('metrics.reopened') },
      { measure: 'sentBack', name: t('metrics.sentBack') },
    ],
    more: [
      { measure: 'leadMs', name: t('metrics.lead') },
      { measure: 'blockedMs', name: t('metrics.blocked') },
    ],
  },
  {
    ...{ id: 'atb-audited', title: t('metrics.audited') },
    series: [
      { measure: 'auditedDone', name: t('metrics.carriedOut') },
      { measure: 'auditedFailures', name: t('metrics.failed') },
      { measure: 'denied', name: t('metrics.denied') },
    ],
    more: [{ measure: 'auditedCalls', name: t('metrics.allCalls') }],
  },
  {
    ...{ id: 'atb-permissions', title: t('metrics.permissions') },
    series: [
      { measure: 'allowedOnce', name: t('metrics.once') },
      { measure: 'allowedAlways', name: t('metrics.always') },
      { measure: 'rejected', name: t('metrics.rejected') },
      { measure: 'expired', name: t('metrics.expired') },
    ],
    more: [{ measure: 'asked', name: t('metrics.asked') }],
  },
];

/** The sums over all rows. */
export function Totals(total: Figures) {
  const part = (measure: Measure) => figureWords(measure, total[measure]);
  const priced =
    total.turns !== null && total.cost !== null && total.pricedTurns !== total.turns
      ? t('metrics.ofTurns', { known: total.pricedTurns ?? 0, all: total.turns })
      : '';
  const failed = total.auditedFailures
    ? t('metrics.ofThemFailed', { count: total.auditedFailures })
    : '';
  const totals = [
    [t('metrics.turns'), part('turns'), ''],
    [t('metrics.cost'), part('cost'), priced],
    [t('metrics.calls'), part('calls'), ''],
    [t('metrics.audited'), part('auditedCalls'), failed],
    [t('metrics.done'), part('done'), ''],
    [t('metrics.lead'), part('leadMs'), ''],
    [t('metrics.waitedPerson'), part('waitedPersonMs'), ''],
  ] as const;
  return (
    <dl class="atb-metrics-totals">
      {totals.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {more !== '' && <small>{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Maximum bars. */
const [MAX_DAYS, MAX_BARS] = [31, 10];

interface ChartPartProps {
  readonly chart: Chart;
  readonly metrics: Metrics;
  readonly names: RowNames;
}

export function ChartSection({ chart, metrics, names }: ChartPartProps) {
  const { id, title, series } = chart;
  const { by, total } = metrics;
  const [named, name] = useAccessibleName(title);
  const isKnown = series.some(({ measure }) => total[measure] !== null);
  const all = useMemo(() => barsOf(metrics, names), [metrics, names]);
  const rows = by === 'day' ? all.slice(-MAX_DAYS) : all.slice(0, MAX_BARS);
  const sums = series.map(
    ({ measure, name: one }) => `${one} ${figureWords(measure, total[measure])}`,
  );
  const label = t('metrics.chart', { title, group: GROUP_WORDS[by], sums: sums.join(COMMA) });
  const unit = (value: number) => figureWords(series[0]?.measure ?? 'turns', value);
  const Bars = by === 'day' ? VerticalBars : HorizontalBars;
  return (
    <section class="atb-metrics-chart" {...named}>
      {name}
      <h3>{title}</h3>
      {isKnown ? (
        <>
          <Bars {...{ id, label, series, rows, words: unit }} />
          {rows.length < all.length && (
            <p class="atb-metrics-note">
              {t(by === 'day' ? 'metrics.drawnLast' : 'metrics.drawnFirst', { count: rows.length })}
            </p>
          )}
          <FiguresTable
            title={title}
            columns={[...series, ...chart.more]}
            {...{ metrics, names }}
          />
        </>
      ) : (
        <p class="atb-metrics-note">{t('metrics.noFigures')}</p>
      )}
    </section>
  );
}

/** Includes days without any record. */
function barsOf({ by, rows, from, to }: Metrics, names: RowNames): ChartRow[] {
  const bar = (figures: FigureRow): ChartRow => {
    return { key: figures.key ?? '', name: names(figures), figures };
  };
  if (by !== 'day' || from === null || to === null) return rows.map(bar);
  const known = new Map(rows.map((row) => [row.key, row]));
  const bars: ChartRow[] = [];
  const last = new Date(`${to}T12:00`);
  for (let n = MAX_DAYS; n >= 0; n -= 1) {
    const day = new Date(last.getFullYear(), last.getMonth(), last.getDate() - n, 12);
    const key = isoDate(day);
    if (key < from) continue;
    const row = known.get(key);
    bars.push(row ? bar(row) : { key, name: names({ key }), figures: undefined });
  }
  return bars;
}
