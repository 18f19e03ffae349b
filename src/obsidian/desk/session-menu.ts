import { Menu } from 'obsidian';
import type { Board } from '../../core/board/task';
import type { OverviewState } from '../model/overview';
import type { RunChoice } from '../run/make-run-panel';

export interface SessionMenuChoices {
  readonly openConversation: () => void;
  /** opens a run by its id */
  readonly openRun: (id: string) => void;
  /** what can be done to a run, by its id */
  readonly runChoices: (id: string) => readonly RunChoice[];
  readonly send: () => void;
  readonly stop: () => void;
  /** goes on with the plan; undefined where it can't */
  readonly goOn: (() => void) | undefined;
  /** whether it goes on by itself; undefined for sessions of sub-agents */
  readonly byItself: { readonly on: boolean; readonly set: (on: boolean) => void } | undefined;
  readonly openPlan: (board: Board) => void;
  readonly rename: () => void;
  readonly remove: () => void;
  readonly shelve: () => void;
  /** whether its plan can go on in a new session */
  readonly canContinue: (board: Board) => boolean;
  readonly continuePlan: (board: Board) => void;
}

/** What can be done with a session, as things stand. */
export function sessionMenu(
  { sessions, boards, connection, runs }: OverviewState,
  sessionId: string,
  choices: SessionMenuChoices,
): Menu {
  const menu = new Menu();
  const add = (title: string, icon: string, run: () => void) =>
    menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
  add('Open conversation', 'messages-square', choices.openConversation);
  const run = runs?.get(sessionId);
  if (run !== undefined) {
    menu.addSeparator();
    add('Open run panel', 'goal', () => choices.openRun(run.id));
    for (const { label, icon, act } of choices.runChoices(run.id)) add(label, icon, act);
    menu.addSeparator();
  }
  const state = sessions.find((session) => session.id === sessionId)?.state.kind;
  if (state !== undefined && state !== 'ended' && connection.kind === 'connected') {
    add('Send message to session…', 'message-square', choices.send);
    if (state === 'busy' || state === 'retry') add('Stop this turn', 'square', choices.stop);
    if (choices.goOn !== undefined) add('Continue with next task', 'play', choices.goOn);
  }
  const { byItself } = choices;
  if (byItself !== undefined) {
    menu.addItem((item) =>
      item
        .setTitle('Continue by itself')
        .setIcon('repeat')
        .setChecked(byItself.on)
        .onClick(() => byItself.set(!byItself.on)),
    );
  }
  for (const board of boards.filter((one) => one.session === sessionId)) {
    add(`Open plan of ${board.agent} as note`, 'file-text', () => choices.openPlan(board));
    if (!choices.canContinue(board)) continue;
    const which = `Continue plan of ${board.agent} in a new session`;
    add(which, 'git-branch-plus', () => choices.continuePlan(board));
  }
  if (boards.some((one) => one.session === sessionId && one.shelved !== true)) {
    add('Archive session', 'archive', choices.shelve);
  }
  if (state !== undefined) {
    add('Rename session…', 'pencil', choices.rename);
    add('Delete session…', 'trash-2', choices.remove);
  }
  return menu;
}
