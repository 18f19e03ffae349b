import type { Digest } from './audit-chain';
import { writersOf } from './audit-file';
import type { AuditStore, MarkedEnd } from './audit-store';
import { verifyFrom, type AuditReport, type VerifiedEnd } from './verify-audit';

/** What is wrong with one writer's audit. */
export type BrokenChain = Extract<AuditReport, { ok: false }> & { readonly writer: string };

/** Whether the audits of all writers are whole. */
export interface ChainsState {
  /** that are as they were written */
  readonly entries: number;
  readonly writers: readonly string[];
  readonly broken: readonly BrokenChain[];
}

export interface ChainsDeps {
  readonly store: Pick<AuditStore, 'list' | 'read'>;
  readonly digest: Digest;
  /** how far a writer got; undefined where that is not known here, so that a missing end isn't noticed */
  readonly mark: (writer: string) => Promise<MarkedEnd | undefined>;
  /** writers that must be there, even if all their files are gone */
  readonly known?: () => readonly string[];
}

/** Looks at the chains of all writers, and from then on only at what came since. */
export class AuditChains {
  private readonly ends = new Map<string, VerifiedEnd>();
  private tail: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: ChainsDeps) {}

  /** @param anew looks at everything again: what was whole may have been changed since */
  check(anew = false): Promise<ChainsState> {
    const run = this.tail.then(() => this.look(anew));
    this.tail = run.catch(() => undefined); // for its caller to see
    return run;
  }

  private async look(anew: boolean): Promise<ChainsState> {
    const { store, digest, mark, known } = this.deps;
    if (anew) this.ends.clear();
    const writers = [...new Set([...writersOf(await store.list()), ...(known?.() ?? [])])].sort();
    const broken: BrokenChain[] = [];
    let entries = 0;
    for (const writer of writers) {
      const marked = await mark(writer);
      const before = this.ends.get(writer);
      const { report, end } = await verifyFrom(store, writer, digest, marked, before);
      if (end === undefined) this.ends.delete(writer);
      else this.ends.set(writer, end);
      entries += end?.entries ?? 0;
      if (!report.ok) broken.push({ ...report, writer });
    }
    return { entries, writers, broken };
  }
}

/** For a person: "Intact, 1,284 entries", or what is wrong, with the writer where there are several. */
export function chainsWords({ entries, writers, broken }: ChainsState): string {
  const count = `${entries.toLocaleString('en')} ${entries === 1 ? 'entry' : 'entries'}`;
  if (broken.length === 0) return `Intact, ${count}`;
  return broken
    .map(({ writer, message }) => (writers.length > 1 ? `${writer}: ${message}` : message))
    .join(' ');
}

/** For who looks into it: each chain in a line, where it broke and what stands there. */
export function chainsReport({ entries, writers, broken }: ChainsState): string {
  const lines = broken.map(
    ({ writer, file, line, problem, message }) =>
      `${writer}: ${message} (${problem}; ${file ?? 'no file'}, line ${line})`,
  );
  const whole = writers.filter((writer) => broken.every((one) => one.writer !== writer));
  const intact = whole.length === 0 ? [] : [`Intact: ${whole.join(', ')}`];
  return [`Audit, ${entries} entries as they were written`, ...lines, ...intact].join('\n');
}
