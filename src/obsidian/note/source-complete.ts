import {
  Facet,
  Prec,
  StateEffect,
  StateField,
  Transaction,
  type EditorState,
  type Extension,
} from '@codemirror/state';
import {
  EditorView,
  keymap,
  showTooltip,
  type Command,
  type Tooltip,
  type TooltipView,
} from '@codemirror/view';
import { matchingTasks, idQuery, type IdQuery } from '../../core/board/find-task';
import { taskLineParts } from '../../core/board/merge/merge-line';
import type { Task } from '../../core/board/task';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

/** Provides the tasks from which ids are completed. */
export const completionTasks = Facet.define<() => readonly Task[], () => readonly Task[]>({
  combine: ([first]) => first ?? (() => []),
});

interface Suggestions {
  readonly query: IdQuery;
  /** offset at which the query starts */
  readonly from: number;
  readonly tasks: readonly Task[];
  readonly chosen: number;
}

const setChosen = StateEffect.define<number | null>();

const suggestions = StateField.define<Suggestions | null>({
  create: () => null,
  update(open, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setChosen)) continue;
      return open === null || effect.value === null ? null : { ...open, chosen: effect.value };
    }
    if (transaction.isUserEvent('input.type') || transaction.isUserEvent('delete.backward')) {
      return suggest(transaction.state);
    }
    if (!transaction.docChanged && transaction.selection === undefined) return open;
    // Changes by others, or merged by a save, must not close the list.
    const others = transaction.annotation(Transaction.remote) === true;
    return others && open !== null ? keepOpen(open, suggest(transaction.state)) : null;
  },
  provide: (field) => [
    showTooltip.from(field, (open) => open && tooltip(open)),
    EditorView.contentAttributes.from(field, (open) => attributes(open)),
  ],
});

const LIST_ID = 'atb-src-suggestions';

/** Completes ids by title after `⛔` and `#`. */
export function idCompletion(): Extension {
  const move =
    (by: number): Command =>
    (view) => {
      const open = view.state.field(suggestions);
      if (open === null) return false;
      const count = open.tasks.length;
      view.dispatch({ effects: setChosen.of((open.chosen + by + count) % count) });
      return true;
    };
  const keys = [
    { key: 'ArrowDown', run: move(1) },
    { key: 'ArrowUp', run: move(-1) },
    { key: 'Enter', run: accept },
    { key: 'Tab', run: accept },
    { key: 'Escape', run: close },
  ];
  return [suggestions, Prec.highest(keymap.of(keys))];
}

function suggest(state: EditorState): Suggestions | null {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const query = empty ? idQuery(line.text.slice(0, head - line.from)) : undefined;
  if (query === undefined) return null;
  const own = taskLineParts(line.text)?.id ?? null;
  const tasks = matchingTasks(state.facet(completionTasks)(), query, own);
  return tasks.length === 0 ? null : { query, from: line.from + query.from, tasks, chosen: 0 };
}

function keepOpen(before: Suggestions, now: Suggestions | null): Suggestions | null {
  const id = before.tasks[before.chosen]?.id;
  const at = now?.tasks.findIndex((task) => task.id === id) ?? -1;
  return now && { ...now, chosen: Math.max(0, at) };
}

function accept(view: EditorView): boolean {
  const open = view.state.field(suggestions);
  if (open === null) return false;
  insert(view, open, open.chosen);
  return true;
}

function insert(view: EditorView, { query, from, tasks }: Suggestions, index: number): void {
  const task = tasks[index];
  if (task === undefined) return;
  const text = query.form === 'number' && task.n !== null ? `#${task.n}` : (task.id ?? '');
  const to = view.state.selection.main.head;
  const changes = { from, to, insert: text };
  const selection = { anchor: from + text.length };
  view.dispatch({ changes, selection, userEvent: 'input.complete', scrollIntoView: true });
}

function close(view: EditorView): boolean {
  if (view.state.field(suggestions) === null) return false;
  view.dispatch({ effects: setChosen.of(null) });
  return true;
}

function attributes(open: Suggestions | null): Record<string, string> {
  if (open === null) return {};
  return { 'aria-controls': LIST_ID, 'aria-activedescendant': `${LIST_ID}-${open.chosen}` };
}

function tooltip(open: Suggestions): Tooltip {
  return { pos: open.from, create: (view) => suggestionList(view, open) };
}

function suggestionList(view: EditorView, open: Suggestions): TooltipView {
  const dom = createDiv({
    cls: 'atb-src-suggestions',
    attr: { id: LIST_ID, role: 'listbox', 'aria-label': t('common.tasksTitle') },
  });
  open.tasks.forEach((task, index) => {
    const row = dom.createDiv({ cls: 'atb-src-suggestion' });
    row.setAttrs({ id: `${LIST_ID}-${index}`, role: 'option' });
    row.setAttr('aria-selected', String(index === open.chosen));
    row.createSpan({ cls: 'atb-src-suggestion-title', text: plainLine(task.title) });
    row.createSpan({ cls: 'atb-src-suggestion-id', text: `#${task.n ?? task.id ?? ''}` });
    // Keeps the focus in the editor.
    row.addEventListener('mousedown', (event) => event.preventDefault());
    row.addEventListener('click', () => insert(view, open, index));
  });
  return { dom };
}
