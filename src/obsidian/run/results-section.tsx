import { count, counted } from '../../core/orchestrator/counts';
import { useState } from 'preact/hooks';
import type { Deed } from './deed';
import type { Result } from './results';
import { RunRow } from './roving';
import { Section, ShowMore } from './section';
import { StateMark } from './state-mark';

const MOST = 10;

/** What came of the tasks that are done. */
export function ResultsSection(props: {
  readonly results: readonly Result[];
  readonly onDo: (deed: Deed) => void;
}) {
  const { results } = props;
  const [all, setAll] = useState(false);
  if (results.length === 0) return null;
  const shown = all ? results : results.slice(0, MOST);
  return (
    <Section name="Results" aside={count(results.length)}>
      <ul class="atb-run-list">
        {shown.map(({ id, line, title, text }) => (
          <li key={id ?? `@${line}`}>
            <RunRow
              id={`result ${id ?? `@${line}`}`}
              class="atb-run-task"
              title={title}
              onClick={() => props.onDo({ kind: 'board', task: id })}
            >
              <StateMark state="completed" />
              <span class="atb-run-body">
                <span class="atb-title">{title}</span>
                {text !== '' && <span class="atb-run-text">{text}</span>}
              </span>
            </RunRow>
          </li>
        ))}
      </ul>
      {shown.length < results.length && (
        <ShowMore
          words={`Show ${counted(results.length - shown.length, 'more result')}`}
          onClick={() => setAll(true)}
        />
      )}
    </Section>
  );
}
