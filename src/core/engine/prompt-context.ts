import type { Attachment } from '../../protocol/snapshot';
import type { ToBridgeOf } from '../../protocol/to-bridge';

export type SentContext = NonNullable<ToBridgeOf<'session.message'>['payload']['context']>;

/** The attachments of a prompt: what the person attached, and the related notes. */
export function attachments(context: SentContext): Attachment[] {
  const { note: path, selection, attached = [], related } = context;
  const notes: Attachment[] = [
    ...attached.map((one) => ({ kind: 'note', path: one }) as const),
    ...(related?.notes ?? []).map((one) => ({ kind: 'note', ...one }) as const),
  ];
  if (selection !== undefined) {
    return [...notes, { kind: 'selection', ...(path !== undefined && { path }) }];
  }
  return path === undefined ? notes : [...notes, { kind: 'open', path }];
}

/** The person's attachments as text for the model; empty if there are none. */
export function contextText({ note, selection, attached = [] }: SentContext): string {
  const place = note === undefined ? '' : ` in ${note}`;
  const lines = [
    ...attached.map((path) => `Attached note: ${path}`),
    ...(note === undefined || selection !== undefined ? [] : [`Open note: ${note}`]),
    ...(selection === undefined ? [] : [`Selected text${place}:\n${selection}`]),
  ];
  return lines.length === 0 ? '' : `From Obsidian, for context:\n${lines.join('\n')}`;
}
