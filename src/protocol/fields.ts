import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';

/**
 * Building blocks for messages. All are bounded, except for fields that only the frame's size
 * limits.
 */

/**
 * UTF-16 units of a string, except in `tool.call` and `tool.result`; the sender cuts longer ones.
 */
export const MAX_TEXT = 256 * 1024;

/** Most UTF-16 units of an id. OpenCode's have 30; a session id may be any folder name (255). */
export const MAX_ID = 256;

/** UTF-16 units of a short text: names, versions, patterns. */
export const MAX_NAME = 1024;

/** Most entries of a list. */
export const MAX_LIST = 4096;

/** An optional field with its description. */
export function maybe<T extends z.ZodMiniType>(field: T, meaning?: string) {
  return z.optional(meaning === undefined ? field : field.check(z.describe(meaning)));
}

export const id = z.string().check(z.minLength(1), z.maxLength(MAX_ID));

export const name = z.string().check(z.maxLength(MAX_NAME));

export const text = z.string().check(z.maxLength(MAX_TEXT));

/** A tool's text, which is never cut; limited only by the frame. */
export const uncutText = z.string();

/** The engine that runs the sessions of a bridge. */
export const engineInfo = lazy(() =>
  z.object({
    name: name.check(z.describe('`opencode`, `mcp`, …')),
    version: name,
    title: maybe(
      name,
      'Display name, if there is one. For a model of a provider, the name of the provider.',
    ),
  }),
);
export type EngineInfo = z.infer<ReturnType<typeof engineInfo>>;

/** An absolute path. */
export const path = lazy(() => z.string().check(z.maxLength(4096)));

/** A whole number from 0. */
export const wholeNumber = z.int().check(z.nonnegative());

/** Milliseconds since the epoch. */
export const time = z.number().check(z.nonnegative());

export function listOf<T extends z.core.SomeType>(item: T) {
  return z.array(item).check(z.maxLength(MAX_LIST));
}

/**
 * JSON that is passed on without validation (a tool's arguments, input, metadata): any value, and
 * an object. The codec removes `__proto__`, `constructor` and `prototype` within these two only.
 */
export const opaqueValue = z.unknown();

export const opaqueObject = z.record(z.string(), z.unknown());

const opaque = new Set<unknown>([opaqueValue, opaqueObject]);

/** Whether a field is declared with `opaqueValue` or `opaqueObject`, optional or not. */
export function isOpaque(schema: unknown): boolean {
  if (schema instanceof z.ZodMiniOptional) return isOpaque(schema.def.innerType);
  return opaque.has(schema);
}

/** A model as in OpenCode's configuration; its own name may contain more slashes. */
export const modelId = name.check(z.describe('`provider/model`'));

/** A person's reply to a permission request. */
export const permissionReply = lazy(() => z.enum(['once', 'always', 'reject']));

export type PermissionReply = z.infer<ReturnType<typeof permissionReply>>;

/** The board of another session that a session works on. It may read all of that board. */
export const boundBoard = lazy(() =>
  z.object({
    session: id,
    agent: name,
    task: maybe(
      id,
      'Id of the only task that the session may change. Without `task` and `tasks`, it may ' +
        'change none.',
    ),
    tasks: maybe(
      listOf(id),
      'Ids of the tasks that the session may change, with all their subtasks, and to which ' +
        'it may add subtasks. Only a bridge with the feature `tasks` reads this field; under ' +
        'another bridge, the session may only read.',
    ),
  }),
);

export type BoundBoard = z.infer<ReturnType<typeof boundBoard>>;

/**
 * The same session in the program behind a bridge. A bridge within that program lists it too, as
 * does every other bridge that has the program behind it.
 */
export const sessionTwin = lazy(() =>
  z.object({
    id: id.check(z.describe('Id of the session in that program.')),
    opened: z
      .boolean()
      .check(
        z.describe(
          'Whether the session was started or opened through this bridge. If not, the bridge ' +
            'only lists it.',
        ),
      ),
    program: maybe(
      id,
      'Identifies that program. Bridges that run the same command report the same value.',
    ),
  }),
);

export type SessionTwin = z.infer<ReturnType<typeof sessionTwin>>;
