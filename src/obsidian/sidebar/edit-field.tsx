import { useRef } from 'preact/hooks';
import { useFocus } from '../part/use-focus';

/** A title being typed in place of a row: Enter keeps it, Esc and going away drop it. */
export function EditField(props: {
  readonly initial: string;
  readonly label: string;
  readonly onKeep: (title: string) => void;
  readonly onDrop: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useFocus(field);
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === 'Escape') props.onDrop();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const title = field.current?.value.trim() ?? '';
    if (title === '' || title === props.initial) props.onDrop();
    else props.onKeep(title);
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
      onBlur={props.onDrop}
    />
  );
}
