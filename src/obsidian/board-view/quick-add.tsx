import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Board, Task } from '../../core/board/task';
import { matchingTasks, idQuery } from '../../core/board/find-task';
import { targetOf, type TaskDestination } from '../board/task-moves';
import type { Intents } from '../board/intents';
import { useFocus } from '../ui/focus';
import { isWritable } from './shown-boards';
import { t } from '../language/text';
import { plainLine, typedProblem } from '../ui/text';

interface IdCompletions {
  readonly from: number;
  readonly form: 'id' | 'number';
  readonly tasks: readonly Task[];
  readonly chosen: number;
}

/** Where a new task is added. */
export interface AddPlace {
  readonly kind: 'end' | 'after' | 'under' | 'phase';
  /** path of the plan */
  readonly plan: string;
  /** key of the task after or under which it is added */
  readonly task?: string | undefined;
  readonly phase?: string | undefined;
  /** changes each time that the field is requested */
  readonly asked: number;
}

/** The field for new tasks at a place of a plan; nothing if the plan accepts no tasks. */
export function QuickAddAt(props: {
  readonly at: AddPlace;
  readonly boards: readonly Board[];
  readonly intents: Pick<Intents, 'add' | 'offerLostText'>;
  readonly onClose: () => void;
}) {
  const { at, intents } = props;
  const last = useRef<{
    readonly to: string | undefined;
    readonly added: Promise<Task | undefined>;
  }>(undefined);
  const beside = useRef<Task>(undefined);
  const board = props.boards.find(({ path }) => path === at.plan);
  if (board === undefined || !isWritable(board)) return null;
  // Not from what is drawn: a task that the filter hides by now keeps its place in the note.
  const there = board.tasks.find(({ key }) => key === at.task);
  beside.current = there ?? (at.task === undefined ? undefined : beside.current);
  const task = beside.current;
  const place = placeOf(at, task);
  const add = async (title: string): Promise<Task | undefined> => {
    // A task typed while the one before it is still being written goes after that one.
    const before = last.current?.to === at.task ? await last.current?.added : undefined;
    const after = at.kind === 'after' && before ? { after: targetOf(before) } : place;
    return intents.add(board, title, after);
  };
  return (
    <QuickAdd
      board={board}
      label={labelOf(at, task, board)}
      problem={there === task ? undefined : t('boardView.taskGone')}
      asked={at.asked}
      onAdd={(title) => {
        last.current = { to: at.task, added: add(title) };
      }}
      onClose={props.onClose}
      onLost={(typed) => intents.offerLostText(board.title, typed)}
    />
  );
}

function placeOf(at: AddPlace, task: Task | undefined): TaskDestination | undefined {
  if (at.kind === 'phase' && at.phase !== undefined) return { phase: at.phase };
  if (task === undefined) return undefined;
  return at.kind === 'under' ? { parent: targetOf(task) } : { after: targetOf(task) };
}

function labelOf(at: AddPlace, task: Task | undefined, board: Board): string {
  if (at.kind === 'phase' && at.phase !== undefined)
    return t('boardView.addTaskTo', { name: at.phase });
  if (task === undefined) {
    return t('boardView.addTaskTo', { name: board.title === '' ? board.agent : board.title });
  }
  const { title } = task;
  return t(at.kind === 'under' ? 'sidebar.addSubtaskOf' : 'sidebar.addTaskAfter', { title });
}

/**
 * A field for new tasks in the note's syntax; `⛔` and `#` complete ids by title. Enter adds the
 * task and keeps the field open. Changes of the board don't affect the text in it.
 */
