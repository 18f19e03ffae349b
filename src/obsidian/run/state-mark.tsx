import { markWord, type MarkState } from '../../core/board/task-words';

/** A task's box as everywhere, said in a word to who does not see it. Nothing is ticked by it. */
export function StateMark({ state }: { readonly state: MarkState }) {
  return (
    <>
      <span class="atb-mark" data-state={state} aria-hidden="true" />
      <span class="atb-unseen">{markWord(state)}: </span>
    </>
  );
}
