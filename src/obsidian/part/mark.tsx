import type { MarkState } from '../../core/board/outline';

/** The box whose shape says a task's status. In a tree it is not a stop of the Tab key. */
export function Mark(props: {
  readonly state: MarkState;
  readonly checked: 'true' | 'false' | 'mixed';
  readonly label: string;
  readonly disabled: boolean;
  readonly onTick: () => void;
}) {
  return (
    <span
      class="atb-mark"
      role="checkbox"
      data-state={props.state}
      aria-checked={props.checked}
      aria-label={props.label}
      aria-disabled={props.disabled}
      onClick={(event) => {
        event.stopPropagation();
        if (!props.disabled) props.onTick();
      }}
      onDblClick={(event) => event.stopPropagation()}
    />
  );
}
