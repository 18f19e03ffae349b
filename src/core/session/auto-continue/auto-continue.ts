import type { BoardChange } from '../../board/board-change';
import { personDecisions, type PersonDecision } from '../../board/my-tasks';
import type { Board } from '../../board/task';
import type { HookEvents } from '../../hook/hook-events';
import type { Clock, Undo } from '../../ports';
import { Listeners } from '../listeners';
import { sessionFamily, rootOf, type Session } from '../session';
import type { SessionEvent, SessionEventBus } from '../session-event-bus';
import { canDo } from '../session-host';
import {
  continuePrompt,
  planProgressOf,
  MACHINE_OFF,
  stepMachine,
  type ContinueContext,
  type ContinueEvent,
  type ContinueState,
  type ContinuePromptInput,
  type Machine,
} from './continue-machine';

export interface AutoContinueDeps {
  readonly bus: SessionEventBus;
  readonly clock: Clock;
  readonly sessions: () => readonly Session[];
  readonly boards: () => readonly Board[];
  readonly online: () => boolean;
  /**
   * `on`: the default of sessions without a switch of their own; `seconds`: length of the countdown
   */
  readonly settings: () => { readonly on: boolean; readonly seconds: number };
  /** Whether a run drives the session; then only the run continues it. */
  readonly isDrivenByRun?: (sessionId: string) => boolean;
  /** Sends a prompt; rejects if it was not accepted. */
  readonly send: (sessionId: string, text: string) => Promise<unknown>;
  /** Tells the person why a prompt was not accepted. */
  readonly reportFailure: (sessionId: string, error: unknown) => void;
}

/**
 * Continues sessions with their plan when a turn ended, within the limits of `continue-machine.ts`.
 * Leaves sessions of subagents to their parents. A session's own switch is kept in memory only, so
 * that after a restart no session continues because of a forgotten switch.
 */
export class AutoContinue {
  readonly #machines = new Map<string, Machine>();
  readonly #timers = new Map<string, Undo>();
  /** sessions whose switch the person set */
  readonly #switched = new Set<string>();
  readonly #drafts = new Set<string>();
  /**
   * sessions with a prompt of ours, until its turn ends: a prompt that appears meanwhile is not the
   * person's
   */
  readonly #sent = new Set<string>();
  /** sessions whose turn ended, until the next one begins */
  readonly #ended = new Set<string>();
  /** by session, the id of the newest prompt; each prompt is reported more than once */
  readonly #prompts = new Map<string, string>();
  readonly #changed = new Listeners<string>();
  readonly #undo: Undo;

  constructor(private readonly deps: AutoContinueDeps) {
    this.#undo = deps.bus.onAll((event) => this.#hear(event));
  }

  state(sessionId: string): ContinueState {
    return this.#machine(sessionId).show;
  }

  isOn(sessionId: string): boolean {
    return this.#machine(sessionId).on;
  }

  /** Called with the id of a session whose state changed. */
  onChange(listener: (sessionId: string) => void): Undo {
    return this.#changed.add(listener);
  }

  /** Sets the session's own switch. */
  switch(sessionId: string, on: boolean): void {
    this.#switched.add(sessionId);
    this.#step(sessionId, { type: 'switched', on });
  }

  /** Applies a change of the settings to sessions without a switch of their own. */
  settingsChanged(): void {
    const { on } = this.deps.settings();
    for (const session of this.deps.sessions()) {
      const { id, parentId } = session;
      const follows = parentId === null && !this.#switched.has(id) && canDo(session, 'prompt');
      if (follows) this.#step(id, { type: 'switched', on });
    }
  }

  /**
   * Continues the session now, switched on or not.
   * @param done titles of the person's own tasks that they completed, for the prompt to name
   */
  continueNow(sessionId: string, done: readonly PersonDecision[] = []): void {
    if (this.canContinue(sessionId, done)) this.#step(sessionId, { type: 'continue', done });
  }

