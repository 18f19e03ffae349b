import { useState } from 'preact/hooks';
import type { BlockOf } from '../../core/session/transcript/block';
import { Icon } from '../part/icon';
import { Disclosure } from './disclosure';
import { duration } from './duration';
import { toolWords } from './tool-words';

/** A call of a tool: one line; what went in and came out behind it. */
export function ToolBlock(props: {
  readonly block: BlockOf<'tool'>;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { block } = props;
  const { input, output, error } = block;
  const { icon, name, object } = toolWords(block);
  const empty = [input, output, error].every((part) => part === undefined || part === '');
  return (
    <Disclosure
      icon={icon}
      name={name}
      object={object}
      state={<CallState block={block} />}
      open={empty ? null : props.open}
      onToggle={props.onToggle}
    >
      <Part name="Input" text={input === undefined ? undefined : pretty(input)} />
      <Part name="Output" text={output} />
      <Part name="Error" text={error} />
    </Disclosure>
  );
}

const STATES = {
  pending: ['', 'Waiting'],
  running: ['', 'Running'],
  completed: ['check', 'Done'],
  error: ['circle-alert', 'Failed'],
} as const;

function CallState({ block }: { readonly block: BlockOf<'tool'> }) {
  const [icon, word] = STATES[block.status];
  const took = block.ended === undefined ? 0 : block.ended - block.at;
  const done = block.status === 'completed';
  return (
    <span class="atb-call-state" data-state={block.status}>
      {icon === '' ? null : <Icon name={icon} />}
      <span class={done ? 'atb-unseen' : undefined}>{word}</span>
      {took > 0 && <span>{duration(took)}</span>}
    </span>
  );
}

/** UTF-16 units that are drawn at first. */
const FIRST = 4_000;

function Part(props: { readonly name: string; readonly text: string | undefined }) {
  const { name, text } = props;
  const [all, setAll] = useState(false);
  if (text === undefined || text === '') return null;
  const short = all || text.length <= FIRST ? text : text.slice(0, FIRST);
  return (
    <>
      <div class="atb-call-part">{name}</div>
      <pre class="atb-call-text" tabIndex={0} aria-label={name}>
        {short}
      </pre>
      {short.length < text.length && (
        <button type="button" class="atb-button-quiet" onClick={() => setAll(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
}

/** JSON with its lines; what is none stays as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
