import { BoardFolders } from '../../core/permission/board-folders';
import { PathResolver } from '../../core/permission/path-resolver';
import { PendingPermissions } from '../../core/permission/ask';
import { ProtectedPlaces } from '../../core/permission/protected-places';
import { PolicyStore } from '../../core/permission/policy-store';
import { VaultTarget } from '../../core/permission/vault-target';
import type { TodoManager } from '../../core/board/todo-manager';
import { catchStoreError } from '../../core/fault';
import type { Undo } from '../../core/ports';
import { changeBoardFolders, type SharedSettings } from '../../core/shared-settings';
import { boardTools } from '../../core/tool/alias/aliases';
import { NoteIndex } from '../../core/tool/note/note-index';
import { noteTools } from '../../core/tool/note/note-tools';
import { ToolHost } from '../../core/tool/tool-host';
import { webSha256 } from '../adapter/platform';
import type { CoreServices } from '../app/core-services';
import { OwnAudit } from '../audit/own-audit';
import { notify } from '../ui/notify';
import { answerToolCalls } from './tool-calls';
import type { NoteSource } from '../../core/context/related-notes';
import type { Reader } from '../../core/tool/readable-note';

/** ms from the start until expired audit entries are deleted. */
const TIDY_AFTER = 60_000;

/** Runs the tools of agents in the plugin: rules, requests, audit, and the calls themselves. */
export class ToolServices {
  readonly asks: PendingPermissions;
  readonly policy: PolicyStore;
  readonly boardFolders: BoardFolders;
  readonly resolver: PathResolver;
  readonly audit: OwnAudit;
  readonly host: ToolHost;
  readonly index: NoteIndex;
  private readonly undos: Undo[] = [];

  /**
   * @param root the current root of the boards
   * @param shared the current shared settings
   */
  constructor(
    private readonly parts: CoreServices,
    private readonly configFolder: string,
    private readonly root: () => string,
    private readonly manager: () => Pick<TodoManager, 'call' | 'taskOf'>,
    private readonly shared: () => Pick<SharedSettings, 'askMinutes' | 'auditMonths'>,
  ) {
    const { store, clock, log, tools } = parts;
    this.asks = new PendingPermissions(clock);
    this.resolver = new PathResolver(tools.realPaths);
    this.boardFolders = new BoardFolders({
      ...{ kept: tools.boardFolders, root },
      isProtected: (folder) =>
        this.protectedPlaces([]).kindOf(new VaultTarget(folder)) !== undefined,
    });
    this.undos.push(this.boardFolders.onChange(() => this.policy.setPlaces(this.places())));
    this.policy = new PolicyStore({ store, places: this.places(), confirmed: tools.confirmed });
    const months = () => shared().auditMonths;
    this.audit = new OwnAudit({ ...tools.audit, store, clock, log, months });
    const { notes, pause } = tools;
    const hidden = (path: string) => this.places().kindOf(new VaultTarget(path)) !== undefined;
    this.index = new NoteIndex({ notes, pause, hidden });
    this.host = this.makeHost();
  }

  /** Places that no rule opens, for the current root. */
  places(): ProtectedPlaces {
    return this.protectedPlaces(this.boardFolders.left);
  }

  /** Reads the rules, then accepts calls. */
  async start(): Promise<void> {
    await this.policy.load();
    await this.syncBoardFolders();
    const { host, asks, parts } = this;
    this.undos.push(
      answerToolCalls({ ...parts, host, asks }),
      parts.clock.after(TIDY_AFTER, () => this.audit.tidy()),
    );
  }

  /** The notes to search for those that are sent along with an agent's prompt. */
  async notesFor(reader: Reader): Promise<NoteSource> {
    const { notes } = this.parts.tools;
    const readable = await this.host.reader(reader);
    return {
      readable,
      search: (query) => this.index.search(query),
      leadsTo: (link, from) => notes.leadsTo(link, from),
    };
  }

  /** The root of the boards has changed. */
  rootChanged(): void {
    this.boardFolders.refresh();
    this.policy.setPlaces(this.places());
  }

  /** The shared settings may have changed. */
  settingsChanged(): Promise<void> {
    return this.policy.fileChanged();
  }

  /** A file of the vault was created, changed, moved or removed. */
  fileChanged(path: string): void {
    void this.host.noteChanged(path);
  }

  /** Ends all pending requests without carrying anything out. */
  close(): void {
    for (const undo of this.undos) undo();
    for (const { requestId } of this.asks.all()) {
      this.asks.end(requestId, { reply: 'cancelled' });
    }
    this.index.close();
    this.audit.close();
  }

  /** Programs without Obsidian store the known board folders too: adds theirs, then stores ours. */
  private async syncBoardFolders(): Promise<void> {
    const { boardFolders } = this;
    await this.saveBoardFolders((before) => {
      boardFolders.add(before);
      return boardFolders.currentAndFormer;
    });
    this.undos.push(
      boardFolders.onChange(() => void this.saveBoardFolders(() => boardFolders.currentAndFormer)),
    );
  }

  private saveBoardFolders(edit: Parameters<typeof changeBoardFolders>[1]): Promise<unknown> {
    const { store, log } = this.parts;
    return catchStoreError(
      () => changeBoardFolders(store, edit),
      ({ message }) =>
        log.note('Which folders held boards cannot be kept.', {
          at: 'board.folders',
          error: message,
        }),
    );
  }

  private protectedPlaces(leftRoots: readonly string[]): ProtectedPlaces {
    const { configFolder, root } = this;
    return new ProtectedPlaces({ configFolder, boardRoot: root(), leftRoots });
  }

  private makeHost(): ToolHost {
    const { policy, audit, manager } = this;
    const { store, clock, ids, log, tools, hooks } = this.parts;
    const boards = boardTools({ call: (...call) => manager().call(...call) });
    return new ToolHost({
      ...{ clock, ids, log, audit, permitting: policy, asks: this.asks, hooks },
      tools: new Map([...boards, ...noteTools(tools.notes, this.index)]),
      refresh: () => policy.fileChanged(),
      boardRoot: this.root,
      notes: {
        ...{ store, resolver: this.resolver, digest: webSha256 },
        list: (folder) => tools.notes.list(folder),
        keep: (text) => audit.texts.keep(text),
      },
      notifyPerson: notify,
      askMinutes: () => this.shared().askMinutes,
      taskOf: (caller) => manager().taskOf(caller),
    });
  }
}
