import { useState } from 'preact/hooks';
import type { Figures } from '../../core/metrics/figures';
import type { Metrics } from '../../core/metrics/metrics';
import { t } from '../language/text';
import { Button, useAccessibleName } from '../ui/icon';
import type { Series } from './chart';
import { figureWords, type RowNames } from './figure-words';
import { GROUP_WORDS } from './metrics-bar';

/** Rows shown at first. */
const FIRST_ROWS = 7;

/** The figures of a chart, including the rows that have no bar. */
export function FiguresTable(props: {
  readonly title: string;
  readonly columns: readonly Series[];
  readonly metrics: Metrics;
  readonly names: RowNames;
}) {
  const { columns, metrics, names } = props;
  const [isExpanded, setExpanded] = useState(false);
  const { rows, by, total } = metrics;
  const newestFirst = by === 'day' ? rows.toReversed() : rows;
  const shown = isExpanded ? newestFirst : newestFirst.slice(0, FIRST_ROWS);
  const left = rows.length - shown.length;
  const cells = (figures: Figures) =>
    columns.map(({ measure }) => <td key={measure}>{figureWords(measure, figures[measure])}</td>);
  const [named, name] = useAccessibleName(props.title);
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
          onClick={() => setExpanded(true)}
        />
      )}
    </>
  );
}
