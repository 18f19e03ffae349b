import { useRef } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { Icon } from '../part/icon';

/** The line at the end of a board that takes a new task. */
export function AddRowView(props: {
  readonly board: Board;
  readonly onAdd: (title: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const clear = () => {
    if (field.current !== null) field.current.value = '';
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      clear();
      field.current?.blur();
    }
    if (event.key !== 'Enter') return;
    const title = field.current?.value.trim() ?? '';
    if (title === '') return;
    clear();
    props.onAdd(title);
  };
  return (
    <div class="atb-add" role="none" data-row="add" data-session={props.board.session}>
      <Icon name="plus" />
      <input
        type="text"
        ref={field}
        maxLength={500}
        placeholder="Add task"
        aria-label={`Add task to ${props.board.title}`}
        onKeyDown={onKey}
      />
    </div>
  );
}
