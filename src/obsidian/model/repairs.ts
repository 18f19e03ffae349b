import { archivePathOf } from '../../core/board/doctor/findings';
import type { Finding } from '../../core/board/doctor/finding';

/** What a board's banners say: one finding, all copies of it, or that there is more than a banner says. */
export type Repair =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'copies'; readonly paths: readonly string[] }
  | { readonly kind: 'several'; readonly count: number };

/** Findings that have a banner each; more of them have one together. */
const MOST_BANNERS = 2;

/**
 * What a person should know of one board, without that it can't be read, which its own banner says.
 * Copies belong to the board in their folder whose name theirs begins with.
 */
export function boardRepairs(path: string, findings: readonly Finding[]): readonly Repair[] {
  const stem = path.replace(/\.md$/, '');
  const copies = findings.filter(
    ({ kind, path: copy }) =>
      kind === 'sync-copy' && copy.startsWith(stem) && /^[ ._(]/.test(copy.slice(stem.length)),
  );
  const own = findings.filter(
    (finding) =>
      (finding.path === path && finding.kind !== 'broken-note') ||
      finding.path === archivePathOf(path),
  );
  const repairs: Repair[] = [];
  if (copies.length > 0) repairs.push({ kind: 'copies', paths: copies.map((one) => one.path) });
  if (own.length > MOST_BANNERS) repairs.push({ kind: 'several', count: own.length });
  else for (const finding of own) repairs.push({ kind: 'finding', finding });
  return repairs;
}
