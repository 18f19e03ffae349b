import * as z from 'zod/mini';
import { catchStoreError, fault, type Fault } from '../../fault';
import { storeSentence } from '../../fault/store-faults';
import { jsonAs } from '../../json';
import { lazy } from '../../lazy';
import type { StateFiles } from '../state-file';
import type { Board } from '../task';
import { canHaveTitle, NAMING_JOURNAL, NO_RENAMES, type NamedStore } from './named-store';
import { agentPart, sessionTail, titledFile, titledFolder } from './titled-names';

/** How board files are named: by the titles of their boards, or by session and agent alone. */
export type NamedBy = 'title' | 'session';

/** A rename of a file; both paths relative to the vault. */
export interface FileRename {
  readonly from: string;
  readonly to: string;
}

/** Reports the progress of a naming, and can cancel it between two sessions. */
export interface NamingControl {
  progress(done: number, total: number): void;
  cancelled(): boolean;
}

export type NamingAnswer =
  | {
      readonly ok: true;
      readonly renamed: readonly FileRename[];
      /** files that keep their names because the new name is taken */
      readonly kept: readonly string[];
      readonly cancelled: boolean;
    }
  | Fault;

/** A naming in progress, stored so that it can be finished after a crash. */
const journal = lazy(() =>
  z.object({
    renames: z.array(z.object({ from: z.string(), to: z.string() })),
  }),
);

/** Number of passes; later ones rename files created under the old names in the meantime. */
const MAX_PASSES = 3;

/**
 * Renames the files of all boards, one by one, each under its lock. Every board is found at any
 * time, by its old name or its new one; a journal lets the next start finish.
 */
export class BoardNaming {
  constructor(
    private readonly notes: NamedStore,
    private readonly state: StateFiles,
    private readonly boards: () => Promise<readonly Board[]>,
  ) {}

  /** The renames to do, session by session; empty if all files have the right names. */
  async plan(by: NamedBy): Promise<readonly (readonly FileRename[])[]> {
    const sessions = new Map<string, Board[]>();
    for (const board of await this.boards()) {
      const folder = board.path.slice(this.notes.boardRoot.length + 1).split('/')[0] ?? '';
      sessions.set(folder, [...(sessions.get(folder) ?? []), board]);
    }
    const names = await this.notes.folders();
    const taken = new Set(names);
    const plans: (readonly FileRename[])[] = [];
    for (const [folder, boards] of sessions) {
      const { files, folders } = await this.notes.findFiles(folder, names);
      for (const path of folders) taken.delete(lastSegment(path));
      const target = by === 'session' ? folder : await this.titleFolder(folder, boards, [...taken]);
      taken.add(target ?? folder);
      for (const path of folders) taken.add(lastSegment(path));
      if (target === undefined) continue;
      const titles = new Map(
        boards.flatMap(({ path, title, broken }) =>
          broken === null ? [[lastSegment(path), title] as const] : [],
        ),
      );
      const renames = [...files].flatMap(([plain, from]): FileRename[] => {
        const title = titles.get(`${agentPart(plain) ?? ''}-tasks.md`);
        const name = by === 'session' || title === undefined ? plain : titledFile(title, plain);
        const to = `${this.notes.boardRoot}/${target}/${name}`;
        return from === to ? [] : [{ from, to }];
      });
      if (renames.length > 0) plans.push(renames);
    }
    return plans;
  }

  /**
   * Renames the files. Never throws for errors of the disk: the answer then says so, and every
   * board is still found.
   */
  run(by: NamedBy, control: NamingControl): Promise<NamingAnswer> {
    return withNamingFault(async () => {
      await this.finish();
      const renamed: FileRename[] = [];
      for (let pass = 0; pass < MAX_PASSES; pass += 1) {
        const plans = await this.plan(by);
        if (plans.length === 0) return { ok: true, renamed, kept: [], cancelled: false };
        const done = await this.renameAll(plans, control);
        renamed.push(...done);
        if (control.cancelled()) return { ok: true, renamed, kept: [], cancelled: true };
        if (done.length === 0) break;
      }
      const kept = (await this.plan(by)).flat().map(({ from }) => from);
      return { ok: true, renamed, kept, cancelled: false };
    });
  }

