import type { BlockOf } from '../../core/session/transcript/block';
import { Disclosure } from './disclosure';
import { duration } from './duration';
import { Markdown } from './markdown/markdown';

/** The agent's reasoning, folded. */
export function ThinkingBlock(props: {
  readonly block: BlockOf<'thinking'>;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { text, live, at, ended } = props.block;
  const took = ended !== undefined && ended > at ? ` for ${duration(ended - at)}` : '';
  return (
    <Disclosure
      icon={live ? 'spinner' : 'brain'}
      name={live ? 'Thinking' : `Thought${took}`}
      open={props.open}
      onToggle={props.onToggle}
    >
      <div class="atb-talk-thinking">
        <Markdown text={text} live={live} />
      </div>
    </Disclosure>
  );
}
