import type { Plugin } from 'obsidian';
import { decodeName, encodeName, isValidSessionId } from '../../core/board/board-path';
import type { BoardChange } from '../../core/board/board-change';
import { StateFiles } from '../../core/board/state-file';
import { STATE_ROOT } from '../../core/board/todo-manager';
import { TypedLines } from '../../core/board/typed-lines';
import type { Undo } from '../../core/ports';
import { storedSession, type Session } from '../../core/session/session';
import { hiddenTwins } from '../../core/session/twins';
import { searchSessions, type Hit } from '../../core/session/store/search-sessions';
import { SessionStore } from '../../core/session/store/session-store';
import { Transcripts } from '../../core/session/transcript/transcripts';
import type { CoreServices } from '../app/core-services';
import type { Notify } from '../ui/notify';
import { boardChanges, withTitles, type TaskChange as FieldDiffers } from '../../core/board/digest';
import { STATUSES, type Board, type Status, type Task } from '../../core/board/task';
import type { FieldChange, ReportedChange } from '../../core/session/transcript/transcript';
import { MAX_CHANGES, type BoardUpdate } from '../../core/session/transcript/message-blocks';

/** Interval between deletions of expired transcripts, ms. */
const CLEAN_INTERVAL = 86_400_000;

/** Maximum hits of one search. */
const MAX_HITS = 100;

/** The transcripts of sessions in the plugin, live and stored. */
export class SessionHistory {
  readonly transcripts: Transcripts;
  readonly sessionStore: SessionStore;
  /** board lines that the person is typing: sessions are told of them when they are complete */
  readonly typing: TypedLines;
  /** transcripts for views: listening to one loads it first */
  readonly viewTranscripts: Pick<Transcripts, 'get' | 'onChange' | 'loadOlder'>;
  /** sessions that are loaded or loading */
  private readonly loading = new Map<string, Promise<void>>();
  /** number of views that show a session */
  private readonly viewCounts = new Map<string, number>();
  private readonly undos: Undo[] = [];

  constructor(
    private readonly parts: CoreServices,
    notify: Notify,
    /** called when the list of sessions changed */
    private readonly onListChange: () => void,
  ) {
    const { store, clock, sessions } = parts;
    this.transcripts = new Transcripts(parts);
    this.typing = new TypedLines({
      ...{ clock, log: parts.log },
      state: new StateFiles(store, STATE_ROOT),
      report: (change) => this.recordBoardChange(change),
    });
    this.sessionStore = new SessionStore({
      ...{ store, clock, transcripts: this.transcripts },
      root: `${STATE_ROOT}/sessions`,
      names: { encode: encodeName, decode: decodeName, fits: isValidSessionId },
      notify,
      session: (id) => sessions.get(id),
    });
    this.viewTranscripts = {
      get: (id) => this.transcripts.get(id),
      loadOlder: (id) => this.transcripts.loadOlder(id),
      onChange: (id, listener) => {
        const unwatch = this.watch(id);
        const undo = this.transcripts.onChange(id, listener);
        return () => {
          undo();
          unwatch();
        };
      },
    };
  }

  /**
   * Loads the stored transcripts, and saves them from then on, at the latest when the window is
   * hidden or closed.
   */
  async start(plugin: Plugin): Promise<void> {
    this.undos.push(
      this.sessionStore.onChange(this.onListChange),
      this.parts.sessions.onChange((ids) => this.sessionsChanged(ids)),
      this.parts.connection.onState(({ kind }) => {
        if (kind === 'connected') this.openShown([...this.viewCounts.keys()]);
        else this.loading.clear(); // what is missed while offline is requested again
      }),
    );
    plugin.registerDomEvent(activeDocument, 'visibilitychange', () => {
      if (activeDocument.hidden) void this.sessionStore.flush();
    });
    plugin.registerDomEvent(window, 'pagehide', () => void this.sessionStore.flush());
    await this.sessionStore.load();
    await this.cleanUp();
  }

