import { WireError } from '../../../protocol/wire-error';
import type { RunState } from '../state';
import type { Carrier } from './carrier';
import { lookWords } from './look-words';
import type { OrchestratorDeps } from './orchestrator-deps';
import { askWords } from './own-asks';
import { runningIn } from './run-sessions';
import type { Sends } from './sends';
import type { Waits } from './waits';
import { workingIn, type Word } from './word';

export interface LooksPort {
  state(): RunState;
  hear(word: Word): void;
  readonly sends: Sends;
  readonly carrier: Pick<Carrier, 'prompts'>;
}

/** A turn of which nothing is heard for so long is asked for, ms. */
const SILENCE = 60_000;

/**
 * Asks how the sessions stand in which a turn runs, where their end may have been missed. What was
 * told of a session before stands before the answer, and no answer is about another turn than that
 * which was looked at.
 */
export class SessionLooks {
  readonly #under = new Set<string>();
  readonly #heard = new Map<string, number>();

  constructor(
    private readonly deps: Pick<
      OrchestratorDeps,
      'runtime' | 'link' | 'log' | 'clock' | 'sessions' | 'asks'
    >,
    private readonly waits: Waits,
    private readonly port: LooksPort,
  ) {}

  all(): void {
    for (const session of new Set(runningIn(this.port.state()))) this.one(session);
  }

  one(session: string): void {
    if (this.#under.has(session)) return;
    this.#under.add(session);
    void this.#look(session).finally(() => this.#under.delete(session));
  }

  alive(session: string): void {
    this.#heard.set(session, this.deps.clock.now());
  }

  silent(): void {
    const running = new Set(runningIn(this.port.state()));
    const now = this.deps.clock.now();
    for (const session of this.#heard.keys()) {
      if (!running.has(session)) this.#heard.delete(session);
    }
    for (const session of running) {
      const since = this.#heard.get(session);
      if (since === undefined) this.alive(session);
      // The clock may have been set back: what was heard later than now was heard long ago.
      else if ((now < since || now - since >= SILENCE) && this.deps.link.up()) {
        this.alive(session);
        this.one(session);
      }
    }
  }

  async #look(session: string): Promise<void> {
    for (let tries = 1; this.#wanted(session); tries += 1) {
      const still = this.port.sends.now(session);
      try {
        const look = await this.deps.runtime.look(session);
        if (this.waits.closed) return;
        for (const word of lookWords(session, look, still)) this.port.hear(word);
        for (const word of askWords(session, this.port.state(), this.deps)) this.port.hear(word);
        return;
      } catch (error) {
        if (this.waits.closed) return;
        if (error instanceof WireError && error.code === 'unknown_session') {
          this.port.hear((state) =>
            still() && runningIn(state).includes(session)
              ? { type: 'session_ended', sessionId: session }
              : undefined,
          );
          return;
        }
        this.deps.log.note('How a session stands could not be asked.', { error: String(error) });
      }
      await this.waits.turn(Math.min(30_000, 500 * 2 ** Math.min(tries, 8)));
    }
  }

  /** Where a prompt is under way, its answer says how it stands. */
  #wanted(session: string): boolean {
    if (this.waits.closed || this.port.carrier.prompts(session)) return false;
    const state = this.port.state();
    return workingIn(state, session) !== undefined || runningIn(state).includes(session);
  }
}
