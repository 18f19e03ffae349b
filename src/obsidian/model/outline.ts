import { lazy } from '../../core/lazy';
import { boardFacts, isFinished, progress, type TaskFacts } from '../../core/board/facts';
import { criticalTasks } from '../../core/board/graph/schedule';
import type { Board, Task } from '../../core/board/task';
import {
  hasReason,
  markChecked,
  markState,
  formatProgress,
  type MarkState,
} from '../../core/board/task-display';
import { t } from '../language/text';
import { accessibleName, reasonLine, rowFacts, type Fact, type Reason } from './row-words';

interface Row {
  /** unique in the outline; stays the same while the row says the same thing */
  readonly key: string;
  /** aria-level within the board, 1 at its top; a tree with a session row on top adds 1 */
  readonly level: number;
  readonly setsize: number;
  readonly posinset: number;
}

interface PhaseRow extends Row {
  readonly kind: 'phase';
  /** accessible name */
  readonly name: string;
  readonly title: string;
  /** counted as in `progress` */
  readonly done: number;
  readonly total: number;
  readonly expanded: boolean;
}

/** Represents the finished tasks at the start of a phase. */
interface FinishedRow extends Row {
  readonly kind: 'finished';
  /** accessible name */
  readonly name: string;
  /** "2 finished": subtasks are counted, too */
  readonly text: string;
  readonly count: number;
  readonly expanded: boolean;
}

export interface TaskRow extends Row {
  readonly kind: 'task';
  readonly task: Task;
  /** null where it has no subtasks */
  readonly expanded: boolean | null;
  /** whether `words` have a reason, which makes the row taller */
  readonly hasReason: boolean;
  /** Computed on demand, since few rows of a long list are drawn. */
  readonly words: () => TaskWords;
}

/** The texts of a task's row. */
export interface TaskWords {
  /** accessible name */
  readonly name: string;
  readonly mark: MarkState;
  /** the state's word: Ready, Waiting, In progress, Done, Failed, Deferred, Cancelled */
  readonly word: string;
  /** aria-checked of the mark */
  readonly checked: 'true' | 'false' | 'mixed';
  /** the line under the title */
  readonly reason: Reason | null;
  /** at most two, at the row's end */
  readonly facts: readonly Fact[];
  readonly changed: boolean;
}

export type OutlineRow = PhaseRow | FinishedRow | TaskRow;

export interface OutlineOptions {
  /** fold finished tasks at the head of a phase (more than two sessions, or 20 rows) */
  readonly foldFinished: boolean;
  /** keys of phase and task rows that the person folded */
  readonly folded: ReadonlySet<string>;
  /** keys of finished rows that the person opened */
  readonly opened?: ReadonlySet<string>;
  /** key of a task that counts as open here, so that its row stays while the person is on it */
  readonly pinned?: string | undefined;
  /** keys of tasks that another party changed since the person looked */
  readonly changed: ReadonlySet<string>;
  /** `YYYY-MM-DD`; due dates of another year then show it */
  readonly today?: string;
}

/** The rows of a board as a sidebar draws them, from top to bottom, without folded ones. */
export function outline(board: Board, options: OutlineOptions): readonly OutlineRow[] {
  return new Outline(board, options).rows;
}

/** Folding fewer would not save a row. */
const MIN_FOLDED = 2;

/**
 * An entry of one level that is counted as one: a phase, a task, or the finished tasks at the start
 * of a phase.
 */
type Entry = Section | TaskNode | FinishedTasks;

interface FinishedTasks {
  readonly key: string;
  readonly count: number;
  readonly inside: readonly TaskNode[];
}

class Outline {
  readonly rows: OutlineRow[] = [];
  private readonly facts: ReadonlyMap<string, TaskFacts>;
  private readonly tasks = lazy(() => new Map(this.board.tasks.map((task) => [task.key, task])));
  private readonly critical = lazy(() => criticalTasks(this.board.tasks));

  constructor(
    private readonly board: Board,
    private readonly options: OutlineOptions,
  ) {
    this.facts = boardFacts(board);
    const entries = taskTree(board).flatMap((section) =>
      section.title === null ? this.sectionEntries(section) : [section],
    );
    this.drawAll(entries, 1);
  }

  private drawAll(entries: readonly Entry[], level: number): void {
    entries.forEach((entry, at) => {
      const place = { level, setsize: entries.length, posinset: at + 1 };
      if ('task' in entry) this.drawTask(entry, place);
      else if ('nodes' in entry) this.drawPhase(entry, place);
      else this.drawFinished(entry, place);
    });
  }

  private drawPhase(section: Section, place: Omit<Row, 'key'>): void {
    const { key, done, total } = section;
    const title = section.title ?? '';
    const expanded = !this.options.folded.has(key);
    const name = `${title}, ${formatProgress(section)}`;
    this.rows.push({ kind: 'phase', key, ...place, name, title, done, total, expanded });
    if (expanded) this.drawAll(this.sectionEntries(section), place.level + 1);
  }

