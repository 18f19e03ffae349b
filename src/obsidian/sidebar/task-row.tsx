import { useMemo } from 'preact/hooks';
import type { Fact, TaskRow as TaskOutline } from '../../core/board/outline';
import { Icon } from '../part/icon';
import { Mark } from '../part/mark';
import { EditField } from './edit-field';
import type { TaskIntents } from './intents';
import type { OutlineTreeRow } from './rows';
import { TreeRow, type RowEvents, type RowFocus } from './tree-row';

export interface TaskRowProps {
  readonly row: OutlineTreeRow;
  readonly focus: RowFocus;
  readonly editing: boolean;
  readonly events: RowEvents;
  readonly intents: TaskIntents;
  readonly onEdited: (back: boolean) => void;
}

/** One task: mark, title, why it waits, at most two facts, a dot where somebody else changed it. */
export function TaskRowView({ row, focus, editing, events, intents, onEdited }: TaskRowProps) {
  return useMemo(() => {
    if (row.row.kind !== 'task') return null;
    const { task, mark, checked } = row.row;
    const tick = () => intents.tick(row.board, task);
    return (
      <TreeRow
        {...{ row, focus, events }}
        class="atb-task"
        depth={task.depth}
        data={taskData(row, row.row)}
        onDblClick={(event) => intents.open(row.board, task, event.ctrlKey || event.metaKey)}
        {...(row.touched > 0 && {
          onPointerEnter: () => intents.seen(row.board.path, task.key),
        })}
      >
        <Guides depth={task.depth} />
        <Mark state={mark} checked={checked} label={task.title} disabled={false} onTick={tick} />
        <div class="atb-task-body">
          <div class="atb-task-line">
            {editing ? (
              <EditField
                initial={task.title}
                label={`Rename ${task.title}`}
                onKeep={(title) => intents.rename(row.board, task, title)}
                onClose={onEdited}
                onLost={(typed) => intents.tellLost(task.title, typed)}
              />
            ) : (
              <span class="atb-title" title={task.title}>
                {task.title}
              </span>
            )}
            <Facts facts={row.row.facts} touched={row.touched > 0} />
          </div>
          <Reason reason={row.row.reason} />
        </div>
      </TreeRow>
    );
  }, [row, focus, editing, events, intents, onEdited]);
}

function Reason({ reason }: Pick<TaskOutline, 'reason'>) {
  if (reason === null) return null;
  return (
    <div class="atb-reason">
      {reason.kind === 'waits' && <Icon name="hourglass" />}
      <span class="atb-reason-text" title={reason.text}>
        {reason.text}
      </span>
    </div>
  );
}

function taskData(row: OutlineTreeRow, { task, mark }: TaskOutline) {
  return {
    'data-row': 'task',
    'data-key': task.key,
    'data-id': task.id ?? '',
    'data-state': mark,
    'data-touch': row.touched === 0 ? undefined : row.touched % 2 === 1 ? 'odd' : 'even',
  } as const;
}

/** Hairlines under the marks of the tasks above it. */
function Guides({ depth }: { readonly depth: number }) {
  return (
    <>
      {Array.from({ length: depth }, (_, at) => (
        <span class="atb-guide" key={at} style={{ '--atb-at': at }} aria-hidden="true" />
      ))}
    </>
  );
}

/** Titles need the room: critical path, another agent's name and the risk stand in the icon's tooltip. */
function isIconOnly(fact: Fact): boolean {
  return fact.kind === 'critical' || fact.kind === 'risk' || fact.icon === 'bot';
}

function factClass(fact: Fact): string {
  return isIconOnly(fact) ? 'atb-fact is-icon' : 'atb-fact';
}

/** The critical path is a mark, not a word of the line: its words are in the tooltip and in the row's name. */
function Facts(props: { readonly facts: readonly Fact[]; readonly touched: boolean }) {
  if (props.facts.length === 0 && !props.touched) return null;
  return (
    <span class="atb-facts">
      {props.facts.map((fact) => (
        <span class={factClass(fact)} key={fact.kind} title={fact.text}>
          {fact.icon !== null && <Icon name={fact.icon} />}
          {fact.kind !== 'critical' && (
            <span class={isIconOnly(fact) ? 'atb-unseen' : undefined}>{fact.text}</span>
          )}
        </span>
      ))}
      {props.touched && <span class="atb-dot" title="Changed since you last looked" />}
    </span>
  );
}
