import type { SessionInfo } from '@agentclientprotocol/sdk';
import { idOfKey } from '../core/engine/session-engine';
import type { SessionFacts } from '../core/engine/session-log';
import type { EngineSessionStore } from '../core/engine/session-store';
import type { Clock, Log } from '../core/ports';

/** ms for which the agent is not asked again, and those that the first list waits for it. */
const FRESH = 30_000;
const FIRST = 2_000;

interface AgentSessionsServices {
  readonly store: Pick<EngineSessionStore, 'all' | 'hidden'>;
  readonly clock: Clock;
  readonly log: Log;
  /** of the agent; undefined where it can't be asked now */
  readonly list: () => Promise<readonly SessionInfo[] | undefined>;
  readonly came: (facts: SessionFacts) => void;
  readonly went: (id: string) => void;
}

/** A session that the agent knows and we do not: nothing of it is kept here before it is opened. */
interface AgentSession {
  readonly facts: SessionFacts;
  /** ms since the epoch; 0: the agent does not say */
  readonly updated: number;
}

/** The sessions of the vault's folder that the agent has from elsewhere. */
export class AgentSessions {
  readonly #found = new Map<string, AgentSession>();
  #asked = -Infinity;
  #first: Promise<void>;

  /** @param ready when the agent can be asked for the first time; never rejects */
  constructor(
    private readonly services: AgentSessionsServices,
    ready: Promise<unknown>,
  ) {
    const { clock } = services;
    this.#first = new Promise((resolve) => {
      const undo = clock.after(FIRST, resolve);
      void ready
        .then(() => this.#look())
        .then(undo)
        .then(resolve);
    });
  }

  get(id: string): SessionFacts | undefined {
    return this.#found.get(id)?.facts;
  }

  /** As they were when the agent was asked last; what changed is told when it answers. */
  async all(): Promise<readonly AgentSession[]> {
    await this.#first;
    if (this.services.clock.now() - this.#asked >= FRESH) void this.#look();
    return [...this.#found.values()];
  }

  /** It is ours now, or hidden. @returns whether it was there */
  drop(id: string): boolean {
    return this.#found.delete(id);
  }

  async #look(): Promise<void> {
    const { store, clock, log, list, came, went } = this.services;
    this.#asked = clock.now();
    try {
      const listed = await list();
      if (listed === undefined) {
        this.#asked = -Infinity;
        return;
      }
      const [ours, hidden] = await Promise.all([store.all(), store.hidden()]);
      const known = new Set([...ours.map(({ agentSession }) => agentSession), ...hidden]);
      const others = listed.filter(({ sessionId }) => !known.has(sessionId));
      const now = new Map(others.map((one) => found(one, clock.now())));
      for (const id of this.#found.keys()) {
        if (!now.has(id) && this.drop(id) && !ours.some((one) => one.id === id)) went(id);
      }
      for (const [id, one] of now) {
        const isNew = !this.#found.has(id);
        this.#found.set(id, one);
        if (isNew) came(one.facts);
      }
    } catch (error) {
      log.note('The agent did not list its sessions.', {
        ...{ at: 'session.list', error: String(error) },
      });
    }
  }
}

/** Every program gives a session of the agent the same id. */
function found(
  { sessionId: agentSession, title, updatedAt }: SessionInfo,
  now: number,
): readonly [string, AgentSession] {
  const at = Date.parse(updatedAt ?? '');
  const updated = Number.isFinite(at) ? at : 0;
  const id = idOfKey(`agent ${agentSession}`, 0);
  const facts = { v: 1, id, title: title ?? '', created: updated || now, agentSession } as const;
  return [id, { facts, updated }];
}
