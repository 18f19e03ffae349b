import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { Undo } from '../../core/ports';

type Listener = (id: string, by: unknown) => void;

/**
 * The task that the person is on, in whichever view: path of the board and key, as `Selection` names
 * it. All open views of its board show it.
 */
export class CurrentTask {
  private readonly listeners = new Set<Listener>();
  private now: string | undefined;
  private isPut = false;

  get id(): string | undefined {
    return this.now;
  }

  /** The person went to a task. @param by the view that they did it in */
  move(id: string, by: unknown): void {
    if (this.isPut || id === this.now) return;
    this.now = id;
    for (const listener of [...this.listeners]) listener(id, by);
  }

  /** Gives something the keyboard whose place went away: the person did not move. */
  put(focus: () => void): void {
    this.isPut = true;
    focus();
    this.isPut = false;
  }

  onChange(listener: Listener): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** What a view of elements says and shows of it. */
interface FollowedView {
  /** the task that an element stands for, if any */
  readonly idOf: (element: Element) => string | undefined;
  /** Another view went to a task, or this one opens. */
  readonly show: (id: string) => void;
}

/** Tells where the keyboard goes in an element, and shows there where the person is in other views. */
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

/** How a drawn view follows. */
interface FollowingView {
  readonly idOf: FollowedView['idOf'];
  /** The view's own place becomes that task, if it shows it; the keyboard stays where it is. */
  readonly adopt: (id: string) => void;
  /** Scrolls to it. */
  readonly reveal: (id: string) => void;
  /** where tasks are drawn later than the view: whether they are */
  readonly drawn?: boolean;
}

/** Says where the person is in a view, and shows there where they are in others, once for each move. */
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

/** Whether a row stands for the task that the person is on. It listens itself: no other is drawn anew. */
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