  private sectionEntries({ key, nodes }: Section): readonly Entry[] {
    if (!this.options.foldFinished) return nodes;
    const firstOpen = nodes.findIndex((node) => node.open || this.containsPinned(node));
    const inside = nodes.slice(0, firstOpen < 0 ? nodes.length : firstOpen);
    const count = inside.reduce((sum, node) => sum + node.size, 0);
    if (count < MIN_FOLDED) return nodes;
    return [{ key: `finished ${key}`, count, inside }, ...nodes.slice(inside.length)];
  }

  private containsPinned({ task, children }: TaskNode): boolean {
    const { pinned } = this.options;
    if (pinned === undefined) return false;
    return task.key === pinned || children.some((child) => this.containsPinned(child));
  }

  private drawFinished({ key, count, inside }: FinishedTasks, place: Omit<Row, 'key'>): void {
    const expanded = this.options.opened?.has(key) === true;
    const text = t('words.countFinished', { count });
    this.rows.push({ kind: 'finished', key, ...place, name: text, text, count, expanded });
    if (expanded) this.drawAll(inside, place.level + 1);
  }

  private drawTask({ task, children }: TaskNode, { level, setsize, posinset }: Omit<Row, 'key'>) {
    const { key } = task;
    const expanded = children.length === 0 ? null : !this.options.folded.has(key);
    // No spread here: there are thousands of rows, and spreads take several times as long.
    this.rows.push({
      kind: 'task',
      key,
      level,
      setsize,
      posinset,
      task,
      expanded,
      hasReason: hasReason(task, this.facts.get(key)),
      words: lazy(() => this.words(task)),
    });
    if (expanded === true) this.drawAll(children, level + 1);
  }

  private words(task: Task): TaskWords {
    const known = this.facts.get(task.key);
    const mark = markState(task, known?.blocked === true);
    const reason = reasonLine(task, this.tasks(), this.facts);
    const { today } = this.options;
    const facts = rowFacts(task, known, this.board.agent, today, this.critical().has(task.key));
    const changed = this.options.changed.has(task.key);
    const checked = markChecked(mark);
    const name = accessibleName(task, mark, reason, facts, changed);
    return { mark, word: t(`mark.${mark}`), checked, reason, facts, changed, name };
  }
}

export interface TaskNode {
  readonly task: Task;
  readonly children: readonly TaskNode[];
  /** it or one of its subtasks is not finished */
  readonly open: boolean;
  /** number of tasks in it, itself included */
  readonly size: number;
}

/** Consecutive top-level tasks under one heading. */
interface Section {
  /** unique, even if two sections have the same heading */
  readonly key: string;
  /** null under no heading */
  readonly title: string | null;
  readonly nodes: readonly TaskNode[];
  /** completed tasks, including subtasks; cancelled tasks don't count */
  readonly done: number;
  readonly total: number;
}

interface MutableNode {
  readonly task: Task;
  readonly children: MutableNode[];
  open: boolean;
  size: number;
}

type TaskTreeOf = Pick<Board, 'tasks' | 'unchecked'>;

/** The tasks of a board by heading and hierarchy, in the order of their lines. */
export function taskTree({ tasks, unchecked }: TaskTreeOf): readonly Section[] {
  const nodes = new Map<string, MutableNode>();
  const roots: MutableNode[] = [];
  for (const task of tasks) {
    const node: MutableNode = { task, children: [], open: !isFinished(task), size: 1 };
    nodes.set(task.key, node);
    const parent = task.parent === null ? undefined : nodes.get(task.parent);
    (parent?.children ?? roots).push(node);
  }
  for (let i = tasks.length - 1; i >= 0; i -= 1) {
    const task = tasks[i] as Task;
    // Subtasks follow their parent, so going backwards each node is complete before it is added.
    const node = nodes.get(task.key);
    const parent = task.parent === null ? undefined : nodes.get(task.parent);
    if (!node || !parent) continue;
    parent.size += node.size;
    parent.open ||= node.open;
  }
  return sectionsOf(roots, unchecked);
}

function sectionsOf(roots: readonly TaskNode[], unchecked: Board['unchecked']): readonly Section[] {
  const sections: Section[] = [];
  const seen = new Map<string | null, number>();
  for (let i = 0; i < roots.length;) {
    const title = roots[i]?.task.phase ?? null;
    const start = i;
    while (i < roots.length && (roots[i]?.task.phase ?? null) === title) i += 1;
    const nth = (seen.get(title) ?? 0) + 1;
    seen.set(title, nth);
    const nodes = roots.slice(start, i);
    const key = title === null ? `tasks ${nth}` : `phase ${nth} ${title}`;
    const counted = { tasks: tasksOf(nodes), ...(unchecked && { unchecked }) };
    sections.push({ key, title, nodes, ...progress(counted) });
  }
  return sections;
}

/** The tasks of all levels, unordered. */
function tasksOf(nodes: readonly TaskNode[]): readonly Task[] {
  const tasks: Task[] = [];
  const rest = [...nodes];
  for (let node = rest.pop(); node; node = rest.pop()) {
    tasks.push(node.task);
    for (const child of node.children) rest.push(child);
  }
  return tasks;
}
