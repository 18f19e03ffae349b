import type { ComponentChildren } from 'preact';
import type { BoardRow, FoldRow, GroupRow, ItemRow, SessionRow, TaskTreeRow } from './rows';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { titleForEditing } from '../../core/board/note/typed-task';
import type { TaskRow, TaskWords } from '../model/outline';
import { Icon, StatusCheckbox, Title } from '../ui/icon';
import type { Intents } from '../board/intents';
import { isWritable } from '../board-view/shown-boards';
import { accessibleName, type Fact, type Reason as TaskReason } from '../model/row-words';
import { markChecked, markState, formatProgress } from '../../core/board/task-display';
import { ProgressBar, StateView } from '../session/state-line';
import { TaskWorkView, useTaskWork, workWords } from '../session/task-work';
import type { Overview } from '../model/overview';
import type { Board, Status, Task } from '../../core/board/task';
import { useIsCurrent, type CurrentTask } from '../model/current-task';
import { useShownStatus, type PendingStatuses } from '../model/pending-status';
import { useFocus } from '../ui/focus';
import { plainLine, typedProblem } from '../ui/text';
import { t } from '../language/text';

/** What every row needs of its tree. */
export interface RowEvents {
  /** prefix of the DOM ids of this tree's items; several trees may show one board */
  readonly scope: string;
  readonly pending: PendingStatuses;
  /** only in a view that follows the other views */
  readonly current?: CurrentTask | undefined;
  readonly overview: Pick<Overview, 'state' | 'onChange'>;
  readonly intents: Intents;
  /** A field was closed; `back`: the focus returns to its row. */
  readonly edited: (back: boolean) => void;
  readonly select: (row: ItemRow) => void;
  /** A click or a tap. */
  readonly press: (row: ItemRow, event: MouseEvent) => void;
  readonly fold: (row: ItemRow) => void;
  /** Opens the conversation of the row's session. */
  readonly open: (row: ItemRow) => void;
  readonly menu: (row: ItemRow, event: MouseEvent) => void;
}

/** `stop`: Tab reaches this row; `selected`: the current row; `picked`: selected with others. */
export type RowFocus = 'none' | 'stop' | 'selected' | 'picked' | 'picked stop';

/**
 * One item of the tree with its ARIA attributes; `class` and data are the caller's. Words that are
 * apart on screen need a space between them, or screen readers would read them as one.
 */
function TreeRow(props: {
  readonly row: ItemRow;
  readonly name: string;
  readonly focus: RowFocus;
  readonly events: RowEvents;
  readonly class: string;
  readonly data?: Readonly<Record<`data-${string}`, string | undefined>>;
  readonly depth?: number;
  readonly current?: 'true' | undefined;
  readonly onDblClick?: (event: MouseEvent) => void;
  readonly onPointerEnter?: () => void;
  readonly children: ComponentChildren;
}) {
  const { row, events } = props;
  const style = { '--atb-depth': props.depth ?? 0 };
  return (
    <div
      class={`atb-row ${props.class}`}
      role="treeitem"
      id={rowDomId(events.scope, row.id)}
      data-at={row.id}
      tabIndex={props.focus === 'none' || props.focus === 'picked' ? -1 : 0}
      aria-label={props.name}
      aria-level={row.level}
      aria-setsize={row.setsize}
      aria-posinset={row.posinset}
      aria-expanded={row.expanded ?? undefined}
      aria-selected={props.focus !== 'none' && props.focus !== 'stop'}
      aria-current={props.current}
      data-session={row.session}
      style={style}
      {...props.data}
      onClick={(event) => events.press(row, event)}
      onDblClick={props.onDblClick}
      onContextMenu={(event) => events.menu(row, event)}
      onPointerEnter={props.onPointerEnter}
      onFocus={() => events.select(row)}
    >
      {row.expanded !== null && (
        <span
          class="atb-twisty"
          aria-hidden="true"
          onClick={withoutPropagation(() => events.fold(row))}
        />
      )}
      {props.children}
    </div>
  );
}

/** DOM id of an item, for the tree's `aria-owns`: the item is not a direct child of the tree. */
export function rowDomId(scope: string, id: string): string {
  return `atb-row-${scope}${id.replace(/[^A-Za-z0-9-]/g, (char) => `_${char.charCodeAt(0).toString(16)}_`)}`;
}

/** The element of a row; undefined if it is not drawn. */
export function rowElement(tree: HTMLElement, id: string | undefined): HTMLElement | undefined {
  const items = tree.querySelectorAll<HTMLElement>('[role=treeitem]');
  return [...items].find((item) => item.dataset['at'] === id);
}

