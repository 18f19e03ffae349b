import { StoreError, type NoteStore, type Undo } from '../../core/ports';
import {
  defaultSettings,
  readSharedSettings,
  SHARED_SETTINGS_PATH,
  type SharedSettings,
} from '../../core/shared-settings';
import { Listeners } from '../../core/session/listeners';
import type { BoardChange } from '../../core/board/board-change';
import { STATE_ROOT, TodoManager } from '../../core/board/todo-manager';
import type { Board } from '../../core/board/task';
import { markUnchecked, type TakenTasks } from '../../core/orchestrator/runs';
import type { CoreServices } from '../app/core-services';
import { Drafts, KeptVersions, type DraftsDeps } from '../../core/board/merge/note-draft';
import { StateFiles } from '../../core/board/state-file';
import type { Notify } from '../ui/notify';
import { errorText, faultText, t, translated } from '../language/text';

/** The board root that the plugin uses, kept in sync with the shared settings. */
export class BoardRoot {
  /** why the settings, or a part of them, can't be applied now */
  private currentProblem: string | undefined;
  private readonly listeners = new Listeners<void>();

  constructor(
    private readonly store: NoteStore,
    private readonly configFolder: string,
    private root: string,
    private lastSettings: SharedSettings = defaultSettings(),
  ) {
    this.currentProblem = lastSettings.problem;
  }

  get problem(): string | undefined {
    return this.currentProblem && translated(this.currentProblem);
  }

  /** Calls the listener after each change of `problem`. */
  onProblem(listener: () => void): Undo {
    return this.listeners.add(listener);
  }

  /** The settings that were last read without a problem. */
  get settings(): SharedSettings {
    return this.lastSettings;
  }

  get now(): string {
    return this.root;
  }

  /** Whether a path is the root or inside it. */
  contains(path: string): boolean {
    return `${path}/`.startsWith(`${this.root}/`);
  }

  /**
   * Reads the settings, which other programs and devices write too. While they can't be applied,
   * the root stays as it is: boards must not vanish because of a half-synced file.
   * @returns whether boards must be reloaded, since the root or the default session changed
   */
  async reload(): Promise<boolean> {
    try {
      const settings = await readSharedSettings(this.store, this.configFolder);
      this.setProblem(settings.problem);
      if (settings.problem !== undefined) return false;
      const changed =
        settings.root !== this.root || settings.defaultSession !== this.lastSettings.defaultSession;
      this.lastSettings = settings;
      this.root = settings.root;
      return changed;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.setProblem(faultText(error));
      return false;
    }
  }

  private setProblem(why: string | undefined): void {
    if (why === this.currentProblem) return;
    this.currentProblem = why;
    this.listeners.call();
  }
}

/** Holds the `TodoManager` of the current board root; a new root gets a new manager. */
export class CurrentManager {
  private manager!: TodoManager;
  private stop: Undo = () => undefined;

  constructor(
    private readonly make: (root: string) => TodoManager,
    root: string,
    private readonly onChange: (change: BoardChange) => void,
  ) {
    this.useRoot(root);
  }

  get now(): TodoManager {
    return this.manager;
  }

  useRoot(root: string): void {
    this.stop();
    this.manager = this.make(root);
    this.stop = this.manager.onChange(this.onChange);
  }

  close(): void {
    this.stop();
  }
}

/** Creates the manager of the boards under a root. */
export function makeManager(
  { store, clock, ids, log }: Pick<CoreServices, 'store' | 'clock' | 'ids' | 'log'>,
  root: string,
  { defaultSession }: Pick<SharedSettings, 'defaultSession'>,
  runs: () => readonly TakenTasks[],
): TodoManager {
  const unchecked = () => Promise.resolve((board: Board) => markUnchecked(board, runs()));
  return new TodoManager({ store, clock, ids, log, root, defaultSession, unchecked });
}

/** Saves notes that are edited as text, through the manager that is current then. */
export function noteDrafts(
  store: NoteStore,
  manager: CurrentManager,
  typing: DraftsDeps['typing'],
  services: { readonly root: string; readonly textSaved: (change: string) => void },
): Drafts {
  return new Drafts({
    store,
    typing,
    versions: new KeptVersions(new StateFiles(store, STATE_ROOT)),
    root: () => services.root,
    commit: async (...change) => {
      const done = await manager.now.commit(...change);
      if (done.ok) services.textSaved(done.change);
      return done;
    },
  });
}

/** Changes the folder for boards, and shows a notice, also if that could not be saved. */
export async function changeRoot(
  store: NoteStore,
  root: string,
  at: {
    readonly now: () => string;
    readonly look: () => Promise<void>;
    /** why the folder can't be changed now */
    readonly held: string | undefined;
  },
  notify: Notify,
): Promise<void> {
  if (at.held !== undefined) {
    notify(at.held);
    return;
  }
  const problem = await saveSharedSettings(store, { root });
  if (problem !== undefined) {
    notify(t('board.settingsNotSaved', { path: SHARED_SETTINGS_PATH, problem }));
    return;
  }
  const before = at.now();
  await at.look();
  notify(t('board.newBoardsGoToFromNow', { now: at.now(), before }));
}

/**
 * Writes some of the shared settings and leaves the rest of their file as it is; an empty text
 * removes its entry. @returns why they were not saved; undefined if they were
 */
export async function saveSharedSettings(
  store: NoteStore,
  part: Partial<Omit<SharedSettings, 'problem'>>,
): Promise<string | undefined> {
  try {
    await store.update(SHARED_SETTINGS_PATH, (text) => mergeSettings(text, part));
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function mergeSettings(text: string | undefined, part: Readonly<Record<string, unknown>>): string {
  const before: unknown = text === undefined ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
  if (typeof before !== 'object' || before === null || Array.isArray(before)) {
    throw new Error(t('board.itMustBeAnObject'));
  }
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(part)) {
    if (value === '') after.delete(key);
    else after.set(key, value);
  }
  return `${JSON.stringify(Object.fromEntries(after), null, 2)}\n`;
}
