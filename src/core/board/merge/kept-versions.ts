import '../jitless';
import * as z from 'zod/mini';
import type { StateFiles } from '../state-file';

/** A line's other version, kept until the person chose. The person's own stands in the note. */
const keptVersion = z.object({
  id: z.nullable(z.string()),
  title: z.string(),
  base: z.string(),
  yours: z.string(),
  theirs: z.string(),
});
export type KeptVersion = z.infer<typeof keptVersion>;

const keptVersions = z.array(keptVersion);

/** Versions of lines that wait for a choice, beside the notes: they outlive view and program. */
export class KeptVersions {
  constructor(private readonly state: StateFiles) {}

  /** @param board the note's path less the board root, as everywhere in the state */
  async of(board: string): Promise<readonly KeptVersion[]> {
    return readVersions(await this.state.text(placeOf(board)));
  }

  /** A version of the same line takes the place of an older one. */
  async keep(board: string, versions: readonly KeptVersion[]): Promise<void> {
    if (versions.length === 0) return;
    await this.state.change(placeOf(board), (text) => {
      const older = readVersions(text).filter(
        (one) => !versions.some((version) => sameLine(one, version)),
      );
      return written([...older, ...versions]);
    });
  }

  async chosen(board: string, version: KeptVersion): Promise<void> {
    const before = await this.of(board);
    const left = before.filter((one) => !sameLine(one, version));
    if (left.length === before.length) return;
    if (left.length === 0) await this.state.drop(placeOf(board));
    else await this.state.change(placeOf(board), () => written(left));
  }
}

/** Whether two versions are of one line: of one task, else of the same text. */
export function sameLine(
  one: Pick<KeptVersion, 'id' | 'base'>,
  other: Pick<KeptVersion, 'id' | 'base'>,
): boolean {
  return one.id === null ? other.id === null && one.base === other.base : one.id === other.id;
}

function placeOf(board: string): string {
  return `versions/${board.replace(/-tasks\.md$/, '.json')}`;
}

function written(versions: readonly KeptVersion[]): string {
  return `${JSON.stringify(versions, null, 1)}\n`;
}

/** A damaged file counts as none: what it held can't be shown. */
function readVersions(text: string | undefined): readonly KeptVersion[] {
  if (text === undefined) return [];
  try {
    const read = keptVersions.safeParse(JSON.parse(text));
    return read.success ? read.data : [];
  } catch {
    return [];
  }
}