  /** Reverts the renames of a naming; files renamed again since stay. */
  revert(renamed: readonly FileRename[], control: NamingControl): Promise<NamingAnswer> {
    return withNamingFault(async () => {
      const back = renamed.map(({ from, to }) => ({ from: to, to: from }));
      const done = await this.renameAll([back], control);
      const kept = back.flatMap((one) => (done.includes(one) ? [] : [one.from]));
      return { ok: true, renamed: done, kept, cancelled: false };
    });
  }

  private async renameAll(
    plans: readonly (readonly FileRename[])[],
    control: NamingControl,
  ): Promise<readonly FileRename[]> {
    const all = plans.flat();
    await this.state.change(NAMING_JOURNAL, () => `${JSON.stringify({ renames: all })}\n`);
    const done: FileRename[] = [];
    for (const plan of plans) {
      if (control.cancelled()) break;
      for (const one of plan) {
        if (await this.notes.rename(one.from, one.to)) done.push(one);
        control.progress(done.length, all.length);
      }
    }
    await this.state.change(NAMING_JOURNAL, () => NO_RENAMES);
    return done;
  }

  /**
   * Finishes an interrupted naming, if there is one. Skips paths in the journal that can't be files
   * of boards, since it may come with a vault from anyone.
   * @throws StoreError
   */
  async finish(): Promise<number> {
    const unfinished = jsonAs(journal(), await this.state.text(NAMING_JOURNAL));
    let done = 0;
    for (const { from, to } of unfinished?.renames ?? []) {
      const isOurs = [from, to].every((path) => isNoteBelowRoot(this.notes.boardRoot, path));
      if (isOurs && (await this.notes.rename(from, to))) done += 1;
    }
    if (unfinished !== undefined && unfinished.renames.length > 0) {
      await this.state.change(NAMING_JOURNAL, () => NO_RENAMES);
    }
    return done;
  }

  private async titleFolder(
    folder: string,
    boards: readonly Board[],
    taken: readonly string[],
  ): Promise<string | undefined> {
    if (!canHaveTitle(folder)) return undefined;
    const named = boards.filter(({ broken }) => broken === null);
    const { made } = await this.state.memory(folder);
    // The board that was created first is the session's own; most others belong to subagents.
    const first = made.flatMap((agent) => named.find((one) => one.agent === agent) ?? [])[0];
    const board = first ?? named[0];
    return board && titledFolder(board.title, sessionTail(board.session), taken);
  }
}

/** Whether a path is that of a note in a folder directly below the root. */
function isNoteBelowRoot(root: string, path: string): boolean {
  const names = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split('/') : [];
  return names.length === 2 && names.every((name) => !name.startsWith('.')) && path.endsWith('.md');
}

function withNamingFault(work: () => Promise<NamingAnswer>): Promise<NamingAnswer> {
  return catchStoreError(work, ({ code, message, said }) =>
    fault(code, storeSentence('notAllRenamed', { why: [message, said] })),
  );
}

/** Describes the result of a naming for the person. */
export function namingText(answer: NamingAnswer): string {
  if (!answer.ok) return answer.message;
  const { renamed, kept, cancelled } = answer;
  const count =
    renamed.length === 1 ? '1 file was renamed' : `${renamed.length} files were renamed`;
  const done =
    renamed.length === 0 && kept.length === 0 ? 'All files have these names already' : count;
  if (cancelled) return `${count}, then it was stopped. Do it again to finish.`;
  const first = kept.slice(0, 3).join(', ');
  const others = kept.length > 3 ? ` and ${kept.length - 3} more` : '';
  return kept.length === 0
    ? `${done}.`
    : `${done}. Something else has the name that ${first}${others} would get, so it was kept.`;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
