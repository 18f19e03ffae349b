import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import type { HookEvent } from './hook-events';

const EVENTS = [
  ...['pre-prompt', 'post-prompt', 'pre-tool-use', 'post-tool-use', 'on-stop', 'on-error'],
  ...['on-session-init', 'on-message-added', 'on-context-full'],
] as const satisfies readonly HookEvent[];

/** Commands of one vault; words of one command, and characters of a word. */
export const MOST_COMMANDS = 50;
const MOST_WORDS = 64;
const LONGEST_WORD = 4_096;

const word = lazy(() =>
  z
    .string()
    .check(
      z.refine(
        (text) => text.length <= LONGEST_WORD && !text.includes('\0'),
        `a text of at most ${LONGEST_WORD} characters without NUL`,
      ),
    ),
);

/** An entry of `hooks` in the shared settings. */
export const hookCommand = lazy(() =>
  z.object({
    event: z.enum(EVENTS),
    /** the program and its arguments, none of which a shell reads */
    command: z
      .array(word())
      .check(
        z.refine(
          (words) => words.length <= MOST_WORDS && (words[0] ?? '') !== '',
          `a program and at most ${MOST_WORDS - 1} arguments, as in ["notify", "--now"]`,
        ),
      ),
    /** lower ones first */
    priority: z._default(z.int().check(z.minimum(-1_000_000), z.maximum(1_000_000)), 100),
    /** ms that it may take */
    within: z._default(z.int().check(z.minimum(1), z.maximum(60_000)), 5_000),
  }),
);

export type HookCommand = Readonly<z.infer<ReturnType<typeof hookCommand>>>;

/**
 * The commands of `hooks` as the shared settings have it, each by itself: one that is wrong spares the others.
 * @returns and where something is wrong, as `hooks.2.event`
 */
export function readHookCommands(value: unknown): {
  readonly commands: readonly HookCommand[];
  readonly wrong: readonly string[];
} {
  if (value === undefined) return { commands: [], wrong: [] };
  if (!Array.isArray(value) || value.length > MOST_COMMANDS)
    return { commands: [], wrong: ['hooks'] };
  const read = value.map((one: unknown) => hookCommand().safeParse(one));
  return {
    commands: read.flatMap(({ data }) => (data === undefined ? [] : [data])),
    wrong: read.flatMap(({ error }, at) =>
      error === undefined ? [] : [['hooks', at, ...(error.issues[0]?.path ?? [])].join('.')],
    ),
  };
}

/** What of a command a person confirms, as one text: all that it says, in one order. */
export function confirmedText({ event, command, priority, within }: HookCommand): string {
  return JSON.stringify([event, command, priority, within]);
}

/** What the person allowed on one device. */
export const confirmedHooks = lazy(() =>
  z.object({
    vaults: z.array(
      z.object({
        /** absolute, with no link in it */
        vault: z.string(),
        /** SHA-256 of each command that may run there, as hex */
        allowed: z.array(z.string()),
      }),
    ),
  }),
);

export type Confirmed = z.infer<ReturnType<typeof confirmedHooks>>;
