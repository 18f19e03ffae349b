import { NOT_IGNORED } from '../core/board/state-file';
import type { FromDraft } from '../core/engine/engine';
import type { Clock, Log } from '../core/ports';
import type { AuditStore } from '../core/permission/audit/audit-store';
import type { UsageLine } from '../core/metrics/turn-usage';
import type { BoundBoard } from '../protocol/fields';

/** What one turn used; a line of `usage/YYYY-MM.jsonl`. */
export interface TurnUsage extends UsageLine {
  readonly engine: 'opencode' | 'model' | 'acp';
}

type Counted = { -readonly [K in 'agent' | 'model']: string | undefined } & {
  readonly start: number;
  /** absent until some are told; so is `cached` */
  tokens: { in: number; out: number; cached?: number } | undefined;
  /** of the answers whose tokens were told; undefined once the price of one was not */
  cost: number | undefined;
  readonly waited: { person: number; model: number };
  readonly calls: Set<string>;
  readonly failed: Set<string>;
  readonly running: Set<string>;
  readonly asks: Set<string>;
  /** until when its time is counted */
  at: number;
};

type Told = Omit<TurnUsage, 'task'>;

/** Counts what turns use, from what the clients of a session are told. */
export class UsageCount {
  readonly #turns = new Map<string, Counted>();

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly engine: TurnUsage['engine'] = 'opencode',
  ) {}

  /** @returns the turn that ended with it, if one did */
  heard(draft: FromDraft): Told | undefined {
    const { sessionId: session } = draft;
    if (session === undefined) return undefined;
    const turn = this.#turns.get(session) ?? this.#begun(draft, session);
    if (turn === undefined) return undefined;
    this.#passed(turn);
    if (draft.type !== 'turn.end' && draft.type !== 'session.end') {
      count(turn, draft);
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

  /** A turn begins with a prompt, or with the work on one that is not shown. */
  #begun(draft: FromDraft, session: string): Counted | undefined {
    const prompted = draft.type === 'message.final' && draft.payload.role === 'user';
    const works = draft.type === 'progress.update' && draft.payload.kind === 'busy';
    if (!prompted && !works) return undefined;
    const now = this.clock.now();
    const turn: Counted = {
      ...{ agent: undefined, model: undefined, start: now, at: now },
      ...{ tokens: undefined, cost: 0 },
      waited: { person: 0, model: 0 },
      ...{ calls: new Set(), failed: new Set(), running: new Set(), asks: new Set() },
    };
    this.#turns.set(session, turn);
    return turn;
  }

  /** The time since the last message: the person's while one is asked, a tool's while one runs. */
  #passed(turn: Counted): void {
    const now = Math.max(turn.at, this.clock.now());
    if (turn.asks.size > 0) turn.waited.person += now - turn.at;
    else if (turn.running.size === 0) turn.waited.model += now - turn.at;
    turn.at = now;
  }
}

function count(turn: Counted, { type, payload }: FromDraft): void {
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
    const { cost, cacheRead } = payload;
    turn.tokens ??= { in: 0, out: 0 };
    turn.tokens.in += payload.input;
    turn.tokens.out += payload.output;
    if (cacheRead !== undefined) turn.tokens.cached = (turn.tokens.cached ?? 0) + cacheRead;
    // OpenCode says 0 of a model whose price it does not know.
    turn.cost = cost && turn.cost !== undefined ? turn.cost + cost : undefined;
    turn.model = payload.model ?? turn.model;
  }
}

export interface UsageLogServices {
  /** the folder of the product's state in the vault */
  readonly state: Pick<AuditStore, 'read' | 'append'>;
  /** names who else than bridges on the disk writes, so that each has files of its own */
  readonly writer?: string;
  /** a board that is a text can’t be read */
  readonly sessions: {
    get(
      id: string,
    ): Promise<{ readonly title: string; readonly board?: BoundBoard | string | undefined }>;
  };
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/**
 * Keeps a line for each turn that ends in this engine, in the vault. The bridge alone writes them:
 * it hears each turn once, whoever is connected.
 */
export class UsageLog {
  readonly #count: UsageCount;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly services: UsageLogServices,
    engine?: TurnUsage['engine'],
  ) {
    this.#count = new UsageCount(services.clock, engine);
  }

  heard(draft: FromDraft): void {
    const told = this.#count.heard(draft);
    if (told !== undefined) this.#writing = this.#writing.then(() => this.#write(told));
  }

  /** When all that was heard so far is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /** Never rejects: what can't be written must not end a turn. */
  async #write(told: Told): Promise<void> {
    try {
      const task = await this.#task(told.session);
      const usage: TurnUsage = { ...told, ...(task !== undefined && { task }) };
      const { state, writer } = this.services;
      await this.#ignore();
      const month = new Date(told.end).toISOString().slice(0, 7);
      const file = writer === undefined ? month : `${month}.${writer}`;
      await state.append(`usage/${file}.jsonl`, `${JSON.stringify(usage)}\n`);
    } catch (error) {
      this.services.log.note('What a turn used could not be kept.', {
        at: 'session.usage',
        error: String(error),
      });
    }
  }

  async #ignore(): Promise<void> {
    const { state, log } = this.services;
    try {
      if ((await state.read('.gitignore')) === undefined) await state.append('.gitignore', '*\n');
    } catch (error) {
      log.note(NOT_IGNORED, { at: 'session.usage', error: String(error) });
    }
  }

  /** Undefined too where the engine doesn't know the session any more. */
  async #task(session: string): Promise<string | undefined> {
    const known = await this.services.sessions.get(session).catch(() => undefined);
    if (typeof known?.board !== 'object') return undefined;
    const { task, tasks } = known.board;
    return task ?? tasks?.join(' ');
  }
}
