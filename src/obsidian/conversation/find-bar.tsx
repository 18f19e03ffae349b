import { useMemo, useRef, useState } from 'preact/hooks';
import { IconButton } from '../part/icon';
import { useFocus } from '../part/use-focus';
import { findBlocks } from './find-blocks';
import { useTranscript, type Frames, type TranscriptSource } from './use-transcript';

/** Finds words in the whole transcript, drawn or not, folded or not. */
export function FindBar(props: {
  readonly source: TranscriptSource;
  readonly frames: Frames;
  readonly sessionId: string;
  /** how often it was asked for: each time it takes the keyboard */
  readonly asked: number;
  readonly onFind: (key: string | undefined) => void;
  readonly onLoadOlder: () => void;
  readonly onClose: () => void;
}) {
  const { transcript } = useTranscript(props.source, props.sessionId, props.frames, () => true);
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const keys = useMemo(() => findBlocks(transcript.blocks, words), [transcript, words]);
  useFocus(field, props.asked);
  const go = (next: number, among = keys) => {
    const index = among.length === 0 ? 0 : (next + among.length) % among.length;
    setAt(index);
    props.onFind(among[index]);
  };
  const count =
    keys.length === 0 ? 'None' : `${Math.min(at, keys.length - 1) + 1} of ${keys.length}`;
  return (
    <div class="atb-find" role="search">
      <input
        type="search"
        ref={field}
        value={words}
        placeholder="Find in this conversation"
        aria-label="Find in this conversation"
        onInput={(event) => {
          const text = event.currentTarget.value;
          setWords(text);
          const found = findBlocks(transcript.blocks, text);
          go(found.length - 1, found);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(at + (event.shiftKey ? -1 : 1));
          else if (event.key === 'Escape') props.onClose();
          else return;
          event.preventDefault();
        }}
      />
      <span class="atb-find-count" role="status">
        {words === '' ? '' : count}
      </span>
      <IconButton icon="arrow-up" label="Earlier match" onClick={() => go(at - 1)} />
      <IconButton icon="arrow-down" label="Later match" onClick={() => go(at + 1)} />
      {transcript.older && (
        <button type="button" class="atb-button-quiet" onClick={props.onLoadOlder}>
          Load older messages
        </button>
      )}
      <IconButton icon="x" label="Close" onClick={props.onClose} />
    </div>
  );
}
