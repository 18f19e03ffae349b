import { NOT_IGNORED } from '../core/board/state-file';
import type { FromDraft } from '../core/engine/engine';
import type { Clock, Log } from '../core/ports';
import type { AuditStore } from '../core/permission/audit/audit-store';
import type { UsageLine } from '../core/metrics/turn-usage';
import type { BoundBoard } from '../protocol/fields';

/** Usage of one turn; a line of `usage/YYYY-MM.jsonl`. */
export interface TurnUsage extends UsageLine {
  readonly engine: 'opencode' | 'model' | 'acp';
}

type TurnCounts = { -readonly [K in 'agent' | 'model']: string | undefined } & {
  readonly start: number;
  /** undefined until tokens are reported; `cached` likewise */
  tokens: { in: number; out: number; cached?: number } | undefined;
  /** cost of the reported answers; undefined once the price of one is unknown */
  cost: number | undefined;
  readonly waited: { person: number; model: number };
  readonly calls: Set<string>;
  readonly failed: Set<string>;
  readonly running: Set<string>;
  readonly asks: Set<string>;
  /** the time up to which waiting is counted; ms since the epoch */
  at: number;
};

type CountedTurn = Omit<TurnUsage, 'task'>;

/** Counts the usage of turns from the messages to clients. */
export class UsageCounter {
  readonly #turns = new Map<string, TurnCounts>();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly engine: TurnUsage['engine'] = 'opencode',
  ) {}

  /** @returns the usage of the turn that this message ended, if any */
  add(draft: FromDraft): CountedTurn | undefined {
    const { sessionId: session } = draft;
    if (session === undefined) return undefined;
    const turn = this.#turns.get(session) ?? this.#beginTurn(draft, session);
    if (turn === undefined) return undefined;
    this.#addWaiting(turn);
    if (draft.type !== 'turn.end' && draft.type !== 'session.end') {
      addToTurn(turn, draft);
      return undefined;
    }
    this.#turns.delete(session);
    const reason = draft.type === 'turn.end' ? draft.payload.reason : 'interrupted';
    const { agent, model, start, tokens, cost, waited, calls, failed, at: end } = turn;
    return {
      ...{ v: 1, session, engine: this.engine, start, end, reason, waited },
      ...(tokens !== undefined && { tokens, ...(cost !== undefined && { cost }) }),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
      ...{ calls: calls.size, failures: failed.size },
    };
  }

  /** Starts a turn with a prompt, or when the session gets busy for a prompt that isn't shown. */
  #beginTurn(draft: FromDraft, session: string): TurnCounts | undefined {
    const prompted = draft.type === 'message.final' && draft.payload.role === 'user';
    const works = draft.type === 'progress.update' && draft.payload.kind === 'busy';
    if (!prompted && !works) return undefined;
    const now = this.clock.now();
    const turn: TurnCounts = {
      ...{ agent: undefined, model: undefined, start: now, at: now },
      ...{ tokens: undefined, cost: 0 },
      waited: { person: 0, model: 0 },
      ...{ calls: new Set(), failed: new Set(), running: new Set(), asks: new Set() },
    };
    this.#turns.set(session, turn);
    return turn;
  }

  /**
   * Adds the time since the last message: to the person while a request is pending, to the model
   * unless a tool is running.
   */
  #addWaiting(turn: TurnCounts): void {
    const now = Math.max(turn.at, this.clock.now());
    if (turn.asks.size > 0) turn.waited.person += now - turn.at;
    else if (turn.running.size === 0) turn.waited.model += now - turn.at;
    turn.at = now;
  }
}

function addToTurn(turn: TurnCounts, { type, payload }: FromDraft): void {
  if (type === 'message.final') {
    turn.agent = payload.agent ?? turn.agent;
    turn.model = payload.model ?? turn.model;
  } else if (type === 'tool.update') {
    const { callId, status } = payload;
    turn.calls.add(callId);
    if (status === 'running') turn.running.add(callId);
    if (status === 'completed' || status === 'error') turn.running.delete(callId);
    if (status === 'error') turn.failed.add(callId);
  } else if (type === 'permission.request' || type === 'question.request') {
    turn.asks.add(payload.requestId);
  } else if (type === 'permission.resolved' || type === 'question.resolved') {
    turn.asks.delete(payload.requestId);
  } else if (type === 'progress.update' && payload.kind === 'tokens') {
    const { cost, input, output, reasoning = 0, cacheRead, cacheWrite = 0 } = payload;
    turn.tokens ??= { in: 0, out: 0 };
    turn.tokens.in += input + cacheWrite;
    turn.tokens.out += output + reasoning;
    if (cacheRead !== undefined) turn.tokens.cached = (turn.tokens.cached ?? 0) + cacheRead;
    // OpenCode reports a cost of 0 for models without a known price.
    turn.cost = cost && turn.cost !== undefined ? turn.cost + cost : undefined;
    turn.model = payload.model ?? turn.model;
  }
}

export interface UsageLogServices {
  /** the folder of our state in the vault */
  readonly state: Pick<AuditStore, 'read' | 'append'>;
  /** name of a writer other than bridges on disk, so that each writer has its own files */
  readonly writer?: string;
  /** `board` is a text if it can't be read */
  readonly sessions: {
    get(
      id: string,
    ): Promise<{ readonly title: string; readonly board?: BoundBoard | string | undefined }>;
  };
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/**
 * Appends a line for each turn of this engine to a file in the vault. Only the bridge does, since
 * it sees each turn exactly once, whoever is connected.
 */
export class UsageLog {
  readonly #counter: UsageCounter;
  #writing: Promise<void> = Promise.resolve();
  #isIgnored = false;

  constructor(
    private readonly services: UsageLogServices,
    engine?: TurnUsage['engine'],
  ) {
    this.#counter = new UsageCounter(services.clock, engine);
  }

  record(draft: FromDraft): void {
    const counted = this.#counter.add(draft);
    if (counted !== undefined) this.#writing = this.#writing.then(() => this.#write(counted));
  }

  /** Resolves when all turns so far are written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /** Never rejects: a failed write must not end a turn. */
  async #write(counted: CountedTurn): Promise<void> {
    try {
      const task = await this.#taskOf(counted.session);
      const usage: TurnUsage = { ...counted, ...(task !== undefined && { task }) };
      const { state, writer } = this.services;
      await this.#writeGitignore();
      const month = new Date(counted.end).toISOString().slice(0, 7);
      const file = writer === undefined ? month : `${month}.${writer}`;
      await state.append(`usage/${file}.jsonl`, `${JSON.stringify(usage)}\n`);
    } catch (error) {
      this.services.log.note('What a turn used could not be kept.', {
        at: 'session.usage',
        error: String(error),
      });
    }
  }

  async #writeGitignore(): Promise<void> {
    if (this.#isIgnored) return;
    const { state, log } = this.services;
    try {
      if ((await state.read('.gitignore')) === undefined) await state.append('.gitignore', '*\n');
      this.#isIgnored = true;
    } catch (error) {
      log.note(NOT_IGNORED, { at: 'session.usage', error: String(error) });
    }
  }

  /** The session's tasks. Returns undefined also if the engine no longer knows the session. */
  async #taskOf(session: string): Promise<string | undefined> {
    const known = await this.services.sessions.get(session).catch(() => undefined);
    if (typeof known?.board !== 'object') return undefined;
    const { task, tasks } = known.board;
    return task ?? tasks?.join(' ');
  }
}
