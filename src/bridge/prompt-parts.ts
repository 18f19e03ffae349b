import type { ToBridgeOf } from '../protocol/to-bridge';
import { KEY_MARK } from './key-mark';
import type { ModelName, PromptBody } from './opencode-api';

export type PromptContext = NonNullable<ToBridgeOf<'session.message'>['payload']['context']>;

/** A person's words as parts of a prompt; what they had before them follows as a part of its own. */
export function promptParts(
  text: string,
  context: PromptContext | undefined,
  key?: string,
): PromptBody['parts'] {
  const words = context ? contextWords(context) : '';
  const named = key === undefined ? {} : { metadata: { [KEY_MARK]: key } };
  const own = { type: 'text', text, ...named } as const;
  return words === '' ? [own] : [own, { type: 'text', text: words, synthetic: true }];
}

function contextWords({ note, selection, links, tags }: PromptContext): string {
  const lines = [
    ...(note === undefined ? [] : [`Open note: ${note}`]),
    ...(selection === undefined ? [] : [`Selected text:\n${selection}`]),
    ...(links === undefined || links.length === 0 ? [] : [`Links: ${links.join(', ')}`]),
    ...(tags === undefined || tags.length === 0 ? [] : [`Tags: ${tags.join(', ')}`]),
  ];
  return lines.length === 0 ? '' : `From Obsidian, for context:\n${lines.join('\n')}`;
}

/** `provider/model`, where the model's own name may hold more slashes; undefined where it is neither. */
export function modelName(text: string): ModelName | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return undefined;
  return { providerID: text.slice(0, slash), modelID: text.slice(slash + 1) };
}