  /** All sessions: first those that are only stored, then those that OpenCode has. */
  list(): readonly Session[] {
    const live = this.parts.sessions.all();
    const ids = new Set(live.map(({ id }) => id));
    return [
      ...this.sessionStore
        .list()
        .filter(({ id }) => !ids.has(id))
        .map(storedSession),
      ...live,
    ];
  }

  /** The sessions of `list` to choose from: only one of several that represent the same session. */
  distinct(): readonly Session[] {
    const all = this.list();
    const twins = hiddenTwins(all);
    return all.filter(({ id }) => !twins.has(id));
  }

  /** Loads what is stored of a session, then what OpenCode has beyond that. */
  async open(sessionId: string): Promise<void> {
    let opening = this.loading.get(sessionId);
    if (opening === undefined) {
      opening = this.load(sessionId);
      this.loading.set(sessionId, opening);
    }
    await opening;
    // It may have gone from memory since.
    await this.sessionStore.open(sessionId);
  }

  async search(text: string, isAborted: () => boolean): Promise<readonly Hit[]> {
    const known = new Set(this.transcripts.sessions());
    for (const id of known) await this.sessionStore.open(id);
    const heads = new Map(this.sessionStore.list().map((one) => [one.id, one]));
    const sessions = this.list()
      .toReversed()
      .map(({ id, title }) => ({ id, title, pages: heads.get(id)?.pages ?? [] }));
    return searchSessions(
      {
        sessions,
        transcript: (id) =>
          known.has(id) && this.transcripts.has(id) ? this.transcripts.get(id) : undefined,
        texts: (id, pages) => this.sessionStore.files.texts(id, pages),
      },
      text,
      MAX_HITS,
      isAborted,
    );
  }

  /** Forgets a session and deletes its stored transcript; its boards stay. */
  remove(sessionId: string): Promise<void> {
    this.loading.delete(sessionId);
    return this.sessionStore.remove(sessionId);
  }

  boardChanged(change: BoardChange): void {
    this.typing.reportChange(change);
  }

  private recordBoardChange(change: BoardChange): void {
    const news = boardBlock(change, this.parts.clock.now());
    if (news !== undefined) this.transcripts.boardChanged(change.session, news);
  }

  close(): void {
    this.typing.close();
    void this.sessionStore.flush();
    for (const undo of this.undos) undo();
    this.sessionStore.close();
    this.transcripts.close();
  }

  private async load(sessionId: string): Promise<void> {
    const { sessions, connection, log } = this.parts;
    await this.sessionStore.open(sessionId);
    const live = sessions.get(sessionId)?.state.kind ?? 'ended';
    if (live === 'ended' || connection.state.kind !== 'connected') {
      this.loading.delete(sessionId); // there may be more once the session can be reached
      return;
    }
    try {
      await this.transcripts.catchUp(sessionId);
    } catch (error) {
      this.loading.delete(sessionId);
      log.note('The past of a session was not read.', {
        at: 'session.past',
        sessionId,
        error: String(error),
      });
    }
  }

  private watch(sessionId: string): Undo {
    this.viewCounts.set(sessionId, (this.viewCounts.get(sessionId) ?? 0) + 1);
    void this.open(sessionId);
    return () => {
      const left = (this.viewCounts.get(sessionId) ?? 0) - 1;
      if (left > 0) this.viewCounts.set(sessionId, left);
      else this.viewCounts.delete(sessionId);
    };
  }

  /** Loads sessions that a view opened before they could be reached. */
  private openShown(ids: readonly string[]): void {
    for (const id of ids) {
      const { kind } = this.parts.sessions.get(id)?.state ?? { kind: 'ended' };
      if (kind !== 'ended' && this.viewCounts.has(id)) void this.open(id);
    }
  }

