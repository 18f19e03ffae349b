import { foldChars, foldPath } from './fold-path';
import type { PathPattern } from './path-pattern';
import { PathText } from './path-text';

/** How rules see one path; made ready only for rules that look at it. */
class Spelling {
  private exactText: PathText | undefined;
  private foldedTexts: readonly PathText[] | undefined;

  constructor(readonly text: string) {}

  /** as it is written, for what allows */
  get exact(): PathText {
    return (this.exactText ??= new PathText(this.text));
  }

  /** without case, for what holds back; one more where folding changes its length */
  get folded(): readonly PathText[] {
    return (this.foldedTexts ??= [...new Set([foldChars(this.text), foldPath(this.text)])].map(
      (form) => new PathText(form),
    ));
  }
}

/** The whole vault, as a folder that is listed or searched. */
export const VAULT = '';

/**
 * A file or folder of the vault that a call is about. Only a `PathResolver` makes one; so whatever has
 * one has a path that was checked.
 */
export class VaultTarget {
  private readonly spellings: readonly Spelling[];

  /**
   * @param path in NFC
   * @param real where that is once all links are followed, if somewhere else
   */
  constructor(
    readonly path: string,
    readonly real: string = path,
  ) {
    this.spellings = (path === real ? [path] : [path, real]).map((text) => new Spelling(text));
  }

  /** Whether the pattern lets it through: each of its paths fits, letter for letter. */
  allowedBy(pattern: PathPattern): boolean {
    return this.spellings.every(({ exact }) => exact.fits(pattern));
  }

  /** Whether the pattern holds it back: one of its paths fits, in any case and Unicode form. */
  heldBy(forms: readonly PathPattern[]): boolean {
    return this.spellings.some(({ folded }) =>
      folded.some((text) => forms.some((form) => text.fits(form))),
    );
  }

  /** All paths it is known by. */
  get paths(): readonly string[] {
    return this.spellings.map(({ text }) => text);
  }

  /** Whether this names the same place as when it was looked at before. */
  equals(other: VaultTarget): boolean {
    return this.path === other.path && this.real === other.real;
  }
}