function QuickAdd(props: {
  readonly board: Board;
  /** "Add task to Release" */
  readonly label: string;
  /** takes the focus whenever this changes */
  readonly asked: number;
  /** why no task can be added now */
  readonly problem: string | undefined;
  readonly onAdd: (title: string) => void;
  readonly onClose: () => void;
  /** Called with the text if the field was removed while it had some. */
  readonly onLost: (typed: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const { offered, setOffered, take, choose } = useCompletions(field);
  const [problem, setProblem] = useState<string>();
  useFocus(field, props.asked);
  useLostText(field, props.onLost);
  const look = () => {
    setProblem(undefined);
    setOffered(completionsFor(props.board, field.current));
  };
  const enter = () => {
    const title = field.current?.value.trim() ?? '';
    if (title === '') return;
    const wrong = props.problem ?? typedProblem(props.board, title);
    if (wrong !== undefined) return setProblem(wrong);
    if (field.current !== null) field.current.value = '';
    props.onAdd(title);
  };
  const leave = () => {
    if (field.current !== null) field.current.value = '';
    props.onClose();
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.isComposing) return;
    const takes = () => take(offered?.tasks[offered.chosen]);
    const acts: Readonly<Record<string, (() => void) | undefined>> =
      offered === undefined
        ? { Escape: leave, Enter: enter }
        : {
            ...{ ArrowDown: () => choose(1), ArrowUp: () => choose(-1) },
            ...{ Enter: takes, Tab: takes, Escape: () => setOffered(undefined) },
          };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const list = `${id}-list`;
  return (
    <div class="atb-quick-add">
      <input
        type="text"
        ref={field}
        maxLength={500}
        placeholder={props.label}
        aria-label={props.label}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={offered !== undefined}
        aria-controls={list}
        aria-activedescendant={offered && `${list}-${offered.chosen}`}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onInput={look}
        onKeyDown={onKey}
        onBlur={() => setOffered(undefined)}
      />
      {problem !== undefined && (
        <span class="atb-problem" role="alert" id={`${id}-problem`}>
          {problem}
        </span>
      )}
      <IdCompletionList {...{ list, offered, take }} />
    </div>
  );
}

/** The tasks offered to complete an id, and the choice among them. */
function useCompletions(field: { readonly current: HTMLInputElement | null }) {
  const [offered, setOffered] = useState<IdCompletions>();
  const take = (task: Task | undefined) => {
    const input = field.current;
    if (input === null || offered === undefined || task === undefined) return;
    const text = offered.form === 'number' && task.n !== null ? `#${task.n}` : (task.id ?? '');
    input.setRangeText(text, offered.from, input.selectionStart ?? input.value.length, 'end');
    setOffered(undefined);
  };
  const choose = (step: number) => {
    const count = offered?.tasks.length ?? 0;
    if (offered !== undefined)
      setOffered({ ...offered, chosen: (offered.chosen + step + count) % count });
  };
  return { offered, setOffered, take, choose };
}

/** The tasks that match the typed text. */
function IdCompletionList(props: {
  readonly list: string;
  readonly offered: IdCompletions | undefined;
  readonly take: (task: Task) => void;
}) {
  const { list, offered, take } = props;
  return (
    <div
      role="listbox"
      aria-label={t('boardView.tasks')}
      id={list}
      class="atb-src-suggestions"
      hidden={!offered}
    >
      {offered?.tasks.map((task, index) => (
        <div
          key={task.key}
          role="option"
          class="atb-src-suggestion"
          id={`${list}-${index}`}
          aria-selected={index === offered.chosen}
          onMouseDown={(event) => {
            // Keeps the focus in the field.
            event.preventDefault();
            take(task);
          }}
        >
          <span class="atb-src-suggestion-title">{plainLine(task.title)}</span>{' '}
          <span class="atb-src-suggestion-id">#{task.n ?? task.id ?? ''}</span>
        </div>
      ))}
    </div>
  );
}

function completionsFor(board: Board, input: HTMLInputElement | null): IdCompletions | undefined {
  if (input === null) return undefined;
  const query = idQuery(input.value.slice(0, input.selectionStart ?? input.value.length));
  if (query === undefined) return undefined;
  const tasks = matchingTasks(board.tasks, query, null);
  return tasks.length === 0 ? undefined : { from: query.from, form: query.form, tasks, chosen: 0 };
}

function useLostText(
  field: { readonly current: HTMLInputElement | null },
  onLost: (typed: string) => void,
): void {
  const lost = useRef(onLost);
  lost.current = onLost;
  useLayoutEffect(() => {
    const input = field.current;
    return () => {
      const typed = input?.value.trim() ?? '';
      if (typed !== '') lost.current(typed);
    };
  }, [field]);
}
