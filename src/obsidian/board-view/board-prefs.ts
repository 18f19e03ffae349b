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
    /** by kind of lane: ids as the person arranged them */
    order: orElse(z.partialRecord(z.enum(LANE_KINDS), texts()), {}),
    /** lanes that are not as they are at first: folded, or open on a very large board */
    toggled: texts(),
    /** Deferred and Cancelled, where the person opened them to columns */
    opened: orElse(z.array(z.enum(COLUMNS)), []),
    /** the most cards that a column should have */
    limits: orElse(z.partialRecord(z.enum(COLUMNS), z.int().check(z.positive())), {}),
    /** the column that a phone shows */
    column: orElse(z.enum(COLUMNS), 'pending'),
  }),
);

/** How the person looks at a session's plan, or at all of them. */
export type BoardPrefs = z.infer<ReturnType<typeof boardPrefs>>;

const KEY = 'agent-task-boards-board-view';

/** Sessions that are remembered, those that were looked at last. */
const MOST = 100;

/** Keeps how each session's board is looked at, on this device, beside the vault. */
export class BoardPrefsStore {
  constructor(private readonly app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>) {}

  /** @param session empty: all of the vault */
  of(session: string): BoardPrefs {
    return boardPrefs().parse(this.all().get(session) ?? {});
  }

  keep(session: string, prefs: BoardPrefs): void {
    const all = this.all();
    // The one that is looked at goes to the end, and those at the front are forgotten first.
    all.delete(session);
    const kept = [...all, [session, prefs] as const].slice(-MOST);
    this.app.saveLocalStorage(KEY, Object.fromEntries(kept));
  }

  private all(): Map<string, unknown> {
    const left: unknown = this.app.loadLocalStorage(KEY);
    return new Map(typeof left === 'object' && left !== null ? Object.entries(left) : []);
  }
}
