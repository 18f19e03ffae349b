import { BoardFolders } from '../../core/permission/board-folders';
import { PathResolver } from '../../core/permission/path-resolver';
import { PendingAsks } from '../../core/permission/ask';
import { ProtectedPlaces } from '../../core/permission/protected-places';
import { PolicyStore } from '../../core/permission/policy-store';
import { VaultTarget } from '../../core/permission/vault-target';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Undo } from '../../core/ports';
import type { SharedSettings } from '../../core/shared-settings';
import { boardTools } from '../../core/tool/alias/aliases';
import { NoteIndex } from '../../core/tool/note/note-index';
import { noteTools } from '../../core/tool/note/note-tools';
import { ToolHost } from '../../core/tool/tool-host';
import { webSha256 } from '../adapter/platform';
import type { CoreServices } from '../app/core-services';
import { OwnAudit } from '../audit/own-audit';
import { answerToolCalls } from './tool-calls';
import type { Board } from '../../core/board/task';
import { taskInProgress } from '../../core/board/my-tasks';
import type { ToolCall } from '../../core/tool/tool';

interface ToolServicesDeps {
  readonly parts: Pick<
    CoreServices,
    'store' | 'clock' | 'ids' | 'log' | 'bus' | 'connection' | 'tools'
  >;
  readonly configFolder: string;
  /** where the boards are now */
  readonly root: () => string;
  readonly manager: () => Pick<TodoManager, 'call' | 'boards'>;
  /** tells the person */
  readonly tell: (message: string) => void;
  /** as they stand */
  readonly shared: () => Pick<SharedSettings, 'askMinutes' | 'auditMonths'>;
}

/** ms after the start until what is too old in the audit is looked for. */
const TIDY_AFTER = 60_000;

/** The tools that the plugin runs for agents: rules, questions, audit, and the one path of a call. */
export class ToolServices {
  readonly asks: PendingAsks;
  readonly policy: PolicyStore;
  readonly boardFolders: BoardFolders;
  readonly resolver: PathResolver;
  readonly audit: OwnAudit;
  readonly host: ToolHost;
  private readonly index: NoteIndex;
  private readonly undos: Undo[] = [];

  constructor(private readonly deps: ToolServicesDeps) {
    const { store, clock, log, tools } = deps.parts;
    this.asks = new PendingAsks(clock);
    this.resolver = new PathResolver(tools.realPaths);
    this.boardFolders = new BoardFolders({
      ...{ kept: tools.boardFolders, root: deps.root },
      covered: (folder) => this.placesBeside([]).kindOf(new VaultTarget(folder)) !== undefined,
    });
    this.undos.push(this.boardFolders.onChange(() => this.policy.usePlaces(this.places())));
    this.policy = new PolicyStore({ store, places: this.places(), confirmed: tools.confirmed });
    this.audit = new OwnAudit({
      ...tools.audit,
      store,
      clock,
      log,
      months: () => deps.shared().auditMonths,
    });
    const { notes, pause } = tools;
    const hidden = (path: string) => this.places().kindOf(new VaultTarget(path)) !== undefined;
    this.index = new NoteIndex({ notes, pause, hidden });
    this.host = this.makeHost();
  }

  /** What no rule opens, where the boards are now. */
  places(): ProtectedPlaces {
    return this.placesBeside(this.boardFolders.left);
  }

  /** Reads the rules, then takes calls. */
  async start(): Promise<void> {
    await this.policy.load();
    const { clock } = this.deps.parts;
    this.undos.push(
      answerToolCalls({ ...this.deps.parts, host: this.host, asks: this.asks }),
      clock.after(TIDY_AFTER, () => this.audit.tidy()),
    );
  }

  /** The boards are in another folder now. */
  rootChanged(): void {
    this.boardFolders.follow();
    this.policy.usePlaces(this.places());
  }

  /** The shared settings may be others now. */
  look(): Promise<void> {
    return this.policy.fileChanged();
  }

  /** A file of the vault was made, changed, moved or removed. */
  fileTouched(path: string): void {
    void this.host.noteChanged(path);
  }

  /** What waits for the person waits no longer; nothing is done for it. */
  close(): void {
    for (const undo of this.undos) undo();
    for (const { requestId } of this.asks.all()) {
      this.asks.end(requestId, { reply: 'cancelled' });
    }
    this.index.close();
    this.audit.close();
  }

  private placesBeside(leftRoots: readonly string[]): ProtectedPlaces {
    const { configFolder, root } = this.deps;
    return new ProtectedPlaces({ configFolder, boardRoot: root(), leftRoots });
  }

  private makeHost(): ToolHost {
    const { deps, policy, audit } = this;
    const { store, clock, ids, log, tools } = deps.parts;
    const boards = boardTools({ call: (...call) => deps.manager().call(...call) });
    return new ToolHost({
      ...{ clock, ids, log, audit, permitting: policy, asks: this.asks },
      tools: new Map([...boards, ...noteTools(tools.notes, this.index)]),
      refresh: () => policy.fileChanged(),
      boardRoot: deps.root,
      notes: {
        ...{ store, resolver: this.resolver, digest: webSha256 },
        keep: (text) => audit.texts.keep(text),
      },
      tell: deps.tell,
      askMinutes: () => deps.shared().askMinutes,
      taskOf: (call) => taskOfCall(call, deps.manager().boards()),
    });
  }
}

/** Id of the task that the caller is at: the one it was started for, else the one its board has in progress. */
function taskOfCall(call: ToolCall, boards: readonly Board[]): string | undefined {
  if (call.board?.task !== undefined) return call.board.task;
  const { session, agent } = call.board ?? { session: call.sessionId, agent: call.agent };
  const own = boards.filter((board) => board.session === session && board.agent === agent);
  return taskInProgress(own)?.id ?? undefined;
}
