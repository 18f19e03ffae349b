import { useRef } from 'preact/hooks';
import type { Transcript } from '../../core/session/transcript/transcript';
import { Icon } from '../part/icon';

/** Stands while the view is away from the end; says so once something came there. */
export function NewTextBelow(props: {
  readonly transcript: Transcript;
  readonly onGo: () => void;
}) {
  const newest = props.transcript.blocks.at(-1);
  const left = useRef(newest);
  const words = newest === left.current ? 'Go to the end' : 'New text below';
  return (
    <button type="button" class="atb-talk-pill" onClick={props.onGo}>
      <Icon name="arrow-down" />
      {words}
    </button>
  );
}
