import type { App } from 'obsidian';
import { isFinished } from '../../core/board/facts';
import type { Status, Task } from '../../core/board/task';
import type { Intents } from '../board/intents';
import { menuEntry, showMenu, type Anchor } from '../ui/menu';
import { copyButton, notify, notifyOwnAction, tryOrNotify } from '../ui/notify';
import { STATUS_ORDER, STATUS_WORDS } from '../ui/text';
import { changedProperties, phasesAfter, type PropertyChanges } from './task-notes';
import { t } from '../language/text';

interface NoteChange {
  readonly path: string;
  readonly values: PropertyChanges;
}

/** The change that was made, with the values before. */
interface Written extends NoteChange {
  readonly before: Readonly<Record<string, unknown>>;
}

/** Changes properties of notes for the person; a notice undoes its own change, a key the last. */
class NoteProperties {
  private last: readonly Written[] = [];

  constructor(private readonly app: App) {}

  /** @returns whether anything was changed; a notice names what was not */
  async change(changes: readonly NoteChange[], notice: string): Promise<boolean> {
    const written: Written[] = [];
    const wanted = changes.filter(({ values }) => Object.keys(values).length > 0);
    const work = async () => {
      for (const one of wanted) {
        await this.edit(one.path, (properties) => {
          const keys = Object.keys(one.values);
          const before = Object.fromEntries(keys.map((key) => [key, properties[key]]));
          setProperties(properties, one.values);
          written.push({ ...one, before });
        });
      }
    };
    await tryOrNotify(notify, t('bases.noteNotChanged'), work());
    if (written.length === 0) return false;
    this.last = written;
    notifyOwnAction(notice, { label: t('common.undo'), onClick: () => void this.undo(written) });
    return true;
  }

  /** Values that someone has changed since are kept. */
  async undo(change = this.last): Promise<void> {
    if (change === this.last) this.last = [];
    if (change.length === 0) return;
    let stays = 0;
    const work = async () => {
      for (const { path, values, before } of change) {
        await this.edit(path, (properties) => {
          const same = Object.entries(values).every(
            ([key, value]) => (properties[key] ?? null) === value,
          );
          if (same) setProperties(properties, before);
          else stays += 1;
        });
      }
    };
    const done = await tryOrNotify(notify, t('bases.notUndone'), work());
    if (!done) return;
    notifyOwnAction(stays === 0 ? t('bases.undone') : t('bases.changedSince'));
  }

  private async edit(path: string, change: (properties: MutableProperties) => void): Promise<void> {
    const { vault, fileManager } = this.app;
    const file = vault.getFileByPath(path);
    if (file !== null) await fileManager.processFrontMatter(file, change);
  }
}

type MutableProperties = Record<string, unknown>;

function setProperties(
  properties: MutableProperties,
  values: Readonly<Record<string, unknown>>,
): void {
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined) Reflect.deleteProperty(properties, key);
    else properties[key] = value;
  }
}

/**
 * The actions of a board of notes. They change properties of the notes, and can be undone like
 * other actions. For an action that needs a board's own note, a notice says that it is not possible
 * here.
 */
export function noteIntents(app: App, intents: Intents, pathOf: (task: Task) => string): Intents {
  const properties = new NoteProperties(app);
  const open = (task: Task | undefined, newTab: boolean) => {
    const leaf = newTab ? 'tab' : false;
    if (task !== undefined) void app.workspace.openLinkText(pathOf(task), '', leaf);
  };
  const setStatus = (tasks: readonly Task[], status: Status) =>
    properties.change(
      tasks.map((task) => ({ path: pathOf(task), values: changedProperties(task, [], status) })),
      movedWords(status),
    );
  const tick = (tasks: readonly Task[]) =>
    void setStatus(tasks, tasks.every(isFinished) ? 'pending' : 'completed');
  const menu = (tasks: readonly Task[], anchor: Anchor) => {
    const statuses = STATUS_ORDER.map((status) => {
      const { icon, word } = STATUS_WORDS[status];
      const all = tasks.every((task) => task.status === status);
      return menuEntry(icon, word, () => setStatus(tasks, status), all);
    });
    const [only, ...more] = tasks;
    const note =
      more.length === 0 && menuEntry('file-text', t('audit.openNote'), () => open(only, false));
    const title = more.length === 0 ? only?.title : t('common.tasks', { count: tasks.length });
    showMenu(anchor, [...statuses, null, note], title);
  };
  const refuseTyped = (typed: string) => {
    const words = `${t('bases.onlyProperties')} ${t('board.youTyped', { typed })}`;
    notify(words, copyButton(typed, notify));
    return undefined;
  };
  const refuseAction = () => void notifyOwnAction(t('bases.onlyProperties'));
  return {
    ...intents,
    ...{ remove: refuseAction, step: refuseAction, move: refuseAction, archive: refuseAction },
    ...{
      restore: refuseAction,
      depend: refuseAction,
      undepend: refuseAction,
      chooseReviews: refuseAction,
    },
    delegateAction: () => undefined,
    ...{ undo: () => void properties.undo(), redo: () => undefined },
    add: (_, typed) => Promise.resolve(refuseTyped(typed)),
    open: (_, task, newTab) => open(task, newTab),
    tick: (_, task) => tick([task]),
    tickAll: (_, tasks) => tick(tasks),
    reviewTask: (_, task) => open(task, false),
    accept: (_, task) => void setStatus([task], 'completed'),
    // No agent is notified of a note: the person writes what is missing into the note.
    sendBack: (_, task) => void setStatus([task], 'in_progress'),
    rename: (_, task, title) =>
      void properties.change([{ path: pathOf(task), values: { title } }], t('bases.renamed')),
    arrange: async (board, tasks, operations, status) => {
      const phases = phasesAfter(board, operations);
      const changes = tasks.map((task) => {
        return { path: pathOf(task), values: changedProperties(task, operations, status, phases) };
      });
      return (await properties.change(changes, movedWords(status))) ? 0 : undefined;
    },
    statusMenu: (_, tasks, anchor) => menu(tasks, anchor),
    taskMenu: (_, task, anchor) => menu([task], anchor),
    manyMenu: (_, tasks, anchor) => menu(tasks, anchor),
  };
}

function movedWords(status: Status | undefined): string {
  return status === undefined
    ? t('bases.moved')
    : t('bases.movedTo', { status: STATUS_WORDS[status].word });
}
