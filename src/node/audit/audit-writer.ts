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
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
  for (let number = 1; number <= MOST; number += 1) {
    const writer = `${kind}-${machine}-${number}`;
    try {
      return { writer, release: await files.hold(`${WRITERS_FOLDER}/${writer}.lock`) };
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'busy') throw error;
    }
  }
  throw new StoreError('busy', `${MOST} processes write the audit already. End some of them.`);
}
