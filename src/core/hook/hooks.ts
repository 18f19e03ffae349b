import type { Clock, Log, Undo } from '../ports';
import type { HookEvent, HookEvents, HookHandler, HookOptions } from './hook-events';

/** The outcome of an event after all handlers. */
export interface HookResult<E extends HookEvent> {
  readonly facts: HookEvents[E];
  /** whose handler cancelled it, and why */
  readonly cancelled?: { readonly by: string; readonly reason: string };
}

interface Entry {
  readonly event: HookEvent;
  readonly by: string;
  readonly priority: number;
  readonly within: number;
  readonly handler: (facts: never) => unknown;
  failed: boolean;
}

const DEFAULT_PRIORITY = 100;

/** ms */
const DEFAULT_TIMEOUT = 5_000;

/**
 * Runs the handlers of an event one after another, each with the changes of those before it, until
 * one cancels it. A handler that throws, takes too long or gives an invalid answer is skipped, and
 * reported to the person once.
 */
export class Hooks {
  #entries: readonly Entry[] = [];

  constructor(private readonly deps: { readonly clock: Clock; readonly log: Log }) {}

  /** @param by the owner of the handler, as shown to the person */
  on<E extends HookEvent>(
    event: E,
    by: string,
    handler: HookHandler<E>,
    { priority = DEFAULT_PRIORITY, within = DEFAULT_TIMEOUT }: HookOptions = {},
  ): Undo {
    const entry: Entry = { event, by, priority, within, handler, failed: false };
    // The sort is stable.
    this.#entries = [...this.#entries, entry].sort((a, b) => a.priority - b.priority);
    return () => (this.#entries = this.#entries.filter((one) => one !== entry));
  }

  /**
   * Never rejects. Synchronous until a handler returns a promise.
   * @param facts JSON; it is not changed
   */
  async run<E extends HookEvent>(event: E, facts: HookEvents[E]): Promise<HookResult<E>> {
    let now = facts;
    for (const entry of this.#entries.filter((one) => one.event === event)) {
      if (!this.#entries.includes(entry)) continue;
      try {
        const given = entry.handler(frozenCopy(now) as never);
        const answer = given instanceof Promise ? await this.#withTimeout(entry, given) : given;
        const { change, cancel } = answerOf(event, answer);
        if (cancel !== undefined) return this.#cancelled(entry, now, cancel);
        if (change !== undefined) now = { ...now, ...change };
      } catch (error) {
        this.#failed(entry, error);
      }
    }
    return { facts: now };
  }

  #withTimeout(entry: Entry, answer: Promise<unknown>): Promise<unknown> {
    if (entry.within === Infinity) return answer;
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`It did not answer within ${entry.within} ms`));
      const undo = this.deps.clock.after(entry.within, late);
      answer.finally(undo).then(resolve, reject);
    });
  }

  #cancelled<E extends HookEvent>({ by, event }: Entry, facts: HookEvents[E], reason: string) {
    this.deps.log.note(`The hook ${event} of ${by} cancelled it.`, {
      ...{ at: 'hook.cancelled', severity: 'info', by, why: reason },
    });
    return { facts, cancelled: { by, reason } };
  }

  #failed(entry: Entry, error: unknown): void {
    const { by, event } = entry;
    const first = !entry.failed;
    entry.failed = true;
    this.deps.log.note(`The hook ${event} of ${by} failed.`, {
      at: 'hook.failed',
      by,
      ...(first
        ? { severity: 'error', hint: 'It was passed over. Switch it off, or tell its author.' }
        : { severity: 'warning' }),
      error: String(error),
    });
  }
}

/** All events. */
export const HOOK_EVENTS = Object.keys({
  'pre-prompt': true,
  'post-prompt': true,
  'pre-tool-use': true,
  'post-tool-use': true,
  'on-stop': true,
  'on-error': true,
  'on-session-init': true,
  'on-message-added': true,
  'on-context-full': true,
} satisfies Record<HookEvent, true>) as readonly HookEvent[];

type Kind = 'text' | 'json';

/** The fields that a handler may change, by event. */
const CHANGEABLE: { readonly [E in HookEvent]?: ReadonlyMap<string, Kind> } = {
  'pre-prompt': new Map([
    ['text', 'text'],
    ['agent', 'text'],
    ['model', 'text'],
  ]),
  'pre-tool-use': new Map([['args', 'json']]),
  'post-tool-use': new Map([
    ['title', 'text'],
    ['output', 'text'],
  ]),
};

/**
 * Checks the answer of a handler, which may be any value. @throws Error for the author of the
 * handler
 */
function answerOf<E extends HookEvent>(
  event: E,
  answer: unknown,
): { readonly change?: object; readonly cancel?: string } {
  if (answer === undefined || answer === null) return {};
  const wanted = 'Answer with nothing, { change: {…} } or { cancel: "why" }';
  if (typeof answer !== 'object') throw new Error(wanted);
  const { change, cancel, ...more } = answer as Partial<Record<string, unknown>>;
  if (Object.keys(more).length > 0) throw new Error(wanted);
  if (cancel !== undefined) {
    if (typeof cancel !== 'string' || cancel.trim() === '') {
      throw new Error('Say in "cancel" why, in a sentence');
    }
    return { cancel };
  }
  if (change === undefined) return {};
  if (typeof change !== 'object' || change === null) throw new Error(wanted);
  const made: unknown = JSON.parse(JSON.stringify(change));
  if (typeof made !== 'object' || made === null) throw new Error(wanted);
  const kinds: ReadonlyMap<string, Kind> = CHANGEABLE[event] ?? new Map<string, Kind>();
  for (const [key, value] of Object.entries(made)) {
    const kind = kinds.get(key);
    if (kind === undefined) {
      const may = [...kinds.keys()].join(', ');
      const instead = may === '' ? 'nothing of it can be changed' : `only ${may}`;
      throw new Error(`It can't change "${key}" of ${event}: ${instead}`);
    }
    if (kind === 'text' && typeof value !== 'string') throw new Error(`"${key}" must be a text`);
  }
  return { change: made };
}

/** A deeply frozen copy. */
function frozenCopy<T extends object>(facts: T): T {
  return freeze(copy(facts));
}

function copy<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

export type HookRunner = Pick<Hooks, 'run'>;
