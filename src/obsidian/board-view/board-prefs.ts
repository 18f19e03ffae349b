import '../../protocol/jitless';
import type { App } from 'obsidian';
import * as z from 'zod/mini';
import { lazy } from '../../core/lazy';
import { orElse } from '../../core/or-else';
import { COLUMNS, FACETS, LANE_KINDS } from './columns';

const texts = lazy(() => orElse(z.array(z.string()), []));

const boardPrefs = lazy(() =>
  z.object({
    filter: orElse(z.string(), ''),
    facets: orElse(z.array(z.enum(FACETS)), []),
    lanes: orElse(z.enum(LANE_KINDS), 'heading'),
    /** by kind of lane: ids of lanes in the person's order */
    order: orElse(z.partialRecord(z.enum(LANE_KINDS), texts()), {}),
    /** ids of lanes that differ from the default: folded, or open on a very large board */
    toggled: texts(),
    /** Deferred and Cancelled, if the person opened them as columns */
    opened: orElse(z.array(z.enum(COLUMNS)), []),
    /** limit of cards by column */
    limits: orElse(z.partialRecord(z.enum(COLUMNS), z.int().check(z.positive())), {}),
    /** the column shown on a phone */
    column: orElse(z.enum(COLUMNS), 'pending'),
  }),
);

/** A person's settings for the board of one session, or of all. */
export type BoardPrefs = z.infer<ReturnType<typeof boardPrefs>>;

const STORAGE_KEY = 'agent-task-boards-board-view';

/** Most sessions that are remembered, the most recently changed ones. */
const MAX_SESSIONS = 100;

/** Stores the settings of each session's board on this device, outside the vault. */
export class BoardPrefsStore {
  constructor(private readonly app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>) {}

  /** @param session empty: all sessions of the vault */
  of(session: string): BoardPrefs {
    return boardPrefs().parse(this.all().get(session) ?? {});
  }

  keep(session: string, prefs: BoardPrefs): void {
    const all = this.all();
    // Moves the session to the end; the ones at the start are dropped first.
    all.delete(session);
    const kept = [...all, [session, prefs] as const].slice(-MAX_SESSIONS);
    this.app.saveLocalStorage(STORAGE_KEY, Object.fromEntries(kept));
  }

  private all(): Map<string, unknown> {
    const stored: unknown = this.app.loadLocalStorage(STORAGE_KEY);
    return new Map(typeof stored === 'object' && stored !== null ? Object.entries(stored) : []);
  }
}
