import type { Ids } from '../ports';
import type { BoardFiles } from './board-files';
import { drawPrefix } from './note/ids';

/** Draws the prefix of a new board: no other board under the root has it, nor gets it meanwhile. */
export class Prefixes {
  private readonly given = new Set<string>();

  constructor(
    private readonly files: BoardFiles,
    private readonly ids: Ids,
  ) {}

  /** Reads every board's header: boards are made seldom. */
  async draw(): Promise<string> {
    await this.files.scan();
    const taken = new Set(this.files.all().map(({ prefix }) => prefix));
    for (;;) {
      const prefix = drawPrefix(() => this.ids.random());
      if (taken.has(prefix) || this.given.has(prefix)) continue;
      this.given.add(prefix);
      return prefix;
    }
  }
}
