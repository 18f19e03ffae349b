import { readLine, type ChainEnd, type Digest } from './audit-chain';
import { filesOf } from './audit-file';
import type { AuditStore, MarkedEnd } from './audit-store';

export type AuditProblem =
  /** an entry is not what was written, or no entry at all */
  | 'changed'
  /** entries before it are gone */
  | 'missing'
  /** it stands behind a later one, or stands there twice */
  | 'moved'
  /** entries at the end are gone, or all were made anew */
  | 'cut';

export type AuditReport =
  | { readonly ok: true; readonly entries: number }
  | {
      readonly ok: false;
      readonly problem: AuditProblem;
      /** number of the first entry that is not as it was; later ones can't be trusted */
      readonly entry: number;
      /** where to look; undefined where the file itself is gone */
      readonly file: string | undefined;
      /** from 1 */
      readonly line: number;
      readonly message: string;
    };

interface At extends ChainEnd {
  readonly file: string | undefined;
  readonly line: number;
}

/** Whether one writer's audit is all that was written, and only that. */
export async function verifyAudit(
  store: AuditStore,
  writer: string,
  digest: Digest,
  mark: MarkedEnd | undefined,
): Promise<AuditReport> {
  let last: At | undefined;
  let entries = 0;
  const from = mark?.from ?? 1;
  let marked = mark === undefined || mark.n < from;
  for (const file of filesOf(await store.list(), writer)) {
    const lines = ((await store.read(file)) ?? '').split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const [at, line] of lines.entries()) {
      const place = { file, line: at + 1 };
      const read = await readLine(line, digest);
      const expected = (last?.n ?? from - 1) + 1;
      if (read?.intact !== true) return broken('changed', expected, place);
      const { n, prev, hash } = read.record;
      // Older ones than are promised may still be there.
      const first = last === undefined && n <= expected;
      if (!first && n !== expected)
        return broken(n > expected ? 'missing' : 'moved', expected, place);
      if (last !== undefined && prev !== last.hash) return broken('changed', last.n, last);
      if (mark?.n === n) {
        if (mark.hash !== hash) return broken('cut', n, place);
        marked = true;
      }
      last = { n, hash, ...place };
      entries += 1;
    }
  }
  if (marked) return { ok: true, entries };
  return broken('cut', (last?.n ?? from - 1) + 1, {
    file: last?.file,
    line: (last?.line ?? 0) + 1,
  });
}

const WORDS: Readonly<Record<AuditProblem, string>> = {
  changed: 'was changed or removed after it was written',
  missing: 'was removed after it was written',
  moved: 'was moved after it was written',
  cut: 'was removed from the end, or written anew',
};

function broken(
  problem: AuditProblem,
  entry: number,
  { file, line }: { readonly file: string | undefined; readonly line: number },
): AuditReport {
  const message = `Entry ${entry} ${WORDS[problem]}. Later entries can't be trusted.`;
  return { ok: false, problem, entry, file, line, message };
}
