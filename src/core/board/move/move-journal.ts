import '../jitless';
import * as z from 'zod/mini';
import type { NoteStore } from '../../ports';

/** A move that is under way, so that it can be finished or taken back after a crash. */
const journal = z.object({
  from: z.string(),
  to: z.string(),
  /** folders that stood before: the new root, those above it and those below it */
  had: z.array(z.string()),
  /** by path less the root: digests of all that was ever copied there, the newest last */
  copies: z.array(z.tuple([z.string(), z.array(z.string())])),
});

export interface Journal {
  readonly from: string;
  readonly to: string;
  readonly had: readonly string[];
  readonly copies: ReadonlyMap<string, readonly string[]>;
}

/** Keeps the journal of the one move that may be under way in a vault. */
export class MoveJournal {
  private readonly path: string;

  constructor(
    private readonly store: NoteStore,
    stateRoot: string,
  ) {
    this.path = `${stateRoot}/move.json`;
  }

  /** A journal that is damaged counts as none: what it told can be seen in both folders. */
  async read(): Promise<Journal | undefined> {
    const text = await this.store.read(this.path);
    if (text === undefined) return undefined;
    const read = journal.safeParse(parsed(text));
    return read.success ? { ...read.data, copies: new Map(read.data.copies) } : undefined;
  }

  async write({ copies, ...rest }: Journal): Promise<void> {
    const pairs = [...copies].map(([path, digests]) => [path, [...digests]]);
    const text = `${JSON.stringify({ ...rest, copies: pairs })}\n`;
    await this.store.update(this.path, () => text);
  }

  async remove(): Promise<void> {
    await this.store.remove(this.path);
  }
}

/** The journal with one more digest for a path, written before the copy is. */
export function withCopy(before: Journal, path: string, digest: string): Journal {
  const older = (before.copies.get(path) ?? []).filter((one) => one !== digest);
  return { ...before, copies: new Map(before.copies).set(path, [...older, digest]) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
