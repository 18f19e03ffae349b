import { useMemo } from 'preact/hooks';
import type { ComingTask } from '../../core/board/graph/coming-tasks';
import type { WorkSpan } from '../../core/board/history/work-spans';
import { Select } from '../ui/fields';
import { durationWords, localDay, shortTime, timeOfDay, plainLine } from '../ui/text';
import { RunRow, RunSection } from '../run/section';
import { actorName } from './items';
import { COMMA, t } from '../language/text';

const MINUTE = 60_000;
const WEEK = 7 * 86_400_000;

/** Maximum tasks in the lane. */
const MAX_ROWS = 40;

export const TIMELINE_PERIODS = [
  ['day', t('timeline.today')],
  ['week', t('metrics.last7')],
  ['all', t('timeline.all')],
] as const;

export type TimelinePeriod = (typeof TIMELINE_PERIODS)[number][0];

/** A time span in a row. */
interface Bar {
  /** ms since the epoch */
  readonly from: number;
  readonly to: number;
  readonly kind: 'agent' | 'person' | 'coming';
  readonly words: string;
}

interface WorkRow {
  /** id of the task */
  readonly task: string;
  readonly title: string;
  readonly aside: string;
  readonly bars: readonly Bar[];
}

interface WorkLaneProps {
  readonly spans: readonly WorkSpan[];
  readonly coming: readonly ComingTask[];
  /** ms since the epoch */
  readonly now: number;
  /** undefined until the person chooses one */
  readonly chosen: TimelinePeriod | undefined;
  readonly onPeriod: (period: TimelinePeriod | undefined) => void;
  /** the id of a task in the form of `CurrentTask` */
  readonly atOf: (task: string) => string | undefined;
  readonly onOpen: (task: string) => void;
}

/** Bars that show who worked on which task when, followed by the estimated remaining work. */
export function WorkLane(props: WorkLaneProps) {
  const { spans, coming, now, chosen, atOf, onOpen } = props;
  const today = localDay(now).from;
  const defaultPeriod =
    spans.some(({ to = now }) => to >= today) || spans.length === 0 ? 'day' : 'all';
  const period = chosen ?? defaultPeriod;
  const rows = useMemo(
    () => workRows(spans, coming, now, { day: today, week: now - WEEK, all: 0 }[period]),
    [spans, coming, now, today, period],
  );
  const bars = rows.flatMap((row) => row.bars);
  const from = Math.min(now - MINUTE, ...bars.map((bar) => bar.from));
  const to = Math.max(now + MINUTE, ...bars.map((bar) => bar.to));
  const at = (time: number) => `${((100 * (time - from)) / (to - from)).toFixed(2)}%`;
  if (spans.length === 0 && coming.length === 0) return null;
  const shown = rows.slice(-MAX_ROWS);
  return (
    <RunSection name={t('timeline.work')}>
      <div class="atb-work">
        <div class="atb-work-head">
          <Select
            name={t('timeline.period')}
            value={period}
            options={TIMELINE_PERIODS}
            onChange={(value) =>
              props.onPeriod(TIMELINE_PERIODS.find(([one]) => one === value)?.[0])
            }
          />
          <span class="atb-work-times" aria-hidden="true">
            <span>{shortTime(from, now)}</span>
            <span>{shortTime(to, now)}</span>
          </span>
        </div>
        {rows.length === 0 && <p class="atb-run-none">{t('timeline.noWork')}</p>}
        {rows.length > shown.length && (
          <p class="atb-run-none">
            {t('timeline.earlierNotDrawn', { count: rows.length - shown.length })}
          </p>
        )}
        <ul class="atb-run-list">
          {shown.map((row) => (
            <li key={row.task}>
              <RunRow
                id={`work ${row.task}`}
                class="atb-work-row"
                at={atOf(row.task)}
                title={row.bars.map(({ words }) => words).join('\n')}
                onClick={() => onOpen(row.task)}
              >
                <span class="atb-title">{plainLine(row.title)}</span>
                <span class="atb-work-track" aria-hidden="true">
                  <span class="atb-work-now" style={{ insetInlineStart: at(now) }} />
                  {row.bars.map((bar) => (
                    <span
                      class="atb-work-bar"
                      key={`${bar.kind} ${bar.from}`}
                      data-kind={bar.kind}
                      style={{
                        insetInlineStart: at(bar.from),
                        width: `max(3px, ${((100 * (bar.to - bar.from)) / (to - from)).toFixed(2)}%)`,
                      }}
                    />
                  ))}
                </span>
                <span class="atb-work-aside">{row.aside}</span>
                <span class="atb-unseen">{row.bars.map(({ words }) => words).join('; ')}</span>
              </RunRow>
            </li>
          ))}
        </ul>
        <UpcomingTasks coming={coming} />
      </div>
    </RunSection>
  );
}

/** The next tasks, if no estimate says when they come. */
function UpcomingTasks({ coming }: Pick<WorkLaneProps, 'coming'>) {
  const [first] = coming;
  if (first === undefined || first.ends !== null) return null;
  const titles = coming.map(({ task }) => task.title).join(t('timeline.then'));
  return <p class="atb-run-none">{t('timeline.pathWithoutEstimates', { titles })}</p>;
}

/** One row per task, in the order of their start; coming tasks are last. */
export function workRows(
  spans: readonly WorkSpan[],
  coming: readonly ComingTask[],
  now: number,
  since: number,
): readonly WorkRow[] {
  const rows = new Map<string, { title: string; bars: Bar[]; who: Set<string>; ms: number }>();
  const rowOf = (task: string, title: string) => {
    const row = rows.get(task) ?? { title, bars: [], who: new Set(), ms: 0 };
    rows.set(task, row);
    row.title = title;
    return row;
  };
  for (const { task, title, by, from, to } of spans) {
    if ((to ?? now) < since) continue;
    const row = rowOf(task, title);
    const [begin, end] = [Math.max(from, since), to ?? now];
    const who = actorName(by);
    const begun = shortTime(from, now);
    const took =
      to === undefined
        ? t('timeline.sinceFrom', { begun })
        : t('timeline.fromTo', { begun, ended: timeOfDay(to) });
    const kind = by.kind === 'person' ? 'person' : 'agent';
    row.bars.push({ from: begin, to: end, kind, words: `${who}, ${took}` });
    row.who.add(who);
    row.ms += end - begin;
  }
  for (const { task, begins, ends } of coming) {
    if (begins === null || ends === null) continue;
    const row = rowOf(task.id ?? task.key, task.title);
    const took = durationWords((ends - begins) * MINUTE);
    const [from, to] = [now + begins * MINUTE, now + ends * MINUTE];
    row.bars.push({
      from,
      to,
      kind: 'coming',
      words: t('timeline.estimatedTookUntilTo', { took, to: shortTime(to, now) }),
    });
  }
  return [...rows].map(([task, { title, bars, who, ms }]) => {
    const left = bars.find(({ kind }) => kind === 'coming');
    const spent = who.size === 0 ? [] : [`${[...who].join(COMMA)} ${durationWords(ms)}`];
    const next =
      left === undefined
        ? []
        : [t('timeline.toCome', { time: durationWords(left.to - left.from) })];
    return { task, title, bars, aside: [...spent, ...next].join(' · ') };
  });
}
