import type { PendingAsks } from '../../core/permission/pending-asks';
import type { Clock, Undo } from '../../core/ports';
import type { Session } from '../../core/session/session';
import type { SessionRuntime } from '../../core/session/session-runtime';
import type { Answer } from './answer';
import type { AskQueue } from './ask-modal';
import { EndedAsks } from './ended-asks';
import { needSession, needsOf, type Need } from './need';
import type { Step } from './step';
import { ToldOnce } from './told-once';
import { UnsentWords } from './unsent-words';

/** ms after a connection in which what waited is still expected: the bridge sends it again. */
export const EXPECT_AGAIN = 3_000;

type Answering = Pick<SessionRuntime, 'answerPermission' | 'answerQuestion'>;

export interface AskerSurroundings {
  readonly clock: Clock;
  readonly runtime: Answering;
  readonly sessions: () => readonly Session[];
  /** what our own tools ask */
  readonly asks: Pick<PendingAsks, 'all' | 'onChange' | 'onEnd' | 'answer'>;
  readonly connected: () => boolean;
  /** Title of the task that the agent of a session is at. */
  readonly task: (need: Need) => string | undefined;
  /** Opens the dialog at a request; `closed` is called once it is shut. */
  readonly open: (
    queue: AskQueue,
    first: { readonly requestId: string; readonly step: Step },
    closed: () => void,
  ) => void;
  /** Whether the person is typing, or in another dialog: one more would take the focus, or the click. */
  readonly busy: () => boolean;
  readonly tell: (message: string) => void;
  /** Something that waits appeared; said to those who can't see it. */
  readonly announce: (need: Need) => void;
}

/**
 * Brings what agents ask to the person: each request opens once by itself, one dialog at a time;
 * closed without an answer it waits under "Needs you". An answer to OpenCode that is given offline is
 * sent later; what our own tools ask is answered here.
 */
export class Asker implements AskQueue {
  readonly unsent = new UnsentWords();
  private readonly listeners = new Set<() => void>();
  private readonly seen = new Set<string>();
  private readonly answered = new Map<string, { need: Need; answer: Answer; sent: boolean }>();
  private readonly ended: EndedAsks;
  private readonly notices: ToldOnce;
  private isOpen = false;
  private isClosed = false;
  /** requests whose dialog waits until the person is free, the first asked first */
  private readonly held = new Set<string>();
  private wasConnected = false;
  private stopExpecting: Undo | undefined;
  private readonly undos: Undo[];
  private all: readonly Need[] = [];

  constructor(private readonly around: AskerSurroundings) {
    const { asks, clock, tell } = around;
    this.ended = new EndedAsks({ clock, tell, changed: () => this.look() });
    this.notices = new ToldOnce(clock, tell);
    this.undos = [
      asks.onEnd((ask, end) => this.ended.add(ask, end)),
      asks.onChange(() => this.look()),
    ];
  }

  /** What still waits for an answer of the person. */
  needs(): readonly Need[] {
    return this.all.filter((need) => !this.answered.has(need.request.requestId));
  }

  connected(need: Need): boolean {
    return this.around.connected() && need.session?.away !== true;
  }

  stale(need: Need): boolean {
    return this.ended.isStale(need.request.requestId);
  }

  task(need: Need): string | undefined {
    return this.around.task(need);
  }

