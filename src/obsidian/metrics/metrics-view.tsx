import type { WorkspaceLeaf } from 'obsidian';
import type { Ref } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import {
  GROUPS,
  isTime,
  type Figures,
  type FigureRow,
  type Group,
  type Measure,
} from '../../core/metrics/figures';
import type { Wait } from '../../core/metrics/file-sums';
import type { Metrics, Recorded } from '../../core/metrics/metrics';
import type { Clock } from '../../core/ports';
import { isoDate } from '../adapter/platform';
import { COMMA, languageCode, t } from '../language/text';
import { useOverview, type Overview } from '../model/overview';
import { Banner } from '../ui/banner';
import type { PickItem } from '../ui/dialog';
import { DrawnActingView } from '../ui/drawn-view';
import { Select } from '../ui/fields';
import { Button, useName } from '../ui/icon';
import { durationWords, localDay, shortDay, shortTime, workTime } from '../ui/text';
import { useActs } from '../ui/use-acts';
import type { ActingView } from '../ui/view-actions';
import { LyingBars, StandingBars, type ChartRow, type Series } from './chart';

export const METRICS_VIEW = 'agent-task-boards-metrics';

export interface MetricsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly overview: Overview;
  /** @throws StoreError */
  readonly read: () => Promise<Recorded>;
  readonly exportCsv: (metrics: Metrics) => void;
  /** opens what waited; undefined for what waits no more */
  readonly opener: (wait: Wait) => (() => unknown) | undefined;
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
  /** one of our views came up */
  readonly shown: () => void;
}

/** What agents used, waited for and finished. */
export class MetricsView extends DrawnActingView {
  /** what is opened from it does not take its place */
  override navigation = false;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: MetricsDeps,
  ) {
    super(leaf, { type: METRICS_VIEW, icon: 'chart-column', class: 'atb-metrics' });
  }

  override getDisplayText(): string {
    return t('metrics.title');
  }

  override onOpen(): Promise<void> {
    this.draw();
    this.deps.shown();
    return super.onOpen();
  }

  protected override content() {
    return <MetricsApp deps={this.deps} handle={this.handle} />;
  }
}

const PERIODS = [
  ['7', t('metrics.last7')],
  ['30', t('metrics.last30')],
  ['month', t('metrics.month')],
  ['all', t('metrics.all')],
] as const;

type Period = (typeof PERIODS)[number][0];

const GROUP_WORDS: Readonly<Record<Group, string>> = {
  day: t('metrics.day'),
  session: t('metrics.session'),
  agent: t('metrics.agent'),
  model: t('metrics.model'),
  engine: t('metrics.engine'),
  task: t('metrics.task'),
  run: t('metrics.run'),
};

type Choices<T> = readonly (readonly [value: T, words: string])[];

const GROUP_CHOICES: Choices<Group> = GROUPS.map((one) => [one, GROUP_WORDS[one]]);

/** The first and last day, where the person is. */
function daysOf(period: Period, now: number): { readonly from?: string; readonly to?: string } {
  if (period === 'all') return {};
  const today = new Date(now);
  const back = period === 'month' ? today.getDate() - 1 : Number(period) - 1;
  const first = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
  return { from: isoDate(first), to: isoDate(today) };
}

/** What is recorded, read when the view opens and when the person asks for it again. */
function useRecorded({ read }: MetricsDeps) {
  const [recorded, setRecorded] = useState<Recorded>();
  const [problem, setProblem] = useState<string>();
  const [reading, setReading] = useState(true);
  const [tries, setTries] = useState(0);
  useLayoutEffect(() => {
    let wanted = true;
    setReading(true);
    const look = async (): Promise<void> => {
      try {
        const found = await read();
        if (!wanted) return;
        setRecorded(found);
        setProblem(undefined);
      } catch (error) {
        if (wanted) setProblem(error instanceof Error ? error.message : String(error));
      }
      if (wanted) setReading(false);
    };
    void look();
    return () => {
      wanted = false;
    };
  }, [read, tries]);
  return { recorded, problem, reading, again: () => setTries((before) => before + 1) };
}

