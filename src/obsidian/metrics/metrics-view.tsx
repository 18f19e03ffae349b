import type { WorkspaceLeaf } from 'obsidian';
import type { Ref } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Metrics, RecordedData } from '../../core/metrics/metrics';
import type { Clock } from '../../core/ports';
import { errorText, t } from '../language/text';
import { useOverview, type Overview } from '../model/overview';
import { Banner } from '../ui/banner';
import type { PickItem } from '../ui/dialog';
import { PreactViewWithActions } from '../ui/preact-view';
import { localDay, plainLine, shortDay } from '../ui/text';
import { useViewActions } from '../ui/use-view-actions';
import type { ViewWithActions } from '../ui/view-actions';
import type { RowNames } from './figure-words';
import { LongestWaits, longestWaits, waitText, type WaitOpener } from './longest-waits';
import {
  daysOf,
  GROUP_CHOICES,
  withPeriod,
  isReversed,
  MetricsBar,
  PERIODS,
  readChoice,
  type BarProps,
  type MetricsChoice,
  type Period,
  type PickChoices,
} from './metrics-bar';
import { ChartSection, CHARTS, Totals } from './metrics-charts';

export const METRICS_VIEW = 'agent-task-boards-metrics';

export interface MetricsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly overview: Overview;
  /** @throws StoreError */
  readonly read: () => Promise<RecordedData>;
  readonly exportCsv: (metrics: Metrics) => void;
  readonly opener: WaitOpener;
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
  /** one of our views was shown */
  readonly shown: () => void;
}

/** Metrics of what agents used, waited for and finished. */
export class MetricsView extends PreactViewWithActions {
  /** other views open beside it, not in its place */
  override navigation = false;
  private choice = readChoice({});

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

  override getState(): Record<string, unknown> {
    return { ...super.getState(), ...this.choice };
  }

  protected override restore(state: ReadonlyMap<string, unknown>): void {
    this.choice = readChoice(Object.fromEntries(state));
    super.restore(state);
  }

  protected override content() {
    const { deps, handle, choice } = this;
    const choose = (chosen: MetricsChoice): void => {
      this.choice = chosen;
      this.draw();
      this.app.workspace.requestSaveLayout();
    };
    return <MetricsApp {...{ deps, handle, choice, choose }} />;
  }
}

