import { createContext, type ComponentChildren } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';

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
  const to = target(key, at, rows.length);
  if (to === undefined) return false;
  const row = rows[to];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
  return true;
}

function target(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, length - 1);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return undefined;
  }
}