/**
 * One task: mark, title, why it waits, at most two facts, and a dot if somebody else changed it.
 */
export function TaskRowView({
  row,
  focus,
  editing,
  carried,
  events,
}: RowProps<TaskTreeRow> & {
  readonly editing: boolean;
  /** it was picked up; this row shows where it came from */
  readonly carried: boolean;
}) {
  const { intents, edited } = events;
  const status = useShownStatus(events.pending, row.board.path, row.row.task);
  const current = useIsCurrent(events.current, row.id);
  const { board } = row;
  const work = useTaskWork({ overview: events.overview, board, task: row.row.task });
  return useMemo(() => {
    const shown = withStatus(row.row, status);
    const { task, mark, checked } = shown;
    const { reason, facts, changed } = shown;
    const name = accessibleName(task, mark, reason, facts, changed, workWords(work));
    const tick = () => intents.tick(row.board, task);
    return (
      <TreeRow
        {...{ row, name, focus, events, current }}
        class="atb-task"
        depth={task.depth}
        data={{ ...taskData(row, shown), 'data-carried': carried ? '' : undefined }}
        onDblClick={(event) => intents.open(row.board, task, event.ctrlKey || event.metaKey)}
        {...(row.touched > 0 && {
          onPointerEnter: () => intents.markSeen(row.board.path, task.key),
        })}
      >
        <Guides depth={task.depth} />
        <StatusCheckbox
          state={mark}
          checked={checked}
          label={task.title}
          disabled={!isWritable(board)}
          onTick={tick}
        />
        <div class="atb-task-body">
          <div class="atb-task-line">
            {editing ? (
              <RenameField {...{ board: row.board, task, intents }} onClose={edited} />
            ) : (
              <Title words={task.title} />
            )}{' '}
            <Facts facts={shown.facts} touched={row.touched > 0} />
          </div>{' '}
          <Reason reason={shown.reason} /> <TaskWorkView {...{ board, task, work }} />
        </div>
      </TreeRow>
    );
  }, [row, board, status, focus, current, work, editing, carried, events]);
}

/** A task with its row's texts until the status is written; effects on others come later. */
type ShownTask = Omit<TaskWords, 'name'> & { readonly task: Task };

function withStatus(row: TaskRow, status: Status): ShownTask {
  const words = row.words();
  if (status === row.task.status) return { ...words, task: row.task };
  const task = { ...row.task, status };
  const mark = markState(task, false);
  const checked = markChecked(mark);
  return { ...words, task, mark, checked, reason: null };
}

const REASON_ICONS: Readonly<Partial<Record<TaskReason['kind'], string>>> = {
  waits: 'hourglass',
  review: 'eye',
};

function Reason({ reason }: Pick<TaskWords, 'reason'>) {
  if (reason === null) return null;
  const icon = REASON_ICONS[reason.kind];
  return (
    <div class="atb-reason">
      {icon !== undefined && <Icon name={icon} />}
      <span class="atb-reason-text" title={reason.text}>
        {reason.text}
      </span>
    </div>
  );
}

function taskData(row: TaskTreeRow, { task, mark }: ShownTask) {
  return {
    'data-row': 'task',
    'data-key': task.key,
    'data-id': task.id ?? '',
    'data-state': mark,
    'data-touch': row.touched === 0 ? undefined : row.touched % 2 === 1 ? 'odd' : 'even',
  } as const;
}

/** Vertical lines below the checkboxes of the ancestors. */
function Guides({ depth }: { readonly depth: number }) {
  return (
    <>
      {Array.from({ length: depth }, (_, at) => (
        <span class="atb-guide" key={at} style={{ '--atb-at': at }} aria-hidden="true" />
      ))}
    </>
  );
}

/** Facts of a task. The critical path is only an icon; tooltip and row name have its text. */
function Facts(props: { readonly facts: readonly Fact[]; readonly touched: boolean }) {
  if (props.facts.length === 0 && !props.touched) return null;
  return (
    <span class="atb-facts">
      {props.facts.flatMap((fact) => [
        ' ',
        <span
          class={fact.iconOnly ? 'atb-fact is-icon' : 'atb-fact'}
          key={fact.kind}
          title={fact.text}
        >
          {fact.icon !== null && <Icon name={fact.icon} />}
          {fact.kind !== 'critical' && (
            <span class={fact.iconOnly ? 'atb-unseen' : undefined}>{fact.text}</span>
          )}
        </span>,
      ])}
      {props.touched && <span class="atb-dot" title={t('boardView.changedSinceYouLastLooked')} />}
    </span>
  );
}