  /**
   * Whether the session can be continued: it is idle or failed, connected and accepts prompts, no
   * run drives it, no prompt of ours is under way, no request waits for an answer, and there is a
   * task to continue with.
   */
  canContinue(sessionId: string, done: readonly PersonDecision[] = []): boolean {
    const session = this.#session(sessionId);
    const rests = session?.state.kind === 'idle' || session?.state.kind === 'error';
    if (!rests || !this.deps.online() || this.#sent.has(sessionId)) return false;
    if (!canDo(session, 'prompt')) return false;
    if (this.#isDrivenByRun(sessionId)) return false;
    const { pending, plan } = this.#context(sessionId);
    return !pending && (plan.next !== undefined || done.length > 0);
  }

  stop(sessionId: string): void {
    this.#step(sessionId, { type: 'stop' });
  }

  /** @param has whether an input field has unsent text of the person for the session */
  setTyping(sessionId: string, has: boolean): void {
    if (has === this.#drafts.has(sessionId)) return;
    if (has) this.#drafts.add(sessionId);
    else this.#drafts.delete(sessionId);
    if (has) this.#step(sessionId, { type: 'hindered' });
  }

  boardChanged({ session, board, before, by }: BoardChange): void {
    const sessionId = this.#root(session);
    if (!this.#machine(sessionId).on) return;
    const done = session !== sessionId || by === 'agent' ? [] : personDecisions(before, board);
    this.#step(sessionId, { type: 'changed', done });
  }

  connectionChanged(): void {
    if (this.deps.online()) return;
    this.#sent.clear(); // the ends of their turns may never be reported
    for (const sessionId of [...this.#machines.keys()]) this.#step(sessionId, { type: 'hindered' });
  }

  close(): void {
    this.#undo();
    for (const undo of this.#timers.values()) undo();
    this.#timers.clear();
    this.#changed.clear();
  }

  /** Handles the end of a turn after its hooks ran, unless the next turn has begun meanwhile. */
  turnStopped({ sessionId, reason }: HookEvents['on-stop']): void {
    if (this.#ended.delete(sessionId)) this.#step(sessionId, { type: 'ended', reason });
  }

  #hear(event: SessionEvent): void {
    const { type, sessionId, payload } = event;
    if (type === 'turn.end') {
      this.#sent.delete(sessionId);
      this.#ended.add(sessionId);
    } else if (type === 'permission.request' || type === 'question.request') {
      this.#step(this.#root(sessionId), { type: 'hindered' });
    } else if (type === 'progress.update' && payload.kind === 'busy') {
      this.#ended.delete(sessionId);
      this.#step(sessionId, { type: 'began' });
    } else if (type === 'message.final' && payload.role === 'user') {
      this.#prompted(sessionId, payload.messageId);
    } else if (type === 'session.end') {
      this.#forget(sessionId);
    }
  }

  #prompted(sessionId: string, messageId: string): void {
    if (this.#prompts.get(sessionId) === messageId) return;
    this.#prompts.set(sessionId, messageId);
    if (!this.#sent.has(sessionId)) this.#step(sessionId, { type: 'prompted' });
  }

  #step(sessionId: string, event: ContinueEvent): void {
    const before = this.#machine(sessionId);
    if (!before.on && event.type !== 'switched' && event.type !== 'continue') return;
    const { machine, send } = stepMachine(before, event, this.#context(sessionId));
    if (machine !== before) this.#machines.set(sessionId, machine);
    if (machine.show !== before.show) {
      this.#setTimer(sessionId, machine.show);
      this.#changed.call(sessionId);
    }
    if (send !== undefined) this.#send(sessionId, send);
  }

  #setTimer(sessionId: string, show: ContinueState): void {
    this.#timers.get(sessionId)?.();
    this.#timers.delete(sessionId);
    if (show.kind !== 'waiting') return;
    const ms = Math.max(0, show.until - this.deps.clock.now());
    const due = () => {
      this.#step(sessionId, { type: 'due' });
      // The clock may have been set back meanwhile: then the countdown is not over yet.
      if (this.#machine(sessionId).show === show) this.#setTimer(sessionId, show);
    };
    this.#timers.set(sessionId, this.deps.clock.after(ms, due));
  }

  #send(sessionId: string, what: ContinuePromptInput): void {
    this.#sent.add(sessionId);
    this.deps.send(sessionId, continuePrompt(what)).catch((error: unknown) => {
      this.#sent.delete(sessionId);
      this.#step(sessionId, { type: 'unsent' });
      this.deps.reportFailure(sessionId, error);
    });
  }

  #forget(sessionId: string): void {
    this.#setTimer(sessionId, MACHINE_OFF.show);
    this.#machines.delete(sessionId);
    this.#switched.delete(sessionId);
    this.#drafts.delete(sessionId);
    this.#sent.delete(sessionId);
    this.#ended.delete(sessionId);
    this.#prompts.delete(sessionId);
    this.#changed.call(sessionId);
  }

  /** A session's machine; created from the settings on first use. */
  #machine(sessionId: string): Machine {
    const known = this.#machines.get(sessionId);
    if (known !== undefined) return known;
    const session = this.#session(sessionId);
    const isAlive = session?.parentId === null && session.state.kind !== 'ended';
    if (!isAlive || !canDo(session, 'prompt') || !this.deps.settings().on) return MACHINE_OFF;
    const { machine } = stepMachine(
      MACHINE_OFF,
      { type: 'switched', on: true },
      this.#context(sessionId),
    );
    this.#machines.set(sessionId, machine);
    return machine;
  }

  #context(sessionId: string): ContinueContext {
    const { clock, online, settings } = this.deps;
    const family = sessionFamily(this.deps.sessions(), sessionId);
    const boards = this.deps.boards();
    const of = (id: string) => boards.filter(({ session }) => session === id);
    return {
      now: clock.now(),
      countdown: settings().seconds * 1_000,
      online: online(),
      drivenByRun: this.#isDrivenByRun(sessionId),
      pending: family.some((one) => one.permissions.length + one.questions.length > 0),
      typing: this.#drafts.has(sessionId),
      plan: planProgressOf(
        of(sessionId),
        family.filter(({ id }) => id !== sessionId).flatMap(({ id }) => of(id)),
      ),
    };
  }

  #isDrivenByRun(sessionId: string): boolean {
    return this.deps.isDrivenByRun?.(sessionId) ?? false;
  }

  #session(sessionId: string): Session | undefined {
    return this.deps.sessions().find(({ id }) => id === sessionId);
  }

  #root(sessionId: string): string {
    return rootOf(this.deps.sessions(), sessionId);
  }
}