  /**
   * Updates the stored heads of changed sessions, and sends titles that the person gave to
   * OpenCode.
   */
  private sessionsChanged(ids: readonly string[]): void {
    const { sessions } = this.parts;
    this.openShown(ids);
    const kept = new Map(this.sessionStore.list().map((one) => [one.id, one]));
    for (const id of ids) {
      const head = kept.get(id);
      const session = sessions.get(id);
      if (head === undefined || session === undefined) continue;
      this.sessionStore.markDirty(id);
      if (head.renamed === true && session.state.kind !== 'ended') void this.sendTitle(head);
    }
  }

  private async sendTitle({ id, title }: { id: string; title: string }): Promise<void> {
    try {
      await this.parts.runtime.rename(id, title);
    } catch (error) {
      this.parts.log.note('OpenCode was not told a title.', {
        at: 'session.rename',
        id,
        error: String(error),
      });
      return; // stays stored, and is sent with the next connection
    }
    await this.sessionStore.rename(id, title, true);
  }

  private async cleanUp(): Promise<void> {
    const { settings, sessions, clock } = this.parts;
    this.undos.push(clock.after(CLEAN_INTERVAL, () => void this.cleanUp()));
    await this.sessionStore.cleanUp(
      settings.current.keepDays,
      (id) =>
        this.loading.has(id) ||
        this.viewCounts.has(id) ||
        (sessions.get(id)?.state.kind ?? 'idle') !== 'idle',
    );
  }
}

/**
 * The block that a board change adds to its session's conversation; undefined if none: a note that
 * existed before the first scan, is gone, or can't be read.
 */
export function boardBlock(change: BoardChange, at: number): BoardUpdate | undefined {
  const { board, before, by, path } = change;
  if (board === undefined || (before === undefined && by === 'disk')) return undefined;
  if (board.broken !== null || (before !== undefined && before.broken !== null)) return undefined;
  const added = ({ key, title, status }: Task): ReportedChange => ({
    key,
    title,
    status,
    what: 'added',
  });
  const all = before === undefined ? board.tasks.map(added) : boardChangeEntries(before, board);
  if (all.length === 0) return undefined;
  const more = all.length - MAX_CHANGES;
  return {
    ...{ path, at, by: by === 'import' ? 'person' : by },
    changes: all.slice(0, MAX_CHANGES),
    ...(more > 0 && { more }),
  };
}

/** Maximum UTF-16 units of a value in a recorded change. */
const MAX_VALUE_LENGTH = 200;

/** One entry per changed task, in the order of the board; removed tasks last. */
export function boardChangeEntries(before: Board, after: Board): readonly ReportedChange[] {
  const now = new Map(after.tasks.map((task) => [task.id ?? task.title, task]));
  const changes = new Map<string, ReportedChange>();
  for (const change of boardChanges(before, after)) {
    const { id, title, field, before: old, after: value } = change;
    if (field === 'board title') continue;
    const name = id ?? title;
    const task = now.get(name);
    const { key, status } = task ?? { key: name };
    const base = { key, title, ...(status !== undefined && { status }) };
    const known = changes.get(name);
    if (field === 'status')
      changes.set(name, { ...base, ...known, what: 'status', ...statusChange(old, value) });
    else if (field === 'added' || field === 'removed') changes.set(name, { ...base, what: field });
    else {
      // If only other fields changed, the status is what it was.
      const details = [...(known?.details ?? []), fieldChange(withTitles(change, before, after))];
      changes.set(name, {
        ...base,
        what: 'changed',
        ...(status && { was: status }),
        ...known,
        details,
      });
    }
  }
  return [...changes.values()];
}

function fieldChange({ field, before, after }: FieldDiffers): FieldChange {
  const cut = (value: string | null) => value?.slice(0, MAX_VALUE_LENGTH) ?? null;
  return { field, before: cut(before), after: cut(after) };
}

function statusChange(old: string | null, value: string | null): { was?: Status; status?: Status } {
  const [before, after] = [parseStatus(old), parseStatus(value)];
  return { ...(before && { was: before }), ...(after && { status: after }) };
}

function parseStatus(text: string | null): Status | undefined {
  return STATUSES.find((status) => status === text);
}