interface MetricsProps {
  readonly deps: MetricsDeps;
  readonly handle: Ref<ActingView>;
}

function MetricsApp({ deps, handle }: MetricsProps) {
  const { recorded, problem, reading, again } = useRecorded(deps);
  const [period, setPeriod] = useState<Period>('30');
  const [by, setBy] = useState<Group>('day');
  const now = deps.clock.now();
  const { from, to } = daysOf(period, now);
  const metrics = useMemo(() => recorded?.figures({ by, from, to }), [recorded, by, from, to]);
  const names = useNames(deps, metrics, now);
  const { boards } = useOverview(deps.overview);
  const waits = useMemo(() => metrics && longestOf(deps, metrics, now), [metrics, boards]);
  const isFull = metrics !== undefined && metrics.rows.length > 0;
  const { pick, exportCsv } = deps;
  const choose = async <T,>(options: Choices<T>, title: string, use: (value: T) => unknown) => {
    const choices = options.map(([value, text]) => ({ value, text }));
    const chosen = await pick(choices, title);
    if (chosen !== undefined) use(chosen);
  };
  useActs(handle, () => ({
    ...(!reading && { 'read-metrics': again }),
    ...(isFull && { 'export-metrics': () => exportCsv(metrics) }),
    'metrics-period': () => choose(PERIODS, t('metrics.period'), setPeriod),
    'group-metrics': () => choose(GROUP_CHOICES, t('metrics.groupBy'), setBy),
    ...(waits !== undefined &&
      waits.length > 0 && {
        'open-entry': () =>
          choose(
            waits.map(({ wait, open }) => [open, waitWords(wait, now)] as const),
            t('metrics.longest'),
            (open) => open(),
          ),
      }),
  }));
  return (
    <div class="atb-metrics-app">
      <Bar {...{ period, setPeriod, by, setBy, metrics, reading, again, exportCsv }} />
      <div class="atb-metrics-scroll">
        {problem !== undefined && (
          <Banner
            {...{ icon: 'circle-alert', tone: 'error', text: problem }}
            label={t('metrics.unreadable')}
            buttons={[{ label: t('metrics.tryAgain'), onClick: again }]}
          />
        )}
        {metrics === undefined && problem === undefined && (
          <Banner icon="spinner" label={t('metrics.reading')} text="" buttons={[]} />
        )}
        {metrics?.rows.length === 0 && (
          <Banner
            icon="chart-column"
            label={t('metrics.nothing')}
            text={t('metrics.nothingText')}
            buttons={
              period === 'all'
                ? []
                : [{ label: t('metrics.showAll'), onClick: () => setPeriod('all') }]
            }
          />
        )}
        {isFull && (
          <>
            <Totals {...metrics.total} />
            <div class="atb-metrics-charts">
              {CHARTS.map((chart) => (
                <ChartPart key={chart.id} {...{ chart, metrics, names }} />
              ))}
            </div>
          </>
        )}
        {waits !== undefined && <Longest {...{ waits, now }} />}
      </div>
    </div>
  );
}

