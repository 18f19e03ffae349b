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
import { textDiff } from '../ui/text-diff';
import { LINK_ACTION, linkTo, readLink, type LinkRequest } from './plan-link';
import { t } from '../language/text';

interface LinkDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly manager: () => Pick<TodoManager, 'preview'>;
  readonly boards: BoardActions;
  readonly intents: Pick<Intents, 'open' | 'openAsBoard'>;
  readonly openSidebar: () => void;
}

type LinkChange = Exclude<LinkRequest, { do: 'open' }>;

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
    const request = readLink(params, overview.state.boards);
    if ('problem' in request)
      return this.showNotice(t('link.nothingChanged', { why: request.problem }));
    if (request.do === 'open') return this.open(request);
    await this.change(request);
  }

  private open({ session, board, task }: Extract<LinkRequest, { do: 'open' }>): void {
    const { intents, openSidebar } = this.deps;
    if (board !== undefined) intents.open(board, task, false);
    else if (session !== '') intents.openAsBoard(session);
    else openSidebar();
  }

  private async change(request: LinkChange): Promise<void> {
    const { boards } = this.deps;
    const { board } = request;
    if (request.do === 'complete' && request.task.status === 'completed') {
      return this.showNotice(t('link.doneAlready', { title: request.task.title }));
    }
    this.asking = true;
    const may = await this.confirmChange(request).finally(() => (this.asking = false));
    if (!may) return;
    if (request.do === 'add') await boards.add(board, request.typed);
    else await boards.setStatus(board, request.task, 'completed');
  }

  /** Asks for confirmation, showing exactly what would be written. */
  private async confirmChange(request: LinkChange): Promise<boolean> {
    const { app, boards, manager } = this.deps;
    const { board } = request;
    const adds = request.do === 'add';
    const operation: Op = adds
      ? { type: 'add', title: request.typed }
      : { type: 'update', id: targetOf(request.task), status: 'completed' };
    const preview = await boards.writes.catchStoreErrors(() =>
      manager().preview(board.path, [operation]),
    );
    if (!preview.ok) {
      this.showNotice(t('link.nothingChanged', { why: preview.message }));
      return false;
    }
    const lines = textDiff(preview.before, preview.after);
    const title = adds ? request.title : request.task.title;
    const answer = await ask(app, {
      title: adds ? t('link.wantsToAdd') : t('link.wantsToComplete'),
      text: t('link.askFirst', { title, plan: board.title }),
      answers: [{ label: adds ? t('boardView.addTask') : t('common.markDone'), value: true }],
      armed: true,
      draw: (element) => {
        render(
          <DiffLines lines={lines} name={t('link.changeTo', { plan: board.title })} />,
          element,
        );
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
