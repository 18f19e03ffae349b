import { auditRecord, type AuditEntry, type AuditRecord } from './audit-entry';
import { jsonLine } from './redact';

/**
 * Returns the SHA-256 of a text's UTF-8 as hexadecimal digits. Asynchronous because Web Crypto is.
 */
export type Digest = (text: string) => Promise<string>;

/** The end of a chain: the number and hash of its last line. `n` is 0 for an empty chain. */
export interface ChainEnd {
  readonly n: number;
  readonly hash: string;
}

export const CHAIN_START: ChainEnd = { n: 0, hash: '' };

const HASH = /,"hash":"([0-9a-f]{64})"\}$/;

export interface ChainLine extends ChainEnd {
  /** without the line break */
  readonly line: string;
}

/**
 * Creates the line that follows `end`. The line contains the hash of the line before it, and its
 * own hash covers everything else in it. So changing, removing or moving a line requires rewriting
 * all later ones.
 */
export async function nextLine(
  entry: AuditEntry,
  at: number,
  end: ChainEnd,
  digest: Digest,
): Promise<ChainLine> {
  // Joins two JSON texts, which avoids copying the entry: its fields follow those of the chain.
  const link = jsonLine({ v: 1, n: end.n + 1, prev: end.hash, at });
  const body = `${link.slice(0, -1)},${jsonLine(entry).slice(1)}`;
  const hash = await digest(body);
  return { n: end.n + 1, hash, line: `${body.slice(0, -1)},"hash":"${hash}"}` };
}

/** Parses a line and checks its hash. Returns undefined if the line is not an entry. */
export async function readLine(
  line: string,
  digest: Digest,
): Promise<{ readonly record: AuditRecord; readonly intact: boolean } | undefined> {
  const record = parseRecord(line);
  if (record === undefined) return undefined;
  const body = line.replace(HASH, '}');
  return { record, intact: body !== line && (await digest(body)) === record.hash };
}

/**
 * Parses a line without checking its hash: for display only. Returns undefined if it is torn or not
 * ours.
 */
export function parseRecord(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // Returns the parsed JSON rather than zod's output, to keep the fields of later versions.
    return auditRecord().safeParse(value).success ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}