/** The recorded data, read when the view opens and when the person refreshes it. */
function useRecorded({ read }: MetricsDeps) {
  const [recorded, setRecorded] = useState<RecordedData>();
  const [problem, setProblem] = useState<string>();
  const [reading, setReading] = useState(true);
  const [tries, setTries] = useState(0);
  useLayoutEffect(() => {
    let isCurrent = true;
    setReading(true);
    const load = async (): Promise<void> => {
      try {
        const found = await read();
        if (!isCurrent) return;
        setRecorded(found);
        setProblem(undefined);
      } catch (error) {
        if (isCurrent) setProblem(errorText(error));
      }
      if (isCurrent) setReading(false);
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [read, tries]);
  return { recorded, problem, reading, again: () => setTries((before) => before + 1) };
}

interface MetricsProps {
  readonly deps: MetricsDeps;
  readonly handle: Ref<ViewWithActions>;
  readonly choice: MetricsChoice;
  readonly choose: (choice: MetricsChoice) => void;
}

function MetricsApp(props: MetricsProps) {
  const { deps, choice, choose } = props;
  const { recorded, problem, reading, again } = useRecorded(deps);
  const now = deps.clock.now();
  const { by } = choice;
  const { from, to } = daysOf(choice, now);
  const reversed = isReversed(choice);
  const metrics = useMemo(
    () => (reversed ? undefined : recorded?.figures({ by, from, to })),
    [recorded, by, from, to, reversed],
  );
  const names = useNames(deps, metrics, now);
  const { boards } = useOverview(deps.overview);
  const waits = useMemo(
    () => metrics && longestWaits(deps.opener, metrics, now),
    [metrics, boards],
  );
  const setPeriod = (period: Period): void => choose(withPeriod(choice, period, now));
  const firstDay = useRef<HTMLInputElement>(null);
  const { exportCsv } = deps;
  const bar = { choice, choose, setPeriod, metrics, reading, again, exportCsv, firstDay };
  useMetricsActions(props, bar, waits);
  return (
    <div class="atb-metrics-app">
      <MetricsBar {...bar} />
      <div class="atb-metrics-scroll">
        {problem !== undefined && (
          <Banner
            {...{ icon: 'circle-alert', tone: 'error', text: problem }}
            label={t('metrics.unreadable')}
            buttons={[{ label: t('common.tryAgain'), onClick: again }]}
          />
        )}
        {reversed && <ReversedDays {...{ choice, choose }} />}
        {recorded === undefined && problem === undefined && (
          <Banner icon="spinner" label={t('metrics.reading')} text="" buttons={[]} />
        )}
        {metrics?.rows.length === 0 && (
          <Banner
            icon="chart-column"
            label={t('metrics.nothing')}
            text={t('metrics.nothingText')}
            buttons={
              choice.period === 'all'
                ? []
                : [{ label: t('metrics.showAll'), onClick: () => setPeriod('all') }]
            }
          />
        )}
        {metrics !== undefined && metrics.rows.length > 0 && (
          <>
            <Totals {...metrics.total} />
            <div class="atb-metrics-charts">
              {CHARTS.map((chart) => (
                <ChartSection key={chart.id} {...{ chart, metrics, names }} />
              ))}
            </div>
          </>
        )}
        {waits !== undefined && <LongestWaits {...{ waits, now }} />}
      </div>
    </div>
  );
}

function ReversedDays({ choice, choose }: Pick<MetricsProps, 'choice' | 'choose'>) {
  const swap = () => choose({ ...choice, from: choice.to, to: choice.from });
  return (
    <Banner
      {...{ icon: 'calendar', label: t('metrics.noDayBetween'), text: t('metrics.changeDays') }}
      buttons={[{ label: t('metrics.swapDays'), onClick: swap }]}
    />
  );
}

/** The actions of commands and of the view's menu. */
function useMetricsActions(
  { deps, handle, choice, choose }: MetricsProps,
  { setPeriod, metrics, reading, again, exportCsv, firstDay }: BarProps,
  waits: ReturnType<typeof longestWaits> | undefined,
): void {
  const ask = async <T,>(options: PickChoices<T>, title: string, apply: (value: T) => unknown) => {
    const choices = options.map(([value, text]) => ({ value, text }));
    const chosen = await deps.pick(choices, title);
    if (chosen !== undefined) apply(chosen);
  };
  useViewActions(handle, () => ({
    ...(!reading && { 'read-metrics': again }),
    ...(metrics !== undefined &&
      metrics.rows.length > 0 && { 'export-metrics': () => exportCsv(metrics) }),
    'metrics-period': () =>
      ask(PERIODS, t('metrics.period'), (period) => {
        setPeriod(period);
        firstDay.current?.focus();
      }),
    'group-metrics': () =>
      ask(GROUP_CHOICES, t('metrics.groupBy'), (by) => choose({ ...choice, by })),
    ...(waits !== undefined &&
      waits.length > 0 && {
        'open-entry': () =>
          ask(
            waits.map(({ wait, open }) => [open, waitText(wait, deps.clock.now())] as const),
            t('metrics.longest'),
            (open) => open(),
          ),
      }),
  }));
}

/** Names the rows. */
function useNames({ overview }: MetricsDeps, metrics: Metrics | undefined, now: number): RowNames {
  const { boards } = useOverview(overview);
  const by = metrics?.by;
  return useMemo(() => {
    const titles = new Map(boards.map(({ session, title }) => [session, title]));
    return ({ key, title }) => {
      if (key === null) return t('audit.notRecorded');
      if (by === 'day') return shortDay(new Date(`${key}T12:00`).getTime(), now);
      return plainLine(title ?? (by === 'session' ? titles.get(key) : undefined) ?? key);
    };
  }, [boards, by, localDay(now).from]);
}
