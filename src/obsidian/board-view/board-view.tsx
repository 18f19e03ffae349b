import type { App, Menu, WorkspaceLeaf } from 'obsidian';
import { canArchive } from '../../core/board/archive/archive-tasks';
import type { Board } from '../../core/board/task';
import { boardItem } from '../board/task-commands';
import { askForText, pick } from '../ui/dialog';
import { followTitle, PreactViewWithActions } from '../ui/preact-view';
import { BoardApp } from './board-app';
import type { BoardAppProps } from './board-state';
import { boardsOfSession, boardTitle, canContinueBoard, isWritable } from './shown-boards';
import { columnWord } from './columns';
import { t } from '../language/text';

export const BOARD_VIEW = 'agent-task-boards-board';

export type BoardViewDeps = Omit<
  BoardAppProps,
  'session' | 'onSession' | 'askLimit' | 'pick' | 'handle'
> & {
  readonly shown: () => void;
};

/** The view of one session's plan in columns, or of all plans; several may be open. */
export class BoardView extends PreactViewWithActions {
  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: BoardViewDeps,
  ) {
    super(leaf, { type: BOARD_VIEW, icon: 'kanban', class: 'atb-board-view', stateKey: 'session' });
  }

  override getDisplayText(): string {
    return t('boardView.boardOf', { plan: boardTitle(this.deps.overview.state, this.shownId) });
  }

  override onOpen(): Promise<void> {
    const { overview, intents } = this.deps;
    const onPlan = (run: (board: Board) => void, fits?: (board: Board) => boolean) => async () => {
      const all = boardsOfSession(overview.state.boards, this.shownId);
      const fitting = all.filter(fits ?? (() => true));
      const plans = fitting.length > 0 ? fitting : all;
      const plan =
        plans.length > 1
          ? await pick(this.app, plans.map(boardItem), t('board.chooseAPlan'))
          : plans[0];
      if (plan !== undefined) run(plan);
    };
    this.addAction(
      'archive',
      t('board.archiveFinishedTasks'),
      onPlan(
        (board) => intents.archive(board),
        (board) => isWritable(board) && canArchive(board),
      ),
    );
    this.addAction(
      'workflow',
      t('note.openAsGraph'),
      onPlan((board) => intents.openGraph(board)),
    );
    this.addAction(
      'list-checks',
      t('boardView.openPlanAsNote'),
      onPlan((board) => intents.open(board, undefined, false)),
    );
    followTitle(this, overview);
    this.deps.shown();
    return super.onOpen();
  }

  override onPaneMenu(menu: Menu, source: string): void {
    super.onPaneMenu(menu, source);
    const { overview, intents } = this.deps;
    const boards = boardsOfSession(overview.state.boards, this.shownId).filter(canContinueBoard);
    for (const board of boards) {
      menu.addItem((item) =>
        item
          .setTitle(
            boards.length > 1
              ? t('boardView.handOverNamed', { plan: board.title })
              : t('board.handOverPlan'),
          )
          .setIcon('forward')
          .onClick(() => intents.handOver(board)),
      );
    }
  }

  protected override content() {
    const { app, shownId: session, deps, handle } = this;
    return (
      <BoardApp
        key={session}
        {...deps}
        {...{ session, handle }}
        onSession={(next) => void this.show(next)}
        {...boardDialogs(app)}
      />
    );
  }

  private async show(session: string): Promise<void> {
    await this.leaf.setViewState({ type: BOARD_VIEW, active: true, state: { session } });
  }
}

/** The dialogs of a board. */
export function boardDialogs(app: App): Pick<BoardAppProps, 'pick' | 'askLimit'> {
  return {
    pick: (choices, words) => pick(app, choices, words, true),
    askLimit: (status, now) =>
      askForText(app, {
        title: t('boardView.limitOf', { column: columnWord(status) }),
        placeholder: t('boardView.limitHint'),
        yes: t('boardView.set'),
        initial: now === undefined ? '' : String(now),
        optional: true,
        check: (text) =>
          /^[1-9]\d{0,3}$|^$/.test(text.trim()) ? undefined : t('boardView.limitProblem'),
      }),
  };
}
