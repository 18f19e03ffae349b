import '../../../protocol/jitless';
import * as z from 'zod/mini';

const count = z.int().check(z.nonnegative());

/** Many times what a transcript's bounds allow. */
const MOST_PAGES = 10_000;

/** `session.json`: what is kept of a session beside its transcript. */
const keptSession = z.object({
  v: z.literal(1),
  title: z.string(),
  parentId: z.nullable(z.string()),
  agent: z.nullable(z.string()),
  /** ms since the epoch */
  lastActive: z.number(),
  /** numbers of the pages of its transcript, oldest first */
  pages: z.array(count).check(z.maxLength(MOST_PAGES)),
  /** OpenCode may have earlier messages */
  older: z.boolean(),
  tokens: z.optional(
    z.object({
      input: count,
      output: count,
      context: z.optional(count),
      limit: z.optional(count),
    }),
  ),
  /** the person gave it a title that OpenCode was not told yet */
  renamed: z.optional(z.boolean()),
});
export type KeptHead = Readonly<z.infer<typeof keptSession>>;

/** A session that is kept. */
export interface KeptSession extends KeptHead {
  readonly id: string;
}

export const NEW_HEAD: KeptHead = {
  v: 1,
  title: '',
  parentId: null,
  agent: null,
  lastActive: 0,
  pages: [],
  older: true,
};

/** @returns undefined where the text is damaged, or of a later version */
export function readHead(text: string): KeptHead | undefined {
  try {
    const read = keptSession.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
