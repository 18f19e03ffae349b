import type { Command } from 'obsidian';
import type { Board } from '../../core/board/task';
import type { SessionKeeping } from '../desk/session-keeping';
import type { Chooser } from './chooser';
import { when } from './when';

/** The commands about sessions as a whole. */
export function sessionCommands(
  keeping: SessionKeeping,
  choose: Chooser,
  hasSessions: () => boolean,
): readonly Command[] {
  const going = (): readonly Board[] =>
    choose.writable().filter((board) => keeping.canContinue(board));
  const goOn = async (): Promise<void> => {
    const board = await choose.board(going());
    if (board !== undefined) await keeping.continuePlan(board);
  };
  return [
    when('search-sessions', 'Search in all sessions…', hasSessions, () =>
      Promise.resolve(keeping.search()),
    ),
    when('rename-session', 'Rename session…', hasSessions, () => keeping.rename()),
    when('delete-session', 'Delete session…', hasSessions, () => keeping.remove()),
    when(
      'archive-session',
      'Archive session…',
      () => keeping.withBoards(false).length > 0,
      () => keeping.shelve(true),
    ),
    when(
      'restore-session',
      'Restore archived session…',
      () => keeping.withBoards(true).length > 0,
      () => keeping.shelve(false),
    ),
    when('continue-plan', 'Continue plan in a new session', () => going().length > 0, goOn),
  ];
}
