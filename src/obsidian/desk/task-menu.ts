import { Menu, Platform } from 'obsidian';
import type { Board, Status, Task } from '../../core/board/task';
import { STATUS_ORDER, STATUS_WORDS } from '../part/status-words';
import type { Anchor, TaskMenuExtras } from '../sidebar/intents';

/** Shows a menu at the pointer, or below an element (for the keyboard). */
export function showMenu(menu: Menu, anchor: Anchor): void {
  if (anchor instanceof MouseEvent) {
    menu.showAtMouseEvent(anchor);
    return;
  }
  const box = anchor.getBoundingClientRect();
  menu.showAtPosition({ x: box.left + 24, y: box.bottom }, anchor.ownerDocument);
}

export interface TaskMenuChoices {
  readonly setStatus: (status: Status) => void;
  readonly depend: () => void;
  readonly undepend: () => void;
  readonly move: () => void;
  readonly assign: () => void;
  readonly remove: () => void;
  readonly open: () => void;
  readonly copyLink: () => void;
  /** what agents did while they were at it */
  readonly audit: () => void;
}

/** The six statuses, the present one ticked. */
export function statusMenu(task: Task, setStatus: (status: Status) => void): Menu {
  const menu = new Menu();
  addStatuses(menu, task, setStatus);
  return menu;
}

/** Everything that can be done with a task. */
export function taskMenu(
  board: Board,
  task: Task,
  choices: TaskMenuChoices,
  extras: TaskMenuExtras,
): Menu {
  const menu = new Menu();
  // A sheet comes up far from the row that it is about.
  if (Platform.isPhone) menu.addItem((item) => item.setTitle(task.title).setIsLabel(true));
  if (board.broken === null) {
    addStatuses(menu, task, choices.setStatus);
    menu.addSeparator();
    const add = (title: string, icon: string, run: () => void): void =>
      void menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(run));
    add('Rename', 'pencil', extras.rename);
    add('Add task after', 'plus', extras.addAfter);
    add('Add subtask', 'list-tree', extras.addUnder);
    menu.addSeparator();
    add('Add dependency…', 'hourglass', choices.depend);
    if (task.dependsOn.length > 0) add('Remove dependency…', 'lock-open', choices.undepend);
    add('Move task…', 'move', choices.move);
    add('Assign task…', 'user-round', choices.assign);
    menu.addSeparator();
    add('Remove task…', 'trash-2', choices.remove);
    menu.addSeparator();
  }
  menu.addItem((item) => item.setTitle('Open in note').setIcon('file-text').onClick(choices.open));
  if (task.id !== null) {
    menu.addItem((item) => item.setTitle('Copy link').setIcon('link').onClick(choices.copyLink));
    menu.addItem((item) =>
      item.setTitle('Show in audit').setIcon('scroll-text').onClick(choices.audit),
    );
  }
  return menu;
}

function addStatuses(menu: Menu, task: Task, setStatus: (status: Status) => void): void {
  for (const status of STATUS_ORDER) {
    const { word, icon } = STATUS_WORDS[status];
    menu.addItem((item) =>
      item
        .setTitle(word)
        .setIcon(icon)
        .setChecked(status === task.status)
        .onClick(() => setStatus(status)),
    );
  }
}
