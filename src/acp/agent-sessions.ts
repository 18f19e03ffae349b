import type { SessionInfo } from '@agentclientprotocol/sdk';
import { idOfKey } from '../core/engine/session-engine';
import type { SessionFacts } from '../core/engine/session-log';
import type { EngineSessionStore } from '../core/engine/session-store';
import type { Clock, Log } from '../core/ports';

/**
 * Minimum ms between two lists from the agent, and maximum ms that the first call waits for a list.
 */
const MIN_LIST_INTERVAL = 30_000;
const FIRST_LIST_TIMEOUT = 2_000;

interface AgentSessionsServices {
  readonly store: Pick<EngineSessionStore, 'all' | 'hidden'>;
  readonly clock: Clock;
  readonly log: Log;
  /** equal in all engines with this agent */
  readonly program: string;
  /** lists the agent's sessions; undefined if it can't be asked now */
  readonly list: () => Promise<readonly SessionInfo[] | undefined>;
  readonly onAdded: (facts: SessionFacts) => void;
  readonly onRemoved: (id: string) => void;
}

/** A session that only the agent knows. Nothing of it is stored here before it is opened. */
interface AgentSession {
  readonly facts: SessionFacts;
  /** ms since the epoch; 0 if the agent does not report it */
  readonly updated: number;
}

/** The sessions in the vault's folder that were created outside of this program. */
export class AgentSessions {
  readonly #found = new Map<string, AgentSession>();
  #listedAt = -Infinity;
  #firstList: Promise<void>;

  /** @param ready resolves when the agent can be asked for the first time; never rejects */
  constructor(
    private readonly services: AgentSessionsServices,
    ready: Promise<unknown>,
  ) {
    const { clock } = services;
    this.#firstList = new Promise((resolve) => {
      const undo = clock.after(FIRST_LIST_TIMEOUT, resolve);
      void ready
        .then(() => this.#refresh())
        .then(undo)
        .then(resolve);
    });
  }

  get(id: string): SessionFacts | undefined {
    return this.#found.get(id)?.facts;
  }

  /** The sessions of the last list. Changes are reported when a new list arrives. */
  async all(): Promise<readonly AgentSession[]> {
    await this.#firstList;
    if (this.services.clock.now() - this.#listedAt >= MIN_LIST_INTERVAL) void this.#refresh();
    return [...this.#found.values()];
  }

  /**
   * Removes a session that is ours now, or hidden.
   * @returns whether it was listed
   */
  drop(id: string): boolean {
    return this.#found.delete(id);
  }

  async #refresh(): Promise<void> {
    const { store, clock, log, program, list, onAdded: came, onRemoved: went } = this.services;
    this.#listedAt = clock.now();
    try {
      const listed = await list();
      if (listed === undefined) {
        this.#listedAt = -Infinity;
        return;
      }
      const [ours, hidden] = await Promise.all([store.all(), store.hidden()]);
      const known = new Set([...ours.map(({ agentSession }) => agentSession), ...hidden]);
      const others = listed.filter(({ sessionId }) => !known.has(sessionId));
      const now = new Map(others.map((one) => toAgentSession(one, program, clock.now())));
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

/**
 * The id is derived from the agent and its own id, so that every engine with this agent uses the
 * same, and no engine with another: agents may give different sessions the same id.
 */
function toAgentSession(
  { sessionId: agentSession, title, updatedAt }: SessionInfo,
  program: string,
  now: number,
): readonly [string, AgentSession] {
  const at = Date.parse(updatedAt ?? '');
  const updated = Number.isFinite(at) ? at : 0;
  const id = idOfKey(`agent ${program} ${agentSession}`, 0);
  const facts = { v: 1, id, title: title ?? '', created: updated || now, agentSession } as const;
  return [id, { facts, updated }];
}
