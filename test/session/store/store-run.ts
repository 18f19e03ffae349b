import { decodeName, encodeName, isValidSessionId } from '../../../src/core/board/board-path';
import type { Session } from '../../../src/core/session/session';
import { SessionEventBus } from '../../../src/core/session/session-event-bus';
import { SessionStore } from '../../../src/core/session/store/session-store';
import { Transcripts } from '../../../src/core/session/transcript/transcripts';
import type { MemoryStore } from '../../store/memory-store';
import type { ManualClock } from '../../wire/manual-clock';
import { transcriptLines } from '../transcript/session-event-factory';

export const ROOT = 'state/sessions';

/** One start of the plugin, with the sessions stored by earlier ones. */
export class PluginStart {
  readonly bus = new SessionEventBus();
  readonly problems: string[] = [];
  readonly transcripts: Transcripts;
  readonly store: SessionStore;
  readonly sessions = new Map<string, Partial<Session>>();

  constructor(
    readonly notes: MemoryStore,
    readonly clock: ManualClock,
  ) {
    this.bus.setKnown(['a', 'b', 'Ümlaut/x', 'x'.repeat(100)]);
    this.transcripts = new Transcripts({
      bus: this.bus,
      runtime: { history: () => Promise.resolve([]) },
      log: { note: () => undefined },
    });
    this.store = new SessionStore({
      store: notes,
      root: ROOT,
      names: { encode: encodeName, decode: decodeName, fits: isValidSessionId },
      notify: (problem) => this.problems.push(problem),
      clock,
      transcripts: this.transcripts,
      session: (id) => this.sessions.get(id) as Session | undefined,
    });
  }

  shown(id = 'a'): readonly string[] {
    return transcriptLines(this.transcripts.get(id).blocks);
  }

  async restart(): Promise<PluginStart> {
    this.store.close();
    const next = new PluginStart(this.notes, this.clock);
    await next.store.load();
    return next;
  }
}
