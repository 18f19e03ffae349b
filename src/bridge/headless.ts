import type { TodoManager } from '../core/board/todo-manager';
import { fixedAccessRules } from '../core/permission/access-rules';
import type { AccessPolicy } from '../core/permission/policy';
import type { VaultTarget } from '../core/permission/vault-target';
import type { Clock, Ids, Log, NoteStore } from '../core/ports';
import { followBoardFolders, policyOf, type SharedSettings } from '../core/shared-settings';
import { boardTools } from '../core/tool/alias/aliases';
import type { AskPerson } from '../core/tool/call-run';
import type { AnsweredCall, ToolCall, ToolFault } from '../core/tool/tool';
import { ToolHost } from '../core/tool/tool-host';
import type { ProcessAudit } from '../node/audit/open-audit';
import { diskNoteTools } from '../node/notes/note-host';

interface HeadlessServices {
  /** absolute */
  readonly vault: string;
  readonly store: NoteStore;
  /** the boards on disk, and the current settings */
  readonly boards: {
    /** @throws StoreError if the settings can't be read */
    now(): Promise<{
      readonly manager: Pick<TodoManager, 'call' | 'taskOf'>;
      readonly settings: SharedSettings;
    }>;
  };
  readonly audit: Pick<ProcessAudit, 'append' | 'texts'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** The settings that running calls use. */
interface Current {
  readonly manager: Pick<TodoManager, 'call' | 'taskOf'>;
  readonly settings: SharedSettings;
  readonly policy: AccessPolicy;
}

/**
 * Runs calls that no client takes, on boards and notes on disk. They go through the same steps as
 * in Obsidian, with the rules of the shared settings and an audit.
 */
export class HeadlessRunner {
  private readonly host: ToolHost;
  private loaded: Current | undefined;

  constructor(private readonly services: HeadlessServices) {
    const { vault, store, audit, clock, ids, log } = services;
    const { texts } = audit;
    const hidden = (target: VaultTarget): boolean =>
      this.current.policy.places.kindOf(target) !== undefined;
    const { tools, notes } = diskNoteTools({ vault, store, texts, hidden, clock, log });
    const boards = boardTools({ call: (...call) => this.current.manager.call(...call) });
    this.host = new ToolHost({
      ...{ audit, clock, ids, log, notes },
      tools: new Map([...boards, ...tools]),
      permitting: fixedAccessRules(() => this.current.policy),
      refresh: () => this.refresh(),
      boardRoot: () => this.current.settings.root,
      taskOf: async (caller) => this.loaded?.manager.taskOf(caller),
    });
  }

  /**
   * Runs a call. Resolves with a failure, rather than rejecting, if it is refused or fails.
   * @param ask asks the person if the rules require it; undefined if nobody can be asked
   */
  run(call: ToolCall, ask?: AskPerson): Promise<AnsweredCall> {
    return this.host.run(call, ask);
  }

  /** Refuses a call for the given reason. The refusal is recorded in the audit. */
  refuse(call: ToolCall, fault: ToolFault): Promise<AnsweredCall> {
    return this.host.refuse(call, fault);
  }

  /** Cancels a call whose answer nobody waits for any more. Effects that it already had stay. */
  cancel(callId: string, sessionId: string | undefined): void {
    this.host.cancel(callId, sessionId);
  }

  /** The settings as read before the current call. */
  private get current(): Current {
    if (this.loaded === undefined) throw new Error('The settings have not been read yet');
    return this.loaded;
  }

  private async refresh(): Promise<void> {
    const { manager, settings } = await this.services.boards.now();
    const protectedFolders = await followBoardFolders(this.services.store, settings);
    this.loaded = { manager, settings, policy: policyOf(settings, protectedFolders) };
  }
}
