import { useRef, useState } from 'preact/hooks';
import { useFocus } from '../part/use-focus';
import { StepButtons } from './step-buttons';

/** The second step of a no: words for the agent go with it, or none. */
export function DenyStep(props: {
  readonly armed: boolean;
  readonly onBack: () => void;
  /** as they were left, and told with each key */
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** @param message undefined where nothing was written */
  readonly onDeny: (message: string | undefined) => void;
}) {
  const [words, setWords] = useState(props.words);
  const field = useRef<HTMLTextAreaElement>(null);
  useFocus(field);
  return (
    <>
      <label class="atb-ask-words">
        Tell the agent why (optional)
        <textarea
          ref={field}
          rows={2}
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value);
            props.onWords(event.currentTarget.value);
          }}
        />
      </label>
      <StepButtons
        {...{ armed: props.armed, onBack: props.onBack }}
        reply="reject"
        words="Deny"
        onClick={() => props.onDeny(words.trim() === '' ? undefined : words.trim())}
      />
    </>
  );
}