interface RowProps<R> {
  readonly row: R;
  readonly focus: RowFocus;
  readonly events: RowEvents;
}

/** A session: title, progress and state; a subagent's in one line. */
export function SessionRowView({ row, focus, events }: RowProps<SessionRow>) {
  const count = row.total > 0 && <span class="atb-count">{formatProgress(row)}</span>;
  const child = row.kind === 'child';
  const title = (
    <>
      <Title words={row.title} />{' '}
      {row.client !== undefined && (
        <span class="atb-client" title={t('sidebar.clientWorksHere', { client: row.client })}>
          {plainLine(row.client)}
        </span>
      )}
    </>
  );
  return (
    <TreeRow
      {...{ row, focus, events }}
      name={row.name}
      class={`atb-${row.kind}`}
      data={{ 'data-row': row.kind }}
      depth={child ? row.level - 2 : 0}
      onDblClick={() => events.open(row)}
    >
      {child ? (
        <div class="atb-line atb-task-body">
          {title} <StateView line={row.state} /> {count}
        </div>
      ) : (
        <>
          <div class="atb-line">
            {title} {count}
          </div>{' '}
          <div class="atb-line">
            <StateView line={row.state} />{' '}
            {row.left !== '' && (
              <span class="atb-left" title={row.left}>
                {row.left}
              </span>
            )}
          </div>
          <ProgressBar done={row.done} total={row.total} />
        </>
      )}
    </TreeRow>
  );
}

/** One of a session's several boards. */
export function BoardRowView(props: RowProps<BoardRow>) {
  return <CountedRow {...props} kind="board" title={props.row.title} counts={props.row} />;
}

/** A heading with the progress of the tasks under it; a double click folds it. */
function CountedRow(
  props: RowProps<BoardRow | GroupRow> & {
    readonly kind: 'board' | 'phase';
    readonly title: string;
    readonly counts: Parameters<typeof formatProgress>[0];
  },
) {
  const { row, focus, events, kind, title } = props;
  return (
    <TreeRow
      {...{ row, focus, events }}
      name={row.name}
      class="atb-phase"
      data={{ 'data-row': kind }}
      onDblClick={() => events.fold(row)}
    >
      <Title words={title} /> <span class="atb-count">{formatProgress(props.counts)}</span>
    </TreeRow>
  );
}

/** The number of folded sessions; a click shows them. */
export function FoldRowView({ row, focus, events }: RowProps<FoldRow>) {
  return (
    <TreeRow
      {...{ row, focus, events }}
      name={row.name}
      class={`atb-phase atb-${row.kind}`}
      data={{ 'data-row': row.kind }}
    >
      <FoldTitle words={row.title} onFold={() => events.fold(row)} />{' '}
      {row.working > 0 && (
        <StateView
          line={{
            icon: 'spinner',
            text: t('sidebar.working', { working: row.working }),
            tone: 'plain',
          }}
        />
      )}
    </TreeRow>
  );
}

/** A title that folds or unfolds its row when clicked. */
function FoldTitle({ words, onFold }: { readonly words: string; readonly onFold: () => void }) {
  return (
    <span class="atb-title" onClick={withoutPropagation(onFold)}>
      {words}
    </span>
  );
}

/** Handles a click and keeps it from the row. */
function withoutPropagation(act: () => void) {
  return (event: MouseEvent) => {
    event.stopPropagation();
    act();
  };
}

export function GroupRowView({ row, focus, events }: RowProps<GroupRow>) {
  return useMemo(() => {
    const group = row.row;
    const shared = { row, focus, events };
    if (group.kind === 'phase') {
      return <CountedRow {...shared} kind="phase" title={group.title} counts={group} />;
    }
    return (
      <TreeRow {...shared} name={group.text} class="atb-finished" data={{ 'data-row': 'finished' }}>
        <FoldTitle words={group.text} onFold={() => events.fold(row)} />
      </TreeRow>
    );
  }, [row, focus, events]);
}

