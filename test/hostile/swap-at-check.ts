import { renameSync } from 'node:fs';
import { join } from 'node:path';

/** Swaps `Notes` for the link right before or right after one of the checks. */
export class SwapAtCheck {
  checkCount = 0;
  at: { readonly look: number; readonly when: 'before' | 'after' } | undefined;
  isOut = false;

  /** @param vault with the folder `Notes` and the link `Link` */
  constructor(private readonly vault: string) {}

  around<T>(look: () => T): T {
    this.begin();
    const seen = look();
    this.end();
    return seen;
  }

  begin(): void {
    this.checkCount += 1;
    if (this.at?.when === 'before' && this.at.look === this.checkCount) this.swap();
  }

  end(): void {
    if (this.at?.when === 'after' && this.at.look === this.checkCount) this.swap();
  }

  swap(): void {
    this.isOut = !this.isOut;
    const moves = [
      ['Notes', 'Aside'],
      ['Link', 'Notes'],
    ] as const;
    const back = [
      ['Notes', 'Link'],
      ['Aside', 'Notes'],
    ] as const;
    for (const [from, to] of this.isOut ? moves : back) {
      renameSync(join(this.vault, from), join(this.vault, to));
    }
  }
}
