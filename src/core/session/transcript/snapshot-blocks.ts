import type { SessionEventOf } from '../session-event';
import type { Block } from './block';
import { boundText } from './bound-text';

type State = SessionEventOf<'snapshot'>['payload']['state'];
type Message = State['messages'][number];
type Part = Message['parts'][number];

/** The messages of a snapshot as blocks, oldest first; the last part of a working session is live. */
export function snapshotBlocks({ messages, status }: Pick<State, 'messages' | 'status'>): Block[] {
  const blocks = messages.flatMap((message) =>
    message.parts.flatMap((part) => partBlock(message, part)),
  );
  const last = blocks.at(-1);
  if (status !== 'idle' && (last?.kind === 'text' || last?.kind === 'thinking')) {
    blocks[blocks.length - 1] = { ...last, live: true };
  }
  return blocks;
}

function partBlock({ messageId, role, created }: Message, part: Part): Block[] {
  const at = created;
  if (part.kind === 'tool') {
    const { callId, tool, status } = part;
    return [{ kind: 'tool', id: callId, at, tool, status, ...callWords(part) }];
  }
  const text = boundText(part.text);
  if (text === '') return [];
  const base = { id: part.partId, messageId, text, at };
  if (role === 'user') return [{ kind: 'prompt', ...base }];
  return [{ kind: part.kind, ...base, live: false }];
}

interface CallWords {
  title?: string | undefined;
  input?: string | undefined;
  output?: string | undefined;
  error?: string | undefined;
}

/** What is said of a call, without what is not. */
export function callWords(words: CallWords): CallWords {
  const { title, input, output, error } = words;
  return {
    ...(title !== undefined && { title: boundText(title) }),
    ...(input !== undefined && { input: boundText(input) }),
    ...(output !== undefined && { output: boundText(output) }),
    ...(error !== undefined && { error: boundText(error) }),
  };
}
