import type { Clock } from '../../ports';
import {
  CHAIN_START,
  nextLine,
  parseRecord,
  readLine,
  type ChainEnd,
  type Digest,
} from './audit-chain';
import type { AuditStore } from './audit-store';

/** Characters of a torn line that its repair keeps. */
const KEPT = 900;

export interface OpenDeps {
  readonly store: AuditStore;
  readonly digest: Digest;
  readonly clock: Clock;
}

/**
 * Where a file's chain goes on. A torn last line is replaced by an entry that keeps its beginning. Where
 * lines are missing that were written, it goes on behind them: what is gone stays noticeable.
 */
export async function openChain(
  name: string,
  marked: ChainEnd,
  { store, digest, clock }: OpenDeps,
): Promise<{ readonly end: ChainEnd; readonly size: number }> {
  const text = (await store.read(name)) ?? '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const torn = text.slice(whole.length);
  const end = laterEnd(whole, marked);
  if (torn === '') return { end, size: whole.length };
  const last = await readLine(torn, digest);
  if (last?.intact === true) {
    // Only what ends the line is missing.
    await store.replace(name, `${text}\n`);
    return { end: { n: last.record.n, hash: last.record.hash }, size: text.length + 1 };
  }
  const lost = { kind: 'repair', lost: torn.slice(0, KEPT) } as const;
  const repair = await nextLine(lost, clock.now(), end, digest);
  const repaired = `${whole}${repair.line}\n`;
  await store.replace(name, repaired);
  return { end: { n: repair.n, hash: repair.hash }, size: repaired.length };
}

/** Number of a file's first line; 1 where it can't be read, so that nothing counts as removed on purpose. */
export async function firstNumber(store: AuditStore, name: string): Promise<number> {
  const text = (await store.read(name)) ?? '';
  return parseRecord(text.slice(0, text.indexOf('\n')))?.n ?? 1;
}

function laterEnd(whole: string, marked: ChainEnd): ChainEnd {
  const last = parseRecord(whole.slice(whole.lastIndexOf('\n', whole.length - 2) + 1).trimEnd());
  const found = last === undefined ? CHAIN_START : { n: last.n, hash: last.hash };
  return found.n >= marked.n ? found : { n: marked.n, hash: marked.hash };
}