  now(): number {
    return this.around.clock.now();
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sessions, the connection, or what our tools ask changed. */
  look(): void {
    this.expectAgain();
    const { asks, sessions } = this.around;
    const there = needsOf(sessions(), this.ended.withStale(asks.all()));
    const pending = new Set(there.map((need) => need.request.requestId));
    const missed = this.all.filter(
      (need) => need.kind !== 'ask' && !pending.has(need.request.requestId),
    );
    this.all = this.stopExpecting === undefined ? there : [...there, ...missed];
    for (const [id, given] of this.answered) {
      const over = !pending.has(id) && this.stopExpecting === undefined;
      if (over) this.answered.delete(id);
      else if (!given.sent && pending.has(id) && this.around.connected()) this.send(id);
    }
    this.unsent.follow(this.all);
    this.tellListeners();
    this.ended.forget();
    const fresh = this.needs().filter((need) => !this.seen.has(need.request.requestId));
    for (const need of fresh) {
      this.seen.add(need.request.requestId);
      this.held.add(need.request.requestId);
      this.around.announce(need);
    }
    this.openHeld();
  }

  /** The person left a field or a dialog. */
  freed(): void {
    this.openHeld();
  }

  close(): void {
    this.stopExpecting?.();
    this.ended.close();
    for (const undo of this.undos) undo();
    // Whose dialog is open sees that nothing waits here any more, and shuts it.
    this.isClosed = true;
    this.all = [];
    this.tellListeners();
    this.listeners.clear();
  }

  /** Opens the dialog at a request, or at the first that waits. */
  review(requestId?: string, step: Step = 'ask'): void {
    const id = requestId ?? this.needs()[0]?.request.requestId;
    if (this.isOpen || id === undefined) return;
    this.isOpen = true;
    this.around.open(this, { requestId: id, step }, () => (this.isOpen = false));
  }

  /** From a card that shows in full what is asked. */
  allowOnce(requestId: string): void {
    const need = this.needs().find((one) => one.request.requestId === requestId);
    if (need?.kind === 'permission') this.answer(need, { kind: 'permission', reply: 'once' });
    if (need?.kind === 'ask') this.answer(need, { kind: 'ask', answer: { reply: 'once' } });
  }

  answer(need: Need, answer: Answer): void {
    const id = need.request.requestId;
    if (answer.kind === 'ask') {
      if (this.around.asks.answer(id, answer.answer)) return;
      const words = this.stale(need) ? 'The note changed. You are asked again.' : NO_LONGER;
      return this.around.tell(words);
    }
    this.answered.set(id, { need, answer, sent: false });
    if (this.around.connected()) this.send(id);
    this.tellListeners();
  }

  gone(need: Need): void {
    const id = need.request.requestId;
    if (this.answered.has(id) || this.isClosed) return;
    const words = need.kind === 'ask' ? this.ended.words(id) : 'This was answered elsewhere.';
    if (words !== undefined) this.notices.say(needSession(need), words);
  }

  private openHeld(): void {
    if (this.held.size === 0 || this.around.busy()) return;
    const waiting = new Set(this.needs().map((need) => need.request.requestId));
    const first = [...this.held].find((id) => waiting.has(id));
    this.held.clear();
    if (first !== undefined) this.review(first);
  }

  /** After a connection the list of what waits is empty at first; that is no answer. */
  private expectAgain(): void {
    const connected = this.around.connected();
    if (connected && !this.wasConnected) {
      this.stopExpecting?.();
      this.stopExpecting = this.around.clock.after(EXPECT_AGAIN, () => {
        this.stopExpecting = undefined;
        this.look();
      });
    }
    this.wasConnected = connected;
  }

  private send(requestId: string): void {
    const given = this.answered.get(requestId);
    if (given === undefined || given.sent) return;
    this.answered.set(requestId, { ...given, sent: true });
    deliver(this.around.runtime, given.need, given.answer).catch(() => {
      this.answered.delete(requestId);
      this.around.tell('Your answer did not reach OpenCode. It is still under Needs you.');
      this.tellListeners();
    });
  }

  private tellListeners(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

const NO_LONGER = 'This is no longer asked. Nothing was allowed.';

async function deliver(runtime: Answering, need: Need, answer: Answer): Promise<void> {
  if (need.kind === 'ask') return;
  const session = need.session.id;
  const request = need.request.requestId;
  if (answer.kind === 'question') await runtime.answerQuestion(session, request, answer.answers);
  if (answer.kind === 'permission')
    await runtime.answerPermission(session, request, answer.reply, answer.message);
}
