import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { Undo } from '../../core/ports';

type Listener = (id: string, by: unknown) => void;

/**
 * The task that the person is on, whichever view they use, as the path of its board and its key
 * (see `Selection`). All open views of its board show it.
 */
export class CurrentTask {
  private readonly listeners = new Set<Listener>();
  private now: string | undefined;
  private isRestoring = false;

  get id(): string | undefined {
    return this.now;
  }

  /**
   * Called when the person moves to a task.
   * @param by the view in which they did
   */
  move(id: string, by: unknown): void {
    if (this.isRestoring || id === this.now) return;
    this.now = id;
    for (const listener of [...this.listeners]) listener(id, by);
  }

  /**
   * Restores the focus after the focused element was removed, without counting it as a move of the
   * person.
   */
  restoreFocus(focus: () => void): void {
    this.isRestoring = true;
    focus();
    this.isRestoring = false;
  }

  onChange(listener: Listener): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** What a view built from DOM elements reports and shows of the current task. */
interface FollowedView {
  /** the id of the task that an element represents, if any */
  readonly idOf: (element: Element) => string | undefined;
  /** Called when another view moved to a task, and when this view opens. */
  readonly show: (id: string) => void;
}

/**
 * Reports the task that has the focus inside an element, and shows there the task that the person
 * is on in other views.
 */
export function followCurrentTask(
  current: CurrentTask,
  element: HTMLElement,
  { idOf, show }: FollowedView,
): Undo {
  const enter = ({ target }: FocusEvent) => {
    const id = idOf(target as Element);
    if (id !== undefined) current.move(id, element);
  };
  if (current.id !== undefined) show(current.id);
  element.addEventListener('focusin', enter);
  const undo = current.onChange((id, by) => by !== element && show(id));
  return () => {
    element.removeEventListener('focusin', enter);
    undo();
  };
}

/** How a component follows the current task. */
interface FollowingView {
  readonly idOf: FollowedView['idOf'];
  /** Makes the task the view's own position, if the view shows it; does not move the focus. */
  readonly adopt: (id: string) => void;
  /** Scrolls to the task. */
  readonly reveal: (id: string) => void;
  /** whether the tasks are drawn, for a view that draws them later than itself */
  readonly drawn?: boolean;
}

/**
 * Reports a component's position as the current task, and shows the position of other views, once
 * for each move.
 */
export function useCurrentTask(
  current: CurrentTask | undefined,
  root: RefObject<HTMLElement | null>,
  view: FollowingView,
): void {
  const now = useRef(view);
  now.current = view;
  const [asked, ask] = useState<{ readonly id: string }>();
  useLayoutEffect(() => {
    const element = root.current;
    if (current === undefined || element === null) return undefined;
    return followCurrentTask(current, element, {
      idOf: (target) => now.current.idOf(target),
      show: (id) => {
        now.current.adopt(id);
        ask({ id });
      },
    });
  }, [current, root]);
  useLayoutEffect(() => {
    if (asked !== undefined) now.current.reveal(asked.id);
  }, [asked, view.drawn]);
}

/**
 * Whether a row represents the current task. Each row listens itself, so only affected rows redraw.
 */
export function useIsCurrent(current: CurrentTask | undefined, id: string): 'true' | undefined {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const drawn = useRef(false);
  drawn.current = current?.id === id;
  useLayoutEffect(
    () => current?.onChange((now) => (now === id) !== drawn.current && draw(undefined)),
    [current, id],
  );
  return drawn.current ? 'true' : undefined;
}
