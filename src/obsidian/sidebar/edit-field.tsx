import { useLayoutEffect, useRef } from 'preact/hooks';
import { useFocus } from '../part/use-focus';

/** A title being typed in place of a row: Enter and going away keep it, Esc drops it. */
export function EditField(props: {
  readonly initial: string;
  readonly label: string;
  /** another title than the one that stands there */
  readonly onKeep: (title: string) => void;
  /** The field is done with; `back`: the keyboard returns to the row. */
  readonly onClose: (back: boolean) => void;
  /** The row went away from around it: what was typed, where something was. */
  readonly onLost: (typed: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const ended = useRef(false);
  useFocus(field);
  const typed = (): string | undefined => {
    const title = field.current?.value.trim() ?? '';
    // Its default follows the task, which others may have renamed meanwhile.
    return title === '' || title === field.current?.defaultValue ? undefined : title;
  };
  const end = (keep: boolean, back: boolean): void => {
    if (ended.current) return;
    ended.current = true;
    const title = typed();
    if (keep && title !== undefined) props.onKeep(title);
    props.onClose(back);
  };
  const left = (): void => {
    const input = field.current;
    // The keyboard comes back to it with the window, or at once where its row was only moved.
    const stays = input?.ownerDocument.hasFocus() === false || input?.matches(':focus') === true;
    if (input !== null && !stays) end(true, false);
  };
  const lost = useRef<() => void>(() => undefined);
  lost.current = () => {
    const title = typed();
    if (ended.current) return;
    ended.current = true;
    if (title !== undefined) props.onLost(title);
    props.onClose(true);
  };
  useLayoutEffect(() => () => lost.current(), []);
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === 'Escape') end(false, true);
    if (event.key !== 'Enter') return;
    event.preventDefault();
    end(true, true);
  };
  return (
    <input
      type="text"
      class="atb-edit"
      ref={field}
      defaultValue={props.initial}
      maxLength={500}
      aria-label={props.label}
      onKeyDown={onKey}
      onClick={(event) => event.stopPropagation()}
      onDblClick={(event) => event.stopPropagation()}
      onBlur={() => queueMicrotask(left)}
    />
  );
}