/** What is shown, and what can be done with it. */
function Bar(props: {
  readonly period: Period;
  readonly setPeriod: (period: Period) => void;
  readonly by: Group;
  readonly setBy: (by: Group) => void;
  readonly metrics: Metrics | undefined;
  readonly reading: boolean;
  readonly again: () => void;
  readonly exportCsv: MetricsDeps['exportCsv'];
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

/** How each row is called. */
function useNames({ overview }: MetricsDeps, metrics: Metrics | undefined, now: number) {
  const { boards } = useOverview(overview);
  const by = metrics?.by;
  return useMemo(() => {
    const titles = new Map(boards.map(({ session, title }) => [session, title]));
    return ({ key, title }: Pick<FigureRow, 'key' | 'title'>): string => {
      if (key === null) return t('metrics.notRecorded');
      if (by === 'day') return shortDay(new Date(`${key}T12:00`).getTime(), now);
      return title ?? (by === 'session' ? titles.get(key) : undefined) ?? key;
    };
  }, [boards, by, localDay(now).from]);
}

function notes({ broken, unread }: Metrics): string {
  return [
    t('metrics.unknownWords'),
    ...(broken > 0 ? [t('metrics.broken', { count: broken })] : []),
    ...(unread.length > 0 ? [t('metrics.unread', { count: unread.length })] : []),
  ].join(' ');
}

/** A chart with its table: what its bars are made of, and what else its table says. */
interface Chart {
  readonly id: string;
  readonly title: string;
  readonly series: readonly Series[];
  readonly more: readonly Series[];
}

const CHARTS: readonly Chart[] = [
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
    ...{ id: 'atb-permissions', title: t('metrics.permissions') },
    series: [
      { measure: 'allowedOnce', name: t('metrics.once') },
      { measure: 'allowedAlways', name: t('metrics.always') },
      { measure: 'rejected', name: t('metrics.rejected') },
      { measure: 'expired', name: t('metrics.expired') },
    ],
    more: [
      { measure: 'asked', name: t('metrics.asked') },
      { measure: 'denied', name: t('metrics.denied') },
    ],
  },
];

const AMOUNT = new Intl.NumberFormat(languageCode, {
  notation: 'compact',
  maximumFractionDigits: 1,
});

function words(measure: Measure, value: number | null): string {
  if (value === null) return t('metrics.unknownSign');
  if (isTime(measure)) return timeWords(value);
  if (measure === 'cost')
    return t('metrics.dollars', { amount: value.toFixed(value < 0.01 ? 4 : 2) });
  return value < 10_000 ? String(Math.round(value)) : AMOUNT.format(value);
}

function timeWords(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 60) return durationWords(minutes < 10 ? ms : Math.round(minutes) * 60_000);
  if (minutes < 48 * 60) return workTime(Math.round(minutes));
  const hours = Math.floor(minutes / 60);
  return t('metrics.days', { days: Math.floor(hours / 24), hours: hours % 24 });
}

