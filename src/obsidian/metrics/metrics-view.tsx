import type { WorkspaceLeaf } from 'obsidian';
import type { Ref } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Group } from '../../core/metrics/figures';
import type { Metrics, Recorded } from '../../core/metrics/metrics';
import type { Clock } from '../../core/ports';
import { t } from '../language/text';
import { useOverview, type Overview } from '../model/overview';
import { Banner } from '../ui/banner';
import type { PickItem } from '../ui/dialog';
import { DrawnActingView } from '../ui/drawn-view';
import { localDay, shortDay } from '../ui/text';
import { useActs } from '../ui/use-acts';
import type { ActingView } from '../ui/view-actions';
import type { RowNames } from './figure-words';
import { LongestWaits, longestWaits, waitedWords, type WaitOpener } from './longest-waits';
import {
  daysOf,
  GROUP_CHOICES,
  MetricsBar,
  PERIODS,
  type PickChoices,
  type Period,
} from './metrics-bar';
import { ChartPart, CHARTS, Totals } from './metrics-charts';

export const METRICS_VIEW = 'agent-task-boards-metrics';

export interface MetricsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly overview: Overview;
  /** @throws StoreError */
  readonly read: () => Promise<Recorded>;
  readonly exportCsv: (metrics: Metrics) => void;
  readonly opener: WaitOpener;
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
  const waits = useMemo(
    () => metrics && longestWaits(deps.opener, metrics, now),
    [metrics, boards],
  );
  const isFull = metrics !== undefined && metrics.rows.length > 0;
  const { pick, exportCsv } = deps;
  const choose = async <T,>(options: PickChoices<T>, title: string, use: (value: T) => unknown) => {
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
            waits.map(({ wait, open }) => [open, waitedWords(wait, now)] as const),
            t('metrics.longest'),
            (open) => open(),
          ),
      }),
  }));
  return (
    <div class="atb-metrics-app">
      <MetricsBar {...{ period, setPeriod, by, setBy, metrics, reading, again, exportCsv }} />
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
        {waits !== undefined && <LongestWaits {...{ waits, now }} />}
      </div>
    </div>
  );
}

/** How each row is called. */
function useNames({ overview }: MetricsDeps, metrics: Metrics | undefined, now: number): RowNames {
  const { boards } = useOverview(overview);
  const by = metrics?.by;
  return useMemo(() => {
    const titles = new Map(boards.map(({ session, title }) => [session, title]));
    return ({ key, title }) => {
      if (key === null) return t('metrics.notRecorded');
      if (by === 'day') return shortDay(new Date(`${key}T12:00`).getTime(), now);
      return title ?? (by === 'session' ? titles.get(key) : undefined) ?? key;
    };
  }, [boards, by, localDay(now).from]);
}
