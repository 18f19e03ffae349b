import type { TodoManager } from '../core/board/todo-manager';
import type { NoteStore } from '../core/ports';
import type { SharedSettings } from '../core/shared-settings';
import type { Exit, Surroundings } from './exit';
import type { Given } from './given';
import type { VaultCalls } from './vault-calls';

/** One option of a command, as it is read and as help shows it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  /** one letter that stands for its name */
  readonly short?: string;
  /** what stands for the value in help; absent for a switch */
  readonly value?: string;
  readonly says: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The vault that a run works on. */
export interface OpenVault {
  /** absolute path */
  readonly folder: string;
  readonly store: NoteStore;
  /** of the boards, relative to the vault */
  readonly root: string;
  /** as they stood when the vault was opened */
  readonly settings: SharedSettings;
  readonly manager: TodoManager;
  /** for what is done in an agent's name */
  readonly calls: VaultCalls;
}

export interface Command {
  readonly name: string;
  /** what follows the name, as in `TITLE [--parent ID]` */
  readonly takes: string;
  /** one line, what it does */
  readonly says: string;
  readonly options: Options;
  /** what its first word may be, and what each does; for help */
  readonly rows?: readonly (readonly [word: string, says: string])[];
  /** The command as it is behind its first word, for help; undefined for a word that is none of `rows`. */
  part?: (word: string) => Command | undefined;
  /** how many words it takes that are no options */
  readonly words: { readonly least: number; readonly most: number };
  run(given: Given, vault: OpenVault, around: Surroundings): Promise<Exit>;
}
