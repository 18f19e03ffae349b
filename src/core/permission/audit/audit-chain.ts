import { auditRecord, type AuditEntry, type AuditRecord } from './audit-entry';
import { jsonLine } from './redact';

/** SHA-256 of a text's UTF-8, in hexadecimal digits. Asynchronous, since the platform's own is. */
export type Digest = (text: string) => Promise<string>;

/** The end of a chain: the number and the hash of its last line. `n` is 0 before the first. */
export interface ChainEnd {
  readonly n: number;
  readonly hash: string;
}

export const CHAIN_START: ChainEnd = { n: 0, hash: '' };

const HASH = /,"hash":"([0-9a-f]{64})"\}$/;

export interface ChainLine extends ChainEnd {
  /** without what ends it */
  readonly line: string;
}

/**
 * The line that follows `end`. Its hash is that of the line without it, and the line holds the hash of
 * the one before; so none can be changed, taken out or moved without all later ones being made anew.
 */
export async function nextLine(
  entry: AuditEntry,
  at: number,
  end: ChainEnd,
  digest: Digest,
): Promise<ChainLine> {
  // The entry is not copied to be written: its fields follow those of the chain.
  const link = jsonLine({ v: 1, n: end.n + 1, prev: end.hash, at });
  const body = `${link.slice(0, -1)},${jsonLine(entry).slice(1)}`;
  const hash = await digest(body);
  return { n: end.n + 1, hash, line: `${body.slice(0, -1)},"hash":"${hash}"}` };
}

/** Parses a line, and checks that it is as it was written; undefined if it is not an entry. */
export async function readLine(
  line: string,
  digest: Digest,
): Promise<{ readonly record: AuditRecord; readonly intact: boolean } | undefined> {
  const record = parseRecord(line);
  if (record === undefined) return undefined;
  const body = line.replace(HASH, '}');
  return { record, intact: body !== line && (await digest(body)) === record.hash };
}

/** Unchecked: for what is shown, not for what is trusted. Undefined for what is torn, or not ours. */
export function parseRecord(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // As it stands: fields of later versions stay.
    return auditRecord().safeParse(value).success ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}
