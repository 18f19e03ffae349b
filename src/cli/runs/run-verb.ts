import type { OpenVault } from '../command';
import type { Exit, Surroundings } from '../exit';
import type { Given } from '../given';
import type { CliRuns } from './open-runs';

/** What a verb of `agent-boards run` works with. */
export interface RunDesk {
  readonly vault: OpenVault;
  readonly given: Given;
  /** what stands behind the verb */
  readonly words: readonly string[];
  readonly around: Surroundings;
  /** not connected yet, the runs of the vault known */
  readonly open: CliRuns;
}

/** What follows `agent-boards run`. */
export interface RunVerb {
  readonly name: string;
  /** what follows its name, as in `TASK [RUN]` */
  readonly takes: string;
  /** one line, what it does */
  readonly says: string;
  /** names of the options it takes beside the common ones */
  readonly options: readonly string[];
  /** how many words it takes */
  readonly words: { readonly least: number; readonly most: number };
  run(desk: RunDesk): Promise<Exit>;
}

/** Options of what carries a run on: until when. */
export const FOLLOWS: readonly string[] = ['stay'];
