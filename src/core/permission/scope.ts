import * as z from 'zod/mini';
import { concerned, patternText } from './rule';

/** Patterns of one list. */
const MAX_PATTERNS = 50;
const patterns = z
  .array(patternText)
  .check(z.maxLength(MAX_PATTERNS, `use at most ${MAX_PATTERNS}`));

const bounds = {
  ...concerned,
  /** never read nor written, whatever else is said */
  denied: z._default(patterns, ['**/node_modules/**']),
  /** bytes of a note that is read, or as it would be written */
  maxBytes: z._default(z.int().check(z.positive()), 10 * 1024 * 1024),
  /** without the dot, in any case; others are neither read nor written */
  extensions: z._default(
    z
      .array(z.string().check(z.regex(/^[^./\\\s]{1,32}$/, 'write it as "md", without the dot')))
      .check(z.maxLength(MAX_PATTERNS)),
    ['md', 'txt', 'json', 'yaml', 'yml', 'toml'],
  ),
};

/** How far an agent reaches at most, before any rule is asked. The last one that concerns it counts. */
export const scope = z.discriminatedUnion('level', [
  z.object({ level: z.literal('read-only'), ...bounds }),
  /** writes within `allowed` only */
  z.object({ level: z.literal('scoped-write'), allowed: patterns, ...bounds }),
  /** writes anywhere, and deletes */
  z.object({ level: z.literal('full-write'), ...bounds }),
]);
export type Scope = Readonly<z.infer<typeof scope>>;
