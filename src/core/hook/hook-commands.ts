import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import type { HookEvent } from './hook-events';

const EVENTS = [
  ...['pre-prompt', 'post-prompt', 'pre-tool-use', 'post-tool-use', 'on-stop', 'on-error'],
  ...['on-session-init', 'on-message-added', 'on-context-full'],
] as const satisfies readonly HookEvent[];

/** Maximum commands of one vault, words of one command, and characters of a word. */
export const MAX_COMMANDS = 50;
const MAX_WORDS = 64;
const MAX_WORD_LENGTH = 4_096;

const word = lazy(() =>
  z
    .string()
    .check(
      z.refine(
        (text) => text.length <= MAX_WORD_LENGTH && !text.includes('\0'),
        `a text of at most ${MAX_WORD_LENGTH} characters without NUL`,
      ),
    ),
);

/** An entry of `hooks` in the shared settings. */
export const hookCommand = lazy(() =>
  z.object({
    event: z.enum(EVENTS),
    /** the program and its arguments; no shell parses them */
    command: z
      .array(word())
      .check(
        z.refine(
          (words) => words.length <= MAX_WORDS && (words[0] ?? '') !== '',
          `a program and at most ${MAX_WORDS - 1} arguments, as in ["notify", "--now"]`,
        ),
      ),
    /** lower ones run first */
    priority: z._default(z.int().check(z.minimum(-1_000_000), z.maximum(1_000_000)), 100),
    /** its time limit, ms */
    within: z._default(z.int().check(z.minimum(1), z.maximum(60_000)), 5_000),
  }),
);

export type HookCommand = Readonly<z.infer<ReturnType<typeof hookCommand>>>;

/**
 * Reads `hooks` of the shared settings. Each command is checked by itself: an invalid one does not
 * affect the others.
 * @returns the valid commands, and the paths of invalid values, as `hooks.2.event`
 */
export function readHookCommands(value: unknown): {
  readonly commands: readonly HookCommand[];
  readonly wrong: readonly string[];
} {
  if (value === undefined) return { commands: [], wrong: [] };
  if (!Array.isArray(value) || value.length > MAX_COMMANDS)
    return { commands: [], wrong: ['hooks'] };
  const read = value.map((one: unknown) => hookCommand().safeParse(one));
  return {
    commands: read.flatMap(({ data }) => (data === undefined ? [] : [data])),
    wrong: read.flatMap(({ error }, at) =>
      error === undefined ? [] : [['hooks', at, ...(error.issues[0]?.path ?? [])].join('.')],
    ),
  };
}

/**
 * The text that a person's confirmation applies to: every field of the command, in a fixed order.
 */
export function confirmedText({ event, command, priority, within }: HookCommand): string {
  return JSON.stringify([event, command, priority, within]);
}

/** The commands that the person allowed on this device. */
export const confirmedHooks = lazy(() =>
  z.object({
    vaults: z.array(
      z.object({
        /** absolute path, with all links resolved */
        vault: z.string(),
        /** SHA-256 of each command that may run in this vault, in hex */
        allowed: z.array(z.string()),
      }),
    ),
  }),
);

export type HookConfirmations = z.infer<ReturnType<typeof confirmedHooks>>;
