import { useMemo } from 'preact/hooks';
import type { OlderRow } from './older-row';
import type { BoardRow, OutlineTreeRow, SessionRow } from './rows';
import { ProgressBar, StateView } from './state-view';
import { TreeRow, type RowEvents, type RowFocus } from './tree-row';

interface RowProps<R> {
  readonly row: R;
  readonly focus: RowFocus;
  readonly events: RowEvents;
}

/** "3 / 12", "1,000 / 5,000" */
function figures({ done, total }: { readonly done: number; readonly total: number }): string {
  return `${done.toLocaleString('en')} / ${total.toLocaleString('en')}`;
}

/** A session: title and progress, what it is doing, how far it is. */
export function SessionRowView({ row, focus, events }: RowProps<SessionRow>) {
  const count = row.total > 0 && <span class="atb-count">{figures(row)}</span>;
  if (row.kind === 'child') {
    return (
      <TreeRow
        {...{ row, focus, events }}
        class="atb-child"
        data={{ 'data-row': 'child' }}
        onDblClick={() => events.open(row)}
      >
        <div class="atb-line atb-task-body">
          <span class="atb-title" title={row.title}>
            {row.title}
          </span>
          <StateView line={row.state} />
          {count}
        </div>
      </TreeRow>
    );
  }
  return (
    <TreeRow
      {...{ row, focus, events }}
      class="atb-session"
      data={{ 'data-row': 'session' }}
      onDblClick={() => events.open(row)}
    >
      <div class="atb-line">
        <span class="atb-title" title={row.title}>
          {row.title}
        </span>
        {count}
      </div>
      <StateView line={row.state} />
      <ProgressBar done={row.done} total={row.total} />
    </TreeRow>
  );
}

/** One of a session's several boards. */
export function BoardRowView({ row, focus, events }: RowProps<BoardRow>) {
  return (
    <TreeRow
      {...{ row, focus, events }}
      class="atb-phase"
      data={{ 'data-row': 'board' }}
      onDblClick={() => events.fold(row)}
    >
      <span class="atb-title">{row.title}</span>
      <span class="atb-count">{figures(row)}</span>
    </TreeRow>
  );
}

/** How many sessions are folded away; a click shows them. */
export function OlderRowView({ row, focus, events }: RowProps<OlderRow>) {
  return (
    <TreeRow {...{ row, focus, events }} class="atb-phase atb-older" data={{ 'data-row': 'older' }}>
      <span
        class="atb-title"
        onClick={(event) => {
          event.stopPropagation();
          events.fold(row);
        }}
      >
        {row.title}
      </span>
    </TreeRow>
  );
}

/** A phase, or the finished tasks at its head. */
export function GroupRowView({ row, focus, events }: RowProps<OutlineTreeRow>) {
  return useMemo(() => {
    const group = row.row;
    if (group.kind === 'task') return null;
    const shared = { row, focus, events };
    if (group.kind === 'finished') {
      return (
        <TreeRow {...shared} class="atb-finished" data={{ 'data-row': 'finished' }}>
          <span
            class="atb-title"
            onClick={(event) => {
              event.stopPropagation();
              events.fold(row);
            }}
          >
            {group.text}
          </span>
        </TreeRow>
      );
    }
    return (
      <TreeRow
        {...shared}
        class="atb-phase"
        data={{ 'data-row': 'phase' }}
        onDblClick={() => events.fold(row)}
      >
        <span class="atb-title" title={group.title}>
          {group.title}
        </span>
        <span class="atb-count">{figures(group)}</span>
      </TreeRow>
    );
  }, [row, focus, events]);
}
