import * as z from 'zod/mini';
import { attachments, contextText, type SentContext } from '../../core/engine/prompt-context';
import { attachment, type Attachment } from '../../protocol/snapshot';
import type { CommandBody, ModelName, PromptBody } from './opencode-api';
import { boundBoard, type BoundBoard } from '../../protocol/fields';

/** Metadata key of a prompt's text under which OpenCode stores the attachments. */
const ATTACHMENTS_KEY = 'agent-task-boards-attached';

/** Turns a prompt into parts. Attachments and related notes follow as separate parts. */
export function promptParts(
  text: string,
  context: SentContext = {},
  key?: string,
): PromptBody['parts'] {
  const attached = attachments(context);
  const marks = {
    ...(key !== undefined && { [KEY_MARK]: key }),
    ...(attached.length > 0 && { [ATTACHMENTS_KEY]: attached }),
  };
  const metadata = Object.keys(marks).length === 0 ? {} : { metadata: marks };
  const own = { type: 'text', text, ...metadata } as const;
  const more = contextTexts(context).map(
    (one) => ({ type: 'text', text: one, synthetic: true }) as const,
  );
  return [own, ...more];
}

/** The same for a command, which accepts only files. */
export function commandFiles(context: SentContext = {}): CommandBody['parts'] {
  return contextTexts(context).map((one) => ({
    ...{ type: 'file', mime: 'text/plain', filename: 'notes-of-the-prompt.md' },
    url: `data:text/plain;base64,${Buffer.from(one).toString('base64')}`,
  }));
}

/** Splits a text into a slash command and its arguments; undefined if it isn't one. */
export function parseSlashCommand(
  text: string,
): { readonly name: string; readonly args: string } | undefined {
  const [, name, args = ''] = /^\/(\S+)(?:\s+(.*))?$/s.exec(text) ?? [];
  return name === undefined ? undefined : { name, args };
}

function contextTexts(context: SentContext): string[] {
  return [contextText(context), context.related?.text ?? ''].filter((one) => one !== '');
}

/** Reads a prompt's attachments from its metadata, which may have any form. */
export function readAttachments(metadata: unknown): Attachment[] {
  const read = z.object({ [ATTACHMENTS_KEY]: z.array(attachment()) }).safeParse(metadata);
  return read.success ? read.data[ATTACHMENTS_KEY] : [];
}

/**
 * Parses `provider/model`. The model's name may contain further slashes. Returns undefined if a
 * part is missing.
 */
export function parseModelName(text: string): ModelName | undefined {
  const slash = text.indexOf('/');
  if (slash < 1 || slash === text.length - 1) return undefined;
  return { providerID: text.slice(0, slash), modelID: text.slice(slash + 1) };
}

/**
 * Metadata key under which OpenCode stores an idempotency key: in a session's metadata, and in that
 * of a prompt's text. Models don't see it.
 */
export const KEY_MARK = 'agent-task-boards-key';

/** The key of a prompt that has these parts. */
export function keyOfParts(parts: readonly { readonly metadata?: unknown }[]): string | undefined {
  return parts.map(({ metadata }) => readKey(metadata)).find((key) => key !== undefined);
}

/** Reads the key from metadata of any form. */
export function readKey(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const key = (metadata as Readonly<Record<string, unknown>>)[KEY_MARK];
  return typeof key === 'string' ? key : undefined;
}

/**
 * Metadata key under which OpenCode stores the board that a session was started for. It is kept on
 * disk as long as the session, and can't be changed by a call's arguments.
 */
export const BOARD_MARK = 'agent-task-boards-board';

/** The board that a session was started for. `unreadable` if the stored value is invalid. */
export type StoredBoundBoard = BoundBoard | 'unreadable';

/** Returns undefined if the session works on its own boards. */
export function readBoundBoard(
  metadata: Readonly<Record<string, unknown>> | undefined,
): StoredBoundBoard | undefined {
  const mark = metadata?.[BOARD_MARK];
  if (mark === undefined) return undefined;
  const read = boundBoard().safeParse(mark);
  return read.success ? read.data : 'unreadable';
}

/** The part of a message to clients about the board that a session was started for. */
export function boundBoardField(metadata: Readonly<Record<string, unknown>> | undefined): {
  readonly board?: BoundBoard;
} {
  const board = readBoundBoard(metadata);
  return typeof board === 'object' ? { board } : {};
}
