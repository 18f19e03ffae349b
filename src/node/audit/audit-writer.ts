import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { StoreError } from '../../core/ports';
import type { AuditFiles } from './audit-files';

/** What a process keeps beside its audit: its name as a writer, and how far it got. */
export const WRITERS_FOLDER = 'writers';

/** Processes of one kind that write audits of one vault at the same time on one machine. */
const MOST = 64;

/** A writer's name that this process alone has until it gives it back. */
export interface HeldWriter {
  readonly writer: string;
  readonly release: () => void;
}

/**
 * The first free name of this machine: `bridge-3f9a1c-1`, and `-2` while another process has that.
 * So many starts one after another go on with one chain, and the files don't get more.
 * @throws StoreError `busy` where all names are taken
 */
export async function holdWriter(files: AuditFiles, kind: string): Promise<HeldWriter> {
  for (let number = 1; number <= MOST; number += 1) {
    const writer = `${kind}-${machine()}-${number}`;
    const release = await holdNamed(files, writer);
    if (release !== undefined) return { writer, release };
  }
  throw new StoreError('busy', `${MOST} processes write the audit already. End some of them.`);
}

/** @returns gives the name back; undefined where another process has it */
export async function holdNamed(
  files: AuditFiles,
  writer: string,
): Promise<(() => void) | undefined> {
  try {
    return await files.hold(`${WRITERS_FOLDER}/${writer}.lock`);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'busy') throw error;
    return undefined;
  }
}

/** Whether it is a name of a bridge or a command line here; the plugin's own marks are the app's. */
export function isOfThisMachine(writer: string): boolean {
  const [, kind, of] = /^(bridge|cli)-([0-9a-f]{6})-\d+$/.exec(writer) ?? [];
  return kind !== undefined && of === machine();
}

function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
}
