import type { SessionEvent } from '../../src/core/session/session-event-bus';

type Listener = (event: SessionEvent) => void;
type Scope = 'all' | 'type' | 'session';

interface Entry {
  readonly scope: Scope;
  readonly sessionId: string;
  readonly type: string;
  readonly listener: Listener;
  alive: boolean;
}

/** A bus as slow and simple as possible, as the model of the real one. */
export class NaiveBus {
  dropped = 0;
  faults = 0;
  #entries: Entry[] = [];
  #known = new Set<string>();
  #queue: SessionEvent[] = [];
  #running = false;

  add(scope: Scope, sessionId: string, type: string, listener: Listener): () => void {
    const entry: Entry = { scope, sessionId, type, listener, alive: true };
    this.#entries.push(entry);
    return () => {
      entry.alive = false;
    };
  }

  setKnown(ids: readonly string[]): void {
    this.#known = new Set(ids);
  }

  emit(event: SessionEvent): void {
    this.#queue.push(event);
    if (this.#running) return;
    this.#running = true;
    let next = this.#queue.shift();
    while (next !== undefined) {
      this.#deliver(next);
      next = this.#queue.shift();
    }
    this.#running = false;
  }

  #deliver(event: SessionEvent): void {
    if (event.type === 'session.created') this.#known.add(event.sessionId);
    if (!this.#known.has(event.sessionId)) {
      this.dropped++;
      return;
    }
    const scopes: readonly Scope[] = ['all', 'type', 'session'];
    const concerned = scopes.flatMap((scope) =>
      this.#entries.filter((entry) => entry.alive && entry.scope === scope && wants(entry, event)),
    );
    for (const entry of concerned) {
      if (!entry.alive) continue;
      try {
        entry.listener(event);
      } catch {
        this.faults++;
      }
    }
    if (event.type === 'session.end') this.#known.delete(event.sessionId);
  }
}

function wants({ scope, sessionId, type }: Entry, event: SessionEvent): boolean {
  if (scope === 'all') return true;
  if (sessionId !== event.sessionId) return false;
  return scope === 'session' || type === event.type;
}
