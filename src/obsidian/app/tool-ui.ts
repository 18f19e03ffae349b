import type { Plugin } from 'obsidian';
import type { Undo } from '../../core/ports';
import { webSha256 } from '../adapter/platform';
import { toTrash } from '../adapter/vault-notes';
import type { Prompts } from '../ask/prompts';
import type { NameLookup } from '../audit/audit-words';
import { makeAuditPanel, type AuditPanel } from '../audit/audit-panel';
import { conditionalCommand } from '../ui/menu';
import { tryPermission } from '../permission/permission-sections';
import type { PermissionDeps } from '../permission/rules-deps';
import type { Services } from './services';
import type { CoreServices } from './core-services';
import { notify } from '../ui/notify';
import { openBoard, type NoteLocator } from '../note/open-board';
import { t } from '../language/text';

/** The user interface for agents' tools: the rules and the audit. */
export class ToolUi {
  readonly permissions: PermissionDeps;
  readonly audit: AuditPanel;
  private readonly stop: Undo;

  constructor(plugin: Plugin, parts: CoreServices, services: Services, prompts: Prompts) {
    const { tools } = services;
    const { policy, resolver, boardFolders, asks, audit } = tools;
    const { store, clock, ids } = parts;
    this.permissions = {
      ...{ policy, resolver, boardFolders },
      now: () => clock.now(),
      sessions: () => [...services.sessions.list()].sort((a, b) => b.lastActive - a.lastActive),
    };
    this.audit = makeAuditPanel({
      ...{ plugin, store, clock, ids, digest: webSha256, audit, resolver, asks, notify },
      writers: () => audit.writers,
      places: () => tools.places(),
      names: namesOf(services),
      openBoard: (path, task) =>
        openBoardAt({ app: plugin.app, store: parts.store }, services, path, task),
      review: (requestId) => prompts.review(requestId),
      trash: toTrash(plugin.app),
      pause: parts.tools.pause,
    });
    this.stop = audit.onWritten(() => this.audit.refresh());
    const tryIt = () => tryPermission(plugin.app, this.permissions);
    plugin.addCommand(
      conditionalCommand('try-permission', t('app.tryAPermission'), () => true, tryIt),
    );
  }

  close(): void {
    this.stop();
    this.audit.close();
  }
}

function openBoardAt(
  places: NoteLocator,
  services: Services,
  path: string,
  task: string | undefined,
): void {
  const board = services.overview.state.boards.find((one) => one.path === path);
  if (board === undefined) notify(t('app.boardGone'));
  else {
    const at = board.tasks.find(({ id }) => id !== null && id === task);
    void openBoard(places, board, at, true);
  }
}

function namesOf(services: Services): NameLookup {
  return {
    session: (id) => services.sessions.list().find((one) => one.id === id)?.title,
    task: (id) =>
      services.overview.state.boards.flatMap(({ tasks }) => tasks).find((task) => task.id === id)
        ?.title,
  };
}
