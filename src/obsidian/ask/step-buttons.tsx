/** Back to the first step, and the answer itself. */
export function StepButtons(props: {
  readonly armed: boolean;
  readonly reply: 'always' | 'reject';
  readonly words: string;
  readonly onBack: () => void;
  readonly onClick: () => void;
}) {
  const { armed, reply } = props;
  return (
    <div class="atb-buttons atb-ask-buttons">
      <button type="button" class="atb-button-quiet" onClick={props.onBack}>
        Back
      </button>
      <button
        type="button"
        class={`${reply === 'reject' ? 'mod-warning' : 'mod-cta'} atb-button`}
        data-reply={reply}
        disabled={!armed}
        onClick={() => armed && props.onClick()}
      >
        {props.words}
      </button>
    </div>
  );
}
