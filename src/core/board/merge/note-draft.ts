import { StoreError } from '../../ports';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { sameLine, type KeptVersion } from './kept-versions';
import { mergeNote, type Clash, type HeldLine, type MergedNote } from './merge-note';
import { editorText } from './text-lines';

export interface NoteDraftDeps {
  /** The note as it is now, undefined where it is gone. */
  readonly read: () => Promise<string | undefined>;
  /**
   * Writes what `change` makes of the note as it is then, in one step; the program may raise `rev`.
   * `change` may be asked again; a fault of it writes nothing and is the answer.
   */
  readonly write: (
    change: (text: string | undefined) => { readonly ok: true; readonly text: string } | Fault,
  ) => Promise<{ readonly ok: true } | Fault>;
  /** Keeps others' versions of lines; settled once they are safe. */
  readonly keep: (versions: readonly KeptVersion[]) => Promise<void>;
}

/** The text that a person had, and that a program that ended could not save any more. */
export interface LeftDraft {
  readonly base: string;
  readonly mine: string;
}

export type Synced =
  | {
      readonly ok: true;
      /** what shall stand in the editor in place of the text that was given; lines end with `\n` */
      readonly text: string;
      /** new ones, by their lines in `text` */
      readonly clashes: readonly Clash[];
    }
  | Fault;

/**
 * A person's text of a note while it is being edited: saved by merging it into the note as it is at
 * that moment. The other version of a line that clashes is kept before the note is written, so that
 * none is ever lost. One `sync` at a time.
 */
export class NoteDraft {
  private constructor(
    private readonly deps: NoteDraftDeps,
    private base: string,
  ) {}

  /** @returns undefined where there is no note and nothing was left */
  static async open(
    deps: NoteDraftDeps,
    left: LeftDraft | undefined,
  ): Promise<{ readonly draft: NoteDraft; readonly text: string } | undefined> {
    if (left !== undefined) return { draft: new NoteDraft(deps, left.base), text: left.mine };
    const text = await deps.read();
    if (text === undefined) return undefined;
    return { draft: new NoteDraft(deps, text), text: editorText(text) };
  }

  unsaved(mine: string): boolean {
    return editorText(this.base) !== mine;
  }

  /** What must be kept where there is no time to save. */
  left(mine: string): LeftDraft {
    return { base: this.base, mine };
  }

  /** Takes in what others wrote, and saves what the person did. */
  async sync(mine: string, held: readonly HeldLine[]): Promise<Synced> {
    try {
      const theirs = await this.deps.read();
      const unsaved = this.unsaved(mine);
      if (theirs === undefined && !unsaved) return fault('unknown_board', GONE);
      const merged = this.merge(mine, theirs, held);
      if (unsaved || merged.text !== theirs) return await this.save(mine, held, merged);
      this.base = merged.text;
      return { ok: true, text: editorText(merged.text), clashes: [] };
    } catch (error) {
      if (error instanceof StoreError) return fault(error.code, error.message);
      throw error;
    }
  }

  private async save(mine: string, held: readonly HeldLine[], first: MergedNote): Promise<Synced> {
    let merged = first;
    for (;;) {
      const kept = merged.clashes;
      await this.deps.keep(kept.map(versionOf));
      const written = await this.deps.write((text) => {
        merged = this.merge(mine, text, held);
        const all = merged.clashes.every((clash) => kept.some((one) => isKept(one, clash)));
        return all ? { ok: true, text: merged.text } : fault(KEEP_FIRST, '');
      });
      if (!written.ok && written.code === KEEP_FIRST) continue;
      if (!written.ok) return written;
      this.base = merged.text;
      return { ok: true, text: editorText(merged.text), clashes: merged.clashes };
    }
  }

  /** A note that is gone is as the person had it: an edit wins over a deletion. */
  private merge(mine: string, text: string | undefined, held: readonly HeldLine[]): MergedNote {
    const { base } = this;
    const theirs = text ?? base;
    // The common cases need no merge: one side alone changed something.
    if (held.length === 0 && !this.unsaved(mine)) return { text: theirs, clashes: [] };
    if (theirs === base && !base.includes('\r')) return { text: mine, clashes: [] };
    return mergeNote({ base, mine, theirs, held });
  }
}

const GONE = 'The note of this board is no longer there.';
const KEEP_FIRST = 'keep_first';

function versionOf({ id, title, base, yours, theirs }: Clash): KeptVersion {
  return { id, title, base, yours, theirs };
}

function isKept(one: Clash, other: Clash): boolean {
  return sameLine(one, other) && one.theirs === other.theirs;
}
