import type { Figures, Measure } from '../../core/metrics/figures';
import type { ComponentChildren } from 'preact';
import { t } from '../language/text';

/** One part of each bar. Parts differ by pattern, and by colour for those who can see it. */
export interface Series {
  readonly measure: Measure;
  readonly name: string;
}

/** A bar: its figures, and the texts beside it. */
export interface ChartRow {
  readonly key: string;
  readonly name: string;
  readonly figures: Figures | undefined;
}

interface ChartProps {
  /** prefix of the ids of its patterns */
  readonly id: string;
  readonly label: string;
  readonly series: readonly Series[];
  readonly rows: readonly ChartRow[];
  readonly words: (value: number) => string;
}

const WIDTH = 380;

/** Vertical bars from left to right, as for days. */
export function VerticalBars({ id, label, series, rows, words }: ChartProps) {
  const most = largestSum(rows, series);
  const [top, bottom, height] = [16, 132, 152];
  const step = WIDTH / Math.max(rows.length, 7);
  const every = Math.ceil(rows.length / 6);
  const scale = (value: number) => (most === 0 ? 0 : (value / most) * (bottom - top));
  return (
    <ChartFrame {...{ id, label, series, height }}>
      <line class="atb-chart-line" x1="0" x2={WIDTH} y1={top} y2={top} />
      <text class="atb-chart-words" x={WIDTH} y={top - 4} text-anchor="end">
        {words(most)}
      </text>
      {rows.map((row, at) => {
        const x = at * step + step * 0.12;
        const middle = at * step + step / 2;
        return (
          <g key={row.key}>
            {barParts(row, series).map(({ n, from, value }) => (
              <rect
                {...{ x, width: step * 0.76, fill: `url(#${id}-${n})`, class: 'atb-chart-part' }}
                key={n}
                data-series={n}
                y={bottom - scale(from + value)}
                height={scale(value)}
              />
            ))}
            {isUnknown(row, series) && (
              <text class="atb-chart-words" x={middle} y={bottom - 3} text-anchor="middle">
                {t('metrics.unknownSign')}
              </text>
            )}
            {(rows.length - 1 - at) % every === 0 && (
              <text
                class="atb-chart-words"
                x={at === rows.length - 1 && at > 0 ? at * step + step : middle}
                y={height - 4}
                text-anchor={at === rows.length - 1 && at > 0 ? 'end' : 'middle'}
              >
                {row.name}
              </text>
            )}
          </g>
        );
      })}
      <line class="atb-chart-line" x1="0" x2={WIDTH} y1={bottom} y2={bottom} />
    </ChartFrame>
  );
}

const ROW_HEIGHT = 22;

/** Horizontal bars, one below the other, each after its name. */
export function HorizontalBars({ id, label, series, rows, words }: ChartProps) {
  const most = largestSum(rows, series);
  const [from, to] = [128, WIDTH - 72];
  const scale = (value: number) => (most === 0 ? 0 : (value / most) * (to - from));
  return (
    <ChartFrame {...{ id, label, series }} height={rows.length * ROW_HEIGHT + 4}>
      {rows.map((row, at) => {
        const known = barParts(row, series);
        const sum = known.reduce((all, { value }) => all + value, 0);
        const unknown = isUnknown(row, series);
        return (
          <g key={row.key}>
            <text class="atb-chart-words" x={from - 6} y={at * ROW_HEIGHT + 15} text-anchor="end">
              {row.name.length > 20 ? `${row.name.slice(0, 19)}…` : row.name}
            </text>
            {known.map((part) => (
              <rect
                {...{
                  fill: `url(#${id}-${part.n})`,
                  class: 'atb-chart-part',
                  height: ROW_HEIGHT - 8,
                }}
                key={part.n}
                data-series={part.n}
                x={from + scale(part.from)}
                y={at * ROW_HEIGHT + 4}
                width={scale(part.value)}
              />
            ))}
            <text class="atb-chart-words" x={from + scale(sum) + 5} y={at * ROW_HEIGHT + 15}>
              {unknown ? t('metrics.unknownSign') : words(sum)}
            </text>
          </g>
        );
      })}
      <line class="atb-chart-line" x1={from} x2={from} y1="0" y2={rows.length * ROW_HEIGHT + 4} />
    </ChartFrame>
  );
}

function ChartFrame(props: {
  readonly id: string;
  readonly label: string;
  readonly series: readonly Series[];
  readonly height: number;
  readonly children: ComponentChildren;
}) {
  const { id, label, series, height } = props;
  return (
    <>
      <svg class="atb-chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={label}>
        <Patterns {...{ id, series }} />
        {props.children}
      </svg>
      <ul class="atb-chart-key" aria-hidden="true">
        {series.map(({ name }, n) => (
          <li key={name}>
            <svg viewBox="0 0 14 14">
              <rect
                {...{ class: 'atb-chart-part', width: 14, height: 14, fill: `url(#${id}-${n})` }}
                data-series={n}
              />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The patterns: solid, hatched, dotted and crossed. */
const PATTERN_PATHS = ['', 'M-2 2 2 -2 M0 8 8 0 M6 10 10 6', 'M3 4h2', 'M0 4h8 M4 0v8'] as const;

function Patterns({ id, series }: Pick<ChartProps, 'id' | 'series'>) {
  return (
    <defs>
      {series.map(({ name }, n) => (
        <pattern
          {...{ id: `${id}-${n}`, width: 8, height: 8, patternUnits: 'userSpaceOnUse' }}
          key={name}
        >
          <rect class="atb-chart-fill" data-series={n} width="8" height="8" />
          <path class="atb-chart-mark" d={PATTERN_PATHS[n]} />
        </pattern>
      ))}
    </defs>
  );
}

function barParts({ figures }: ChartRow, series: readonly Series[]) {
  let from = 0;
  return series.map(({ measure }, n) => {
    const value = figures?.[measure] ?? 0;
    const part = { n, from, value };
    from += value;
    return part;
  });
}

/** Whether a bar has no data: a day without a row, or a row without figures. */
function isUnknown({ figures }: ChartRow, series: readonly Series[]): boolean {
  return series.every(({ measure }) => (figures?.[measure] ?? null) === null);
}

function largestSum(rows: readonly ChartRow[], series: readonly Series[]): number {
  const sums = rows.map((row) => barParts(row, series).reduce((sum, { value }) => sum + value, 0));
  return Math.max(0, ...sums);
}
