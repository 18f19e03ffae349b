import * as z from 'zod/mini';
import { attachments, contextWords, type SentContext } from '../../core/engine/prompt-context';
import { attachment, type Attachment } from '../../protocol/snapshot';
import type { CommandBody, ModelName, PromptBody } from './opencode-api';
import { boundBoard, type BoundBoard } from '../../protocol/fields';

/** The name under which OpenCode keeps, in the metadata of a prompt's words, what was attached. */
const ATTACHED_MARK = 'agent-task-boards-attached';

/** A person's words as parts of a prompt; what was attached and what goes along follow as parts of their own. */
export function promptParts(
  text: string,
  context: SentContext = {},
  key?: string,
): PromptBody['parts'] {
  const attached = attachments(context);
  const marks = {
    ...(key !== undefined && { [KEY_MARK]: key }),
    ...(attached.length > 0 && { [ATTACHED_MARK]: attached }),
  };
  const metadata = Object.keys(marks).length === 0 ? {} : { metadata: marks };
  const own = { type: 'text', text, ...metadata } as const;
  const more = wordsAlong(context).map(
    (one) => ({ type: 'text', text: one, synthetic: true }) as const,
  );
  return [own, ...more];
}

/** The same for a command, which takes files only. */
export function commandFiles(context: SentContext = {}): CommandBody['parts'] {
  return wordsAlong(context).map((one) => ({
    ...{ type: 'file', mime: 'text/plain', filename: 'notes-of-the-prompt.md' },
    url: `data:text/plain;base64,${Buffer.from(one).toString('base64')}`,
  }));
}

/** A command that the words may begin with, and its arguments. */
export function commandLine(
  text: string,
): { readonly name: string; readonly args: string } | undefined {
  const [, name, args = ''] = /^\/(\S+)(?:\s+(.*))?$/s.exec(text) ?? [];
  return name === undefined ? undefined : { name, args };
}

function wordsAlong(context: SentContext): string[] {
  return [contextWords(context), context.related?.text ?? ''].filter((one) => one !== '');
}

/** What a person attached to a prompt, read from the metadata of its words; of any form. */
export function attachedIn(metadata: unknown): Attachment[] {
  const read = z.object({ [ATTACHED_MARK]: z.array(attachment()) }).safeParse(metadata);
  return read.success ? read.data[ATTACHED_MARK] : [];
}

/** `provider/model`, where the model's own name may hold more slashes; undefined where it is neither. */
export function modelName(text: string): ModelName | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return undefined;
  return { providerID: text.slice(0, slash), modelID: text.slice(slash + 1) };
}

/**
 * The name under which OpenCode keeps a key: in the metadata of the session that was started with
 * it, and in that of a prompt's words. No model is shown it.
 */
export const KEY_MARK = 'agent-task-boards-key';

/** The key of a prompt with these parts. */
export function keyOf(parts: readonly { readonly metadata?: unknown }[]): string | undefined {
  return parts.map(({ metadata }) => keyIn(metadata)).find((key) => key !== undefined);
}

/** The key in metadata of any form. */
export function keyIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const key = (metadata as Readonly<Record<string, unknown>>)[KEY_MARK];
  return typeof key === 'string' ? key : undefined;
}

/**
 * The key under which OpenCode keeps, with a session, the board that it was started for: on disk,
 * as long as the session, and out of reach of any argument of a call.
 */
export const BOARD_MARK = 'agent-task-boards-board';

/** The board that a session was started for, or that its mark is of a form that nobody knows. */
export type StartedFor = BoundBoard | 'unreadable';

/** Undefined where the session works on boards of its own. */
export function boardIn(
  metadata: Readonly<Record<string, unknown>> | undefined,
): StartedFor | undefined {
  const mark = metadata?.[BOARD_MARK];
  if (mark === undefined) return undefined;
  const read = boundBoard().safeParse(mark);
  return read.success ? read.data : 'unreadable';
}

/** What clients are told of the board that a session was started for. */
export function boundIn(metadata: Readonly<Record<string, unknown>> | undefined): {
  readonly board?: BoundBoard;
} {
  const board = boardIn(metadata);
  return typeof board === 'object' ? { board } : {};
}
