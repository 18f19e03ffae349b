import type { App, Command, Plugin } from 'obsidian';
import { render } from 'preact';
import type { Op } from '../../core/board/op';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Board, Task } from '../../core/board/task';
import type { Undo } from '../../core/ports';
import type { BoardActions } from '../board/board-actions';
import { targetOf } from '../board/task-moves';
import type { Intents } from '../board/intents';
import type { Chooser } from '../board/task-commands';
import type { Overview } from '../model/overview';
import { boardSession } from '../session/session-list';
import { DiffLines } from '../ui/diff-view';
import { ask } from '../ui/dialog';
import { menuEntry, conditionalCommand, type MenuLine } from '../ui/menu';
import { copyText, notify } from '../ui/notify';
import { textDiff, type DiffLine } from '../ui/text-diff';
import { LINK_ACTION, linkTo, readLink, type LinkRequest } from './plan-link';
import { faultText, t } from '../language/text';

interface LinkDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly manager: () => Pick<TodoManager, 'preview'>;
  readonly boards: BoardActions;
  readonly intents: Pick<Intents, 'open' | 'openAsBoard'>;
  readonly openSidebar: () => void;
  readonly openConversation: (session: string) => void;
}

type LinkChange = Exclude<LinkRequest, { do: 'open' | 'converse' }>;

type Params = Readonly<Record<string, string>>;

/**
 * Handles links of the form `obsidian://agent-task-boards?do=…`. Any web page can open one, any
 * number of times: changes are shown first, one at a time, and links are ignored while a dialog is
 * open.
 */
export class PlanLinks {
  private asking = false;
  /** a link that was opened before the boards were read; only the last one is kept */
  private pendingLink: Params | undefined;
  private hidePrevious: Undo = () => undefined;

  constructor(private readonly deps: LinkDeps) {}

  register(plugin: Plugin): void {
    plugin.registerObsidianProtocolHandler(LINK_ACTION, (params) => void this.follow(params));
    plugin.register(
      this.deps.overview.onChange(({ loaded }) => {
        const { pendingLink } = this;
        if (!loaded || pendingLink === undefined) return;
        this.pendingLink = undefined;
        void this.follow(pendingLink);
      }),
    );
  }

  private async follow(params: Params): Promise<void> {
    const { overview } = this.deps;
    if (!overview.state.loaded) {
      this.pendingLink = params;
      return;
    }
    if (this.asking || activeDocument.querySelector('.modal-container') !== null) {
      return this.showNotice(t('link.dialogIsOpen'));
    }
    this.asking = true;
    const request = await this.confirmed(params).finally(() => (this.asking = false));
    if (request !== undefined) await this.write(request);
  }

  private open(request: Exclude<LinkRequest, LinkChange>): void {
    const { intents, openSidebar, openConversation } = this.deps;
    if (request.do === 'converse') return openConversation(request.session);
    const { session, board, task } = request;
    if (board !== undefined) intents.open(board, task, false);
    else if (session !== '') intents.openAsBoard(session);
    else openSidebar();
  }

  /**
   * Opens what the link names, or shows exactly what it would write and returns that once it was
   * confirmed. If the change has become another one meanwhile, shows the new one.
   */
  private async confirmed(params: Params): Promise<LinkChange | undefined> {
    let shown: string | undefined;
    for (;;) {
      const request = readLink(params, this.deps.overview.state);
      if ('problem' in request) {
        this.showNotice(t('link.nothingChanged', { why: request.problem }));
        return undefined;
      }
      if (request.do === 'open' || request.do === 'converse') {
        this.open(request);
        return undefined;
      }
      if (request.do === 'complete' && request.task.status === 'completed') {
        this.showNotice(t('link.doneAlready', { title: request.task.title }));
        return undefined;
      }
      const lines = await this.preview(request);
      if (lines === undefined) return undefined;
      const change = JSON.stringify(lines);
      if (change === shown) return request;
      if (!(await this.confirm(request, lines, shown !== undefined))) return undefined;
      shown = change;
    }
  }

  private async write(request: LinkChange): Promise<void> {
    const { boards } = this.deps;
    if (request.do === 'add') await boards.add(request.board, request.typed);
    else await boards.setStatus(request.board, request.task, 'completed');
  }

  /** What would be written; undefined if it is refused, which a notice says. */
  private async preview(request: LinkChange): Promise<readonly DiffLine[] | undefined> {
    const { boards, manager } = this.deps;
    const operation: Op =
      request.do === 'add'
        ? { type: 'add', title: request.typed }
        : { type: 'update', id: targetOf(request.task), status: 'completed' };
    const preview = await boards.writes.catchStoreErrors(() =>
      manager().preview(request.board.path, [operation]),
    );
    if (preview.ok) return textDiff(preview.before, preview.after);
    this.showNotice(t('link.nothingChanged', { why: faultText(preview) }));
    return undefined;
  }

  /** @param again another change was shown before */
  private async confirm(
    request: LinkChange,
    lines: readonly DiffLine[],
    again: boolean,
  ): Promise<boolean> {
    const { title: plan } = request.board;
    const adds = request.do === 'add';
    const title = adds ? request.title : request.task.title;
    const text = t('link.askFirst', { title, plan });
    const answer = await ask(this.deps.app, {
      title: adds ? t('link.wantsToAdd') : t('link.wantsToComplete'),
      text: again ? t('link.changedMeanwhile', { text }) : text,
      answers: [{ label: adds ? t('boardView.addTask') : t('common.markDone'), value: true }],
      armed: true,
      draw: (element) => {
        render(<DiffLines lines={lines} name={t('link.changeTo', { plan })} />, element);
        return () => render(null, element);
      },
    });
    return answer === true;
  }

  /** Shows a notice in place of the one for the previous link. */
  private showNotice(message: string): void {
    this.hidePrevious();
    this.hidePrevious = notify(message);
  }
}

/** Copies links to tasks, boards and sessions. */
export class LinkCopier {
  constructor(private readonly app: App) {}

  task(board: Board, { id }: Pick<Task, 'id'>): MenuLine {
    return id !== null && this.line(t('link.copyLink'), { ...boardTarget(board), id });
  }

  board(board: Board): MenuLine {
    return this.line(t('link.copyLinkToPlanOf', { agent: board.agent }), boardTarget(board));
  }

  session(session: string): MenuLine {
    return this.line(t('link.copyLink'), { session });
  }

  commands(choose: Chooser): readonly Command[] {
    return [
      conditionalCommand(
        'copy-task-link',
        t('link.copyLinkToTask'),
        () => choose.has(({ id }) => id !== null),
        async () => {
          const chosen = await choose.task(t('link.copyLinkToWhichTask'), ({ id }) => id !== null);
          if (chosen !== undefined)
            await this.copy({ ...boardTarget(chosen.board), id: chosen.task.id ?? '' });
        },
      ),
      conditionalCommand(
        'copy-plan-link',
        t('link.copyLinkToPlan'),
        () => choose.boards().length > 0,
        async () => {
          const board = await choose.board(choose.boards());
          if (board !== undefined) await this.copy(boardTarget(board));
        },
      ),
    ];
  }

  private line(title: string, target: Parameters<typeof linkTo>[1]): MenuLine {
    return menuEntry('link', title, () => this.copy(target));
  }

  private copy(target: Parameters<typeof linkTo>[1]): Promise<void> {
    return copyText(linkTo(this.app.vault.getName(), target), notify, t('link.linkCopied'));
  }
}

function boardTarget(board: Board): { readonly session: string; readonly agent: string } {
  return { session: boardSession(board), agent: board.agent };
}
