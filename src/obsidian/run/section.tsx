import { createContext, type ComponentChildren, type RefObject } from 'preact';
import { useContext, useLayoutEffect, useMemo, useState, type StateUpdater } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import type { RunView } from '../../core/orchestrator/runs';
import { useCurrentTask, useIsCurrent, type CurrentTask } from '../model/current-task';
import { FoldHead } from '../ui/banner';
import { listIndexForKey } from '../ui/focus';
import type { MarkState } from '../../core/board/task-display';
import { Button } from '../ui/icon';
import type { RunIntent } from './run-intent';
import { t } from '../language/text';
import { plainLine, plainLines } from '../ui/text';

/** What the parts of the panel show, and the actions they trigger. */
export interface RunProps {
  readonly view: RunView;
  readonly board: Board | undefined;
  /** ms since the epoch */
  readonly now: number;
  readonly phone: boolean;
  /** false if no OpenCode can be reached, as on a phone: runs are shown but can't be started */
  readonly canStart: boolean;
  readonly onDo: (intent: RunIntent) => void;
}

/** A section of the panel with a heading that folds it. */
export function RunSection(props: {
  readonly name: string;
  /** text at the end of the heading: a count, a day */
  readonly aside?: string | undefined;
  /** folded until the person opens it */
  readonly folded?: boolean;
  readonly children: ComponentChildren;
}) {
  const [open, setOpen] = useState(props.folded !== true);
  const [id] = useState(() => `atb-${crypto.randomUUID()}`);
  return (
    <section class="atb-run-section" aria-labelledby={id}>
      <FoldHead class="atb-run-fold" open={open} onToggle={() => setOpen(!open)}>
        <span class="atb-run-fold-name" id={id}>
          {props.name}
        </span>
        {props.aside !== undefined && <span class="atb-count">{props.aside}</span>}
      </FoldHead>
      {open && props.children}
    </section>
  );
}

/**
 * The first items of a long list, and a button that shows the rest. @param words makes the button's
 * label from the number left
 */
export function useTruncatedList<T>(
  all: readonly T[],
  most: number,
  words: (left: number) => string,
) {
  const [isExpanded, setWhole] = useState(false);
  const shown = isExpanded ? all : all.slice(0, most);
  const left = all.length - shown.length;
  const showAll = () => setWhole(true);
  const more = left > 0 && (
    <Button kind="quiet" class="atb-run-more" words={words(left)} onClick={showAll} />
  );
  return [shown, more] as const;
}

/** The row that Tab reaches; arrow keys move it. */
const TabStopContext = createContext({
  key: undefined as string | undefined,
  set: (_: StateUpdater<string | undefined>): void => undefined,
  current: undefined as CurrentTask | undefined,
});

interface RovingProps {
  /** the row that Tab reaches at first */
  readonly first: string | undefined;
  /** if set, rows of tasks follow the current task of other views */
  readonly follow?: {
    readonly current: CurrentTask | undefined;
    readonly root: RefObject<HTMLElement | null>;
    readonly drawn: boolean;
  };
  readonly children: ComponentChildren;
}

const NO_FOLLOW = { current: undefined, root: { current: null }, drawn: true };

/** Makes the rows inside a single tab stop. */
export function Roving({ first, follow = NO_FOLLOW, children }: RovingProps) {
  const { current, root, drawn } = follow;
  const [key = first, set] = useState<string>();
  const stop = useMemo(() => ({ key, set, current }), [key, current]);
  useCurrentTask(current, root, {
    drawn,
    idOf: (element) => element.closest<HTMLElement>('[data-run-row]')?.dataset['at'],
    adopt: () => undefined,
    reveal: (id) => {
      const rows = root.current?.querySelectorAll<HTMLElement>('[data-run-row]') ?? [];
      const row = [...rows].find(({ dataset }) => dataset['at'] === id);
      if (row?.dataset['runRow'] !== undefined) set(row.dataset['runRow']);
      row?.scrollIntoView({ block: 'nearest' });
    },
  });
  return <TabStopContext.Provider value={stop}>{children}</TabStopContext.Provider>;
}

/** A row that acts as a button over its whole width. */
export function RunRow(props: {
  readonly id: string;
  readonly class: string;
  readonly title?: string | undefined;
  /** the task of the row, as `CurrentTask` names it */
  readonly at?: string | undefined;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}) {
  const stop = useContext(TabStopContext);
  const current = useIsCurrent(stop.current, props.at ?? '');
  const { set } = stop;
  // A row that was removed is no Tab stop any more: the first one is.
  useLayoutEffect(() => () => set((key) => (key === props.id ? undefined : key)), [props.id, set]);
  return (
    <button
      type="button"
      class={`atb-run-row ${props.class}`}
      data-run-row={props.id}
      data-at={props.at}
      aria-current={current}
      title={props.title && plainLines(props.title)}
      tabIndex={stop.key === props.id ? 0 : -1}
      onFocus={() => stop.set(props.id)}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

/** Moves the focus to another row. @returns whether the key moves the focus */
export function moveFocus(root: HTMLElement, key: string): boolean {
  const rows = [...root.querySelectorAll<HTMLElement>('[data-run-row]')];
  const at = rows.findIndex((row) => row === row.ownerDocument.activeElement);
  const to = listIndexForKey(key, at, rows.length);
  if (to === undefined) return false;
  rows[to]?.focus();
  rows[to]?.scrollIntoView({ block: 'nearest' });
  return true;
}

/** A task in a row: checkbox, its state as text for screen readers, title and a muted line. */
export function TaskBody(props: { mark: MarkState; title: string; text: string }) {
  return (
    <>
      <span class="atb-mark" data-state={props.mark} aria-hidden="true" />
      <span class="atb-unseen">{t(`mark.${props.mark}`)}: </span>
      <RowText {...props} />
    </>
  );
}

/** A title, and the muted line under it if there is one. */
export function RowText({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <span class="atb-run-body">
      <span class="atb-title">{plainLine(title)}</span>
      {text !== '' && <span class="atb-run-text">{plainLine(text)}</span>}
    </span>
  );
}
