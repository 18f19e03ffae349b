import { createContext, type ComponentChildren } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { FoldHead } from '../ui/banner';
import { listMove } from '../ui/focus';
import { markWord, type MarkState } from '../../core/board/task-words';
import { Button } from '../ui/icon';

/** A part of the panel under its name, that folds. */
export function RunSection(props: {
  readonly name: string;
  /** at the end of its head: a count, a day */
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

/** What was left out of a long list, and the way to it. */
export function ShowMore(props: { readonly words: string; readonly onClick: () => void }) {
  return <Button kind="quiet" class="atb-run-more" words={props.words} onClick={props.onClick} />;
}

/** The row that the Tab key stops at; the arrow keys move it. */
interface Stop {
  readonly key: string | undefined;
  readonly set: (key: string) => void;
}

const StopContext = createContext<Stop>({ key: undefined, set: () => undefined });

/** Rows inside are one stop of the Tab key. @param first the row that it is at the beginning */
export function Roving(props: {
  readonly first: string | undefined;
  readonly children: ComponentChildren;
}) {
  const [key, set] = useState<string>();
  const now = key ?? props.first;
  const stop = useMemo(() => ({ key: now, set }), [now]);
  return <StopContext.Provider value={stop}>{props.children}</StopContext.Provider>;
}

/** A row that does something: a button over its whole width. */
export function RunRow(props: {
  readonly id: string;
  readonly class: string;
  readonly title?: string | undefined;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}) {
  const stop = useContext(StopContext);
  return (
    <button
      type="button"
      class={`atb-run-row ${props.class}`}
      data-run-row={props.id}
      title={props.title}
      tabIndex={stop.key === props.id ? 0 : -1}
      onFocus={() => stop.set(props.id)}
      onClick={props.onClick}
    >
      {props.children}
    </button>
  );
}

const ROWS = '[data-run-row]';

/** Moves the focus to another row. @returns whether the key was one that moves */
export function moveFocus(root: HTMLElement, key: string): boolean {
  const rows = [...root.querySelectorAll<HTMLElement>(ROWS)];
  const at = rows.findIndex((row) => row === row.ownerDocument.activeElement);
  const to = listMove(key, at, rows.length);
  if (to === undefined) return false;
  const row = rows[to];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
  return true;
}

/** A task's box as everywhere, said in a word to who does not see it. Nothing is ticked by it. */
export function StateMark({ state }: { readonly state: MarkState }) {
  return (
    <>
      <span class="atb-mark" data-state={state} aria-hidden="true" />
      <span class="atb-unseen">{markWord(state)}: </span>
    </>
  );
}