/** The figures of all rows together. */
function Totals(total: Figures) {
  const part = (measure: Measure) => words(measure, total[measure]);
  const priced =
    total.turns !== null && total.cost !== null && total.pricedTurns !== total.turns
      ? t('metrics.ofTurns', { known: total.pricedTurns ?? 0, all: total.turns })
      : '';
  const told = [
    [t('metrics.turns'), part('turns'), ''],
    [t('metrics.cost'), part('cost'), priced],
    [t('metrics.calls'), part('calls'), ''],
    [t('metrics.done'), part('done'), ''],
    [t('metrics.lead'), part('leadMs'), ''],
    [t('metrics.waitedPerson'), part('waitedPersonMs'), ''],
  ] as const;
  return (
    <dl class="atb-metrics-totals">
      {told.map(([name, value, more]) => (
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

/** Bars that are drawn at most. */
const [MOST_DAYS, MOST_BARS] = [31, 10];

interface ChartPartProps {
  readonly chart: Chart;
  readonly metrics: Metrics;
  readonly names: ReturnType<typeof useNames>;
}

function ChartPart({ chart, metrics, names }: ChartPartProps) {
  const { id, title, series } = chart;
  const { by, total } = metrics;
  const [named, name] = useName(title);
  const isKnown = series.some(({ measure }) => total[measure] !== null);
  const all = useMemo(() => barsOf(metrics, names), [metrics, names]);
  const rows = by === 'day' ? all.slice(-MOST_DAYS) : all.slice(0, MOST_BARS);
  const sums = series.map(({ measure, name: one }) => `${one} ${words(measure, total[measure])}`);
  const label = t('metrics.chart', { title, group: GROUP_WORDS[by], sums: sums.join(COMMA) });
  const unit = (value: number) => words(series[0]?.measure ?? 'turns', value);
  const Bars = by === 'day' ? StandingBars : LyingBars;
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
          <ChartTable {...{ chart, metrics, names }} />
        </>
      ) : (
        <p class="atb-metrics-note">{t('metrics.noFigures')}</p>
      )}
    </section>
  );
}

/** Days on which nothing is recorded have a place too. */
function barsOf({ by, rows, from, to }: Metrics, names: ChartPartProps['names']): ChartRow[] {
  const bar = (figures: FigureRow): ChartRow => {
    return { key: figures.key ?? '', name: names(figures), figures };
  };
  if (by !== 'day' || from === null || to === null) return rows.map(bar);
  const known = new Map(rows.map((row) => [row.key, row]));
  const bars: ChartRow[] = [];
  const last = new Date(`${to}T12:00`);
  for (let n = MOST_DAYS; n >= 0; n -= 1) {
    const day = new Date(last.getFullYear(), last.getMonth(), last.getDate() - n, 12);
    const key = isoDate(day);
    if (key < from) continue;
    const row = known.get(key);
    bars.push(row ? bar(row) : { key, name: names({ key }), figures: undefined });
  }
  return bars;
}

/** Rows of a table at first. */
const FIRST_ROWS = 7;

function ChartTable({ chart, metrics, names }: ChartPartProps) {
  const [wholly, setWholly] = useState(false);
  const columns = [...chart.series, ...chart.more];
  const { rows, by, total } = metrics;
  const newestFirst = by === 'day' ? rows.toReversed() : rows;
  const shown = wholly ? newestFirst : newestFirst.slice(0, FIRST_ROWS);
  const left = rows.length - shown.length;
  const cells = (figures: Figures) =>
    columns.map(({ measure }) => <td key={measure}>{words(measure, figures[measure])}</td>);
  const [named, name] = useName(chart.title);
  return (
    <>
      <div class="atb-metrics-table" role="group" tabIndex={0} {...named}>
        {name}
        <table>
          <thead>
            <tr>
              <th scope="col">{GROUP_WORDS[by]}</th>
              {columns.map(({ measure, name: title }) => (
                <th scope="col" key={measure}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key ?? ''}>
                <th scope="row">{names(row)}</th>
                {cells(row)}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('metrics.total')}</th>
              {cells(total)}
            </tr>
          </tfoot>
        </table>
      </div>
      {left > 0 && (
        <Button
          kind="quiet"
          words={t('metrics.showRows', { count: left })}
          onClick={() => setWholly(true)}
        />
      )}
    </>
  );
}

const WAITED: Readonly<Record<Wait['kind'], string>> = {
  answer: t('metrics.answerWait'),
  blocked: t('metrics.blockedWait'),
  lead: t('metrics.leadWait'),
};

const MOST_WAITS = 10;

/** "Score by field · For tasks before it, still waiting · 19 November 12:00" */
function waitWords(wait: Wait, now: number): string {
  return [wait.what, ...whyWords(wait, now)].join(' · ');
}

function whyWords({ kind, ms, from }: Wait, now: number): readonly string[] {
  const why = WAITED[kind];
  return [ms === null ? t('metrics.stillWaits', { kind: why }) : why, shortTime(from, now)];
}

function Longest(props: { readonly waits: ReturnType<typeof longestOf>; readonly now: number }) {
  const { waits, now } = props;
  const [named, name] = useName(t('metrics.longest'));
  return (
    <section class="atb-metrics-waits" {...named}>
      {name}
      <h3>{t('metrics.longest')}</h3>
      {waits.length === 0 && <p class="atb-metrics-note">{t('metrics.nothingWaited')}</p>}
      <ul>
        {waits.map(({ wait, ms, open }) => (
          <li key={`${wait.kind} ${wait.from} ${wait.what}`}>
            <button type="button" class="atb-metrics-wait" onClick={() => void open()}>
              <span class="atb-title">{wait.what}</span>
              <span class="atb-metrics-why">{whyWords(wait, now).join(' · ')}</span>
              <span class="atb-metrics-ms">{timeWords(ms)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function longestOf(deps: MetricsDeps, { waits }: Metrics, now: number) {
  const all = waits.flatMap((wait) => {
    const open = deps.opener(wait);
    return open ? [{ wait, open, ms: wait.ms ?? Math.max(0, now - wait.from) }] : [];
  });
  return all.sort((a, b) => b.ms - a.ms).slice(0, MOST_WAITS);
}