/** The field for a new task at the end of a board. */
export function AddRowView(props: {
  readonly id: string;
  readonly board: Board;
  /** Whether Tab reaches this field. */
  readonly stop: boolean;
  readonly onAdd: (title: string) => void;
  /** Called when the focus should return to the tree. */
  readonly onLeave: () => void;
}) {
  const { board } = props;
  const field = useRef<HTMLInputElement>(null);
  const { wrong, setWrong, attributes } = useProblem();
  const clear = () => {
    if (field.current !== null) field.current.value = '';
    setWrong(undefined);
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      clear();
      props.onLeave();
    }
    if (event.key !== 'Enter') return;
    const title = field.current?.value.trim() ?? '';
    if (title === '') return;
    const problem = typedProblem(board, title);
    if (problem !== undefined) return setWrong(problem);
    clear();
    props.onAdd(title);
  };
  return (
    <div class="atb-add" data-row="add" data-at={props.id} data-session={board.session}>
      <Icon name="plus" />
      <span class="atb-edit-box">
        <input
          type="text"
          ref={field}
          maxLength={500}
          placeholder={t('board.addTaskToTitle', { title: board.title })}
          aria-label={t('board.addTaskToTitle', { title: board.title })}
          tabIndex={props.stop ? 0 : -1}
          {...attributes}
          onKeyDown={onKey}
        />
        {wrong}
      </span>
    </div>
  );
}

/** A field for the title of a task, in place of the title. */
export function RenameField(props: {
  readonly board: Board;
  readonly task: Task;
  readonly intents: Pick<Intents, 'rename' | 'offerLostText'>;
  /** The field was closed; `back`: the focus returns to its task. */
  readonly onClose: (back: boolean) => void;
}) {
  const { board, task, intents } = props;
  return (
    <EditField
      initial={titleForEditing(task.title)}
      label={t('boardView.renameTitle', { title: task.title })}
      problem={(title) => typedProblem(board, title)}
      onSave={(title) => intents.rename(board, task, title)}
      onClose={props.onClose}
      onLost={(typed) => intents.offerLostText(task.title, typed)}
    />
  );
}

/**
 * A field for a title, in place of a row: Enter or losing the focus keeps the text, Esc drops it.
 */
export function EditField(props: {
  readonly initial: string;
  readonly label: string;
  /** returns what is wrong with a title; Enter then shows it and keeps the field open */
  readonly problem: (title: string) => string | undefined;
  /** called with the title if it changed */
  readonly onSave: (title: string) => void;
  /** The field was closed; `back`: the focus returns to the row. */
  readonly onClose: (back: boolean) => void;
  /** The row was removed while the person typed; called with the text, if there is one. */
  readonly onLost: (typed: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const ended = useRef(false);
  const { wrong, setWrong, attributes } = useProblem();
  useFocus(field);
  const typed = (): string | undefined => {
    const title = field.current?.value.trim() ?? '';
    // The default value follows the task, which others may have renamed meanwhile.
    return title === '' || title === field.current?.defaultValue ? undefined : title;
  };
  const close = (keep: boolean, back: boolean): void => {
    if (ended.current) return;
    ended.current = true;
    const title = typed();
    if (keep && title !== undefined) props.onSave(title);
    props.onClose(back);
  };
  const handleBlur = (): void => {
    const input = field.current;
    // The field gets the focus back with the window, or still has it if its row was only moved.
    const stays = input?.ownerDocument.hasFocus() === false || input?.matches(':focus') === true;
    if (input !== null && !stays) close(true, false);
  };
  const onUnmount = useRef<() => void>(() => undefined);
  onUnmount.current = () => {
    const title = typed();
    if (ended.current) return;
    ended.current = true;
    if (title !== undefined) props.onLost(title);
    props.onClose(true);
  };
  useLayoutEffect(() => () => onUnmount.current(), []);
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === 'Escape') close(false, true);
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const title = typed();
    const problem = title === undefined ? undefined : props.problem(title);
    if (problem === undefined) close(true, true);
    else setWrong(problem);
  };
  return (
    <span class="atb-edit-box">
      <input
        type="text"
        class="atb-edit"
        ref={field}
        defaultValue={props.initial}
        maxLength={500}
        aria-label={props.label}
        {...attributes}
        onKeyDown={onKey}
        onClick={(event) => event.stopPropagation()}
        onDblClick={(event) => event.stopPropagation()}
        onBlur={() => queueMicrotask(handleBlur)}
      />
      {wrong}
    </span>
  );
}

/** Shows below a field what is wrong with its text, until the text changes. */
function useProblem() {
  const [problem, setProblem] = useState<string>();
  const id = useId();
  return {
    setWrong: setProblem,
    attributes: {
      'aria-invalid': problem !== undefined,
      'aria-describedby': problem === undefined ? undefined : id,
      onInput: () => setProblem(undefined),
    },
    wrong: problem !== undefined && (
      <span class="atb-problem" role="alert" id={id}>
        {problem}
      </span>
    ),
  };
}
