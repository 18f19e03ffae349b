import { count, counted } from '../../core/orchestrator/counts';
import { useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import type { PlannedTask } from '../../core/orchestrator/plan-look';
import { Icon } from '../part/icon';
import type { PlanHint } from './check-plan';
import type { Deed } from './deed';
import { planRow, type PlanRow } from './plan-row';
import { RunRow } from './roving';
import { Section, ShowMore } from './section';
import { StateMark } from './state-mark';

/** Tasks of the plan under a name, the first of them; the rest is counted, and shown on request. */
export function PlanSection(props: {
  readonly name: string;
  readonly tasks: readonly PlannedTask[];
  readonly board: Board | undefined;
  readonly most: number;
  /** whether the head says how many are shown */
  readonly counts?: boolean;
  readonly onDo: (deed: Deed) => void;
}) {
  const { tasks, most, onDo } = props;
  const [all, setAll] = useState(false);
  if (tasks.length === 0) return null;
  const shown = all ? tasks : tasks.slice(0, most);
  const aside =
    props.counts === true ? `${count(shown.length)} of ${count(tasks.length)}` : undefined;
  return (
    <Section name={props.name} aside={aside}>
      <ul class="atb-run-list">
        {shown.map((task) => (
          <li key={task.id ?? `@${task.line}`}>
            <PlanRowView row={planRow(task, props.board)} name={props.name} onDo={onDo} />
          </li>
        ))}
      </ul>
      {shown.length < tasks.length && (
        <ShowMore
          words={`Show ${counted(tasks.length - shown.length, 'more task')}`}
          onClick={() => setAll(true)}
        />
      )}
    </Section>
  );
}

function PlanRowView(props: {
  readonly row: PlanRow;
  readonly name: string;
  readonly onDo: (deed: Deed) => void;
}) {
  const { row } = props;
  return (
    <RunRow
      id={`${props.name} ${row.id ?? `@${row.line}`}`}
      class="atb-run-task"
      title={row.title}
      onClick={() => props.onDo({ kind: 'board', task: row.id })}
    >
      <StateMark state={row.mark} />
      <span class="atb-run-body">
        <span class="atb-title">{row.title}</span>
        {row.text !== '' && <span class="atb-run-text">{row.text}</span>}
      </span>
    </RunRow>
  );
}

/** Hints that are drawn; the rest is counted. */
const MOST_HINTS = 8;

/** What to look at before the plan is approved. */
export function HintSection({ hints }: { readonly hints: readonly PlanHint[] }) {
  if (hints.length === 0) return null;
  const left = hints.length - MOST_HINTS;
  return (
    <Section name="Check the plan">
      <ul class="atb-run-list">
        {hints.slice(0, MOST_HINTS).map(({ icon, text }) => (
          <li class="atb-run-hint" key={text}>
            <Icon name={icon} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {left > 0 && <p class="atb-run-none">And {count(left)} more.</p>}
    </Section>
  );
}
