import type { AskEnd } from '../permission/ask';
import type { Digest } from '../permission/audit/audit-chain';
import type { AuditEntry } from '../permission/audit/audit-entry';
import type { Decision } from '../permission/decide';
import type { PathResolver } from '../permission/path-resolver';
import type { PendingAsks } from '../permission/pending-asks';
import type { Permitting } from '../permission/permitting';
import type { Clock, Ids, Log, NoteStore } from '../ports';
import type { Tool, ToolCall } from './tool';

/** What the one path of a call goes through. */
export interface ToolHostDeps {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permitting: Permitting;
  /** brings the rules up to date: before each call, and after the person's answer */
  refresh?(): Promise<void>;
  /** resolves once the entry is on disk */
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** where the boards are, relative to the vault */
  boardRoot(): string;
  /** absent where no vault is connected: then tools for notes say so */
  readonly notes?: NoteDeps | undefined;
  /** where a person can be asked; answers are given there */
  readonly asks?: Pick<PendingAsks, 'ask' | 'end'> | undefined;
  /** asks elsewhere, where there is no `asks`; with neither, what asks is refused */
  onAsk?(call: ToolCall, decision: Decision): Promise<AskEnd>;
  /** tells the person what they would not learn otherwise */
  tell?(message: string): void;
  /** minutes after which what nobody answered is denied; 0: never */
  askMinutes?(): number;
  /** id of the task that the caller is at */
  taskOf?(call: ToolCall): string | undefined;
}

/** The notes of a vault, for the tools that read and write them. */
export interface NoteDeps {
  readonly store: NoteStore;
  readonly resolver: PathResolver;
  readonly digest: Digest;
  /**
   * Keeps what a note says before and after a change, so that this can be shown and undone.
   * @returns its hash, as the audit has it
   * @throws StoreError where it can't be kept; then nothing is written
   */
  keep?(text: string): Promise<string>;
}
