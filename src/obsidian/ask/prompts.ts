import type {
  ToolPermissionRequest,
  ToolPermissionOutcome,
  PendingPermissions,
} from '../../core/permission/ask';
import type { Clock, Undo } from '../../core/ports';
import type { Session } from '../../core/session/session';
import type { SessionRuntime } from '../../core/session/bridge-runtime';
import { UnsentMessages, type AskStep, type PromptAnswer } from './ask-steps';
import { Listeners } from '../../core/session/listeners';
import { attentionItems, itemSession, type AttentionItem } from '../model/attention';
import { askText } from './ask-text';
import type { Command } from 'obsidian';
import { conditionalCommand } from '../ui/menu';
import { t } from '../language/text';

/**
 * ms after connecting in which earlier requests are still expected, since the bridge sends them
 * again.
 */
export const RESEND_WINDOW = 3_000;

type AnswerRuntime = Pick<SessionRuntime, 'answerPermission' | 'answerQuestion'>;

interface PromptsDeps {
  readonly clock: Clock;
  readonly runtime: AnswerRuntime;
  readonly sessions: () => readonly Session[];
  /** pending requests of our own tools */
  readonly asks: Pick<PendingPermissions, 'all' | 'onChange' | 'onEnd' | 'answer'>;
  readonly connected: () => boolean;
  /** Title of the task that the agent of a session works on. */
  readonly task: (need: AttentionItem) => string | undefined;
  /** Opens the dialog at a request; calls `closed` when it is closed. */
  readonly open: (
    queue: Prompts,
    first: { readonly requestId: string; readonly step: AskStep },
    closed: () => void,
  ) => void;
  /**
   * Whether the person is typing, or in another dialog: a new dialog would take the focus or the
   * click.
   */
  readonly busy: () => boolean;
  readonly tell: (message: string) => void;
  /** Announces a new request to screen readers. */
  readonly announce: (need: AttentionItem) => void;
}

/**
 * Shows the requests of agents to the person. Each opens once by itself, one dialog at a time; if
 * it is closed without an answer, the request waits under "Needs you". An offline answer to
 * OpenCode is sent later; requests of our own tools are answered here.
 */
export class Prompts {
  readonly unsent = new UnsentMessages();
  private readonly listeners = new Listeners<void>();
  private readonly seen = new Set<string>();
  private readonly answered = new Map<
    string,
    { need: AttentionItem; answer: PromptAnswer; sent: boolean }
  >();
  private readonly ended: EndedAsks;
  /**
   * the last notice that a request is gone: when a session ends several at once, only one is shown
   */
  private last = { what: '', at: -Infinity };
  private isOpen = false;
  private isClosed = false;
  /** requests whose dialog waits until the person is idle, the oldest first */
  private readonly waitingIds = new Set<string>();
  private wasConnected = false;
  private stopExpecting: Undo | undefined;
  private readonly undos: Undo[];
  private all: readonly AttentionItem[] = [];

  constructor(readonly deps: PromptsDeps) {
    const { asks, clock, tell } = deps;
    this.ended = new EndedAsks(clock, tell, () => this.update());
    this.undos = [
      asks.onEnd((ask, end) => this.ended.add(ask, end)),
      asks.onChange(() => this.update()),
    ];
  }

  /** The requests that still wait for an answer. */
  needs(): readonly AttentionItem[] {
    return this.all.filter((need) => !this.answered.has(need.request.requestId));
  }

  connected(need: AttentionItem): boolean {
    return this.deps.connected() && need.session?.away !== true;
  }

  stale(need: AttentionItem): boolean {
    return this.ended.isStale(need.request.requestId);
  }

  onChange(listener: () => void): Undo {
    return this.listeners.add(listener);
  }

  /** Called when sessions, the connection, or the requests of our tools changed. */
  update(): void {
    this.expectResent();
    const { asks, sessions } = this.deps;
    const there = attentionItems(sessions(), this.ended.withStale(asks.all()));
    const pending = new Set(there.map((need) => need.request.requestId));
    const missed = this.all.filter(
      (need) => need.kind !== 'ask' && !pending.has(need.request.requestId),
    );
    this.all = this.stopExpecting === undefined ? there : [...there, ...missed];
    for (const [id, given] of this.answered) {
      const over = !pending.has(id) && this.stopExpecting === undefined;
      if (over) this.answered.delete(id);
      else if (!given.sent && pending.has(id) && this.deps.connected()) this.send(id);
    }
    this.unsent.sync(this.all);
    this.listeners.call();
    this.ended.clearReasons();
    const fresh = this.needs().filter((need) => !this.seen.has(need.request.requestId));
    for (const need of fresh) {
      this.seen.add(need.request.requestId);
      this.waitingIds.add(need.request.requestId);
      this.deps.announce(need);
    }
    this.openWaiting();
  }

  close(): void {
    this.stopExpecting?.();
    this.ended.close();
    for (const undo of this.undos) undo();
    // An open dialog sees that nothing waits any more, and closes.
    this.isClosed = true;
    this.all = [];
    this.listeners.call();
    this.listeners.clear();
  }

  /** Opens the dialog at a request, or at the first pending one. */
  review(requestId?: string, step: AskStep = 'ask'): void {
    const id = requestId ?? this.needs()[0]?.request.requestId;
    if (this.isOpen || id === undefined) return;
    this.isOpen = true;
    this.deps.open(this, { requestId: id, step }, () => (this.isOpen = false));
  }

  /** For a card that shows the request in full. */
  allowOnce(requestId: string): void {
    const need = this.needs().find((one) => one.request.requestId === requestId);
    if (need?.kind === 'permission') this.answer(need, { kind: 'permission', reply: 'once' });
    if (need?.kind === 'ask') this.answer(need, { kind: 'ask', answer: { reply: 'once' } });
  }

  /** For a card that shows all options of the request's only question. */
  choose(requestId: string, label: string): void {
    const need = this.needs().find((one) => one.request.requestId === requestId);
    if (need?.kind === 'question') this.answer(need, { kind: 'question', answers: [[label]] });
  }

  answer(need: AttentionItem, answer: PromptAnswer): void {
    const id = need.request.requestId;
    if (answer.kind === 'ask') {
      if (this.deps.asks.answer(id, answer.answer)) return;
      const words = this.stale(need) ? t('ask.noteChangedAskedAgain') : NO_LONGER;
      return this.deps.tell(words);
    }
    this.answered.set(id, { need, answer, sent: false });
    if (this.deps.connected()) this.send(id);
    this.listeners.call();
  }

  notifyGone(need: AttentionItem): void {
    const id = need.request.requestId;
    if (this.answered.has(id) || this.isClosed) return;
    const words = need.kind === 'ask' ? this.ended.endReason(id) : t('ask.answeredElsewhere');
    if (words === undefined) return;
    const at = this.deps.clock.now();
    const what = JSON.stringify([itemSession(need), words]);
    const again = what === this.last.what && at - this.last.at < SAME_NOTICE_WINDOW;
    this.last = { what, at };
    if (!again) this.deps.tell(words);
  }

  /** Opens a waiting dialog. Called when the person left a field or a dialog. */
  openWaiting(): void {
    if (this.waitingIds.size === 0 || this.deps.busy()) return;
    const waiting = new Set(this.needs().map((need) => need.request.requestId));
    const first = [...this.waitingIds].find((id) => waiting.has(id));
    this.waitingIds.clear();
    if (first !== undefined) this.review(first);
  }

  /**
   * Right after connecting the list of requests is empty; that does not mean they were answered.
   */
  private expectResent(): void {
    const connected = this.deps.connected();
    if (connected && !this.wasConnected) {
      this.stopExpecting?.();
      this.stopExpecting = this.deps.clock.after(RESEND_WINDOW, () => {
        this.stopExpecting = undefined;
        this.update();
      });
    }
    this.wasConnected = connected;
  }

  private send(requestId: string): void {
    const given = this.answered.get(requestId);
    if (given === undefined || given.sent) return;
    this.answered.set(requestId, { ...given, sent: true });
    deliver(this.deps.runtime, given.need, given.answer).catch(() => {
      this.answered.delete(requestId);
      this.deps.tell(t('ask.answerLost'));
      this.listeners.call();
    });
  }
}

const NO_LONGER = t('ask.noLongerAsked');

async function deliver(
  runtime: AnswerRuntime,
  need: AttentionItem,
  answer: PromptAnswer,
): Promise<void> {
  if (need.kind === 'ask') return;
  const session = need.session.id;
  const request = need.request.requestId;
  if (answer.kind === 'question') await runtime.answerQuestion(session, request, answer.answers);
  if (answer.kind === 'permission')
    await runtime.answerPermission(session, request, answer.reply, answer.message);
}

/** ms to wait for the request that replaces one whose note changed. */
export const REPLACEMENT_WAIT = 5_000;

/** The ended requests of our tools: why they ended, and which are about to be replaced. */
class EndedAsks {
  /** ended because the note changed; shown until the new change arrives */
  private readonly stale = new Map<
    string,
    { readonly ask: ToolPermissionRequest; readonly undo: Undo }
  >();
  private readonly replies = new Map<string, ToolPermissionOutcome['reply']>();

  constructor(
    private readonly clock: Clock,
    private readonly tell: (message: string) => void,
    /** a replacement is no longer expected */
    private readonly onChange: () => void,
  ) {}

  add(ask: ToolPermissionRequest, { reply }: ToolPermissionOutcome): void {
    this.replies.set(ask.requestId, reply);
    if (reply === 'expired') this.tell(expiredWords(ask));
    if (reply !== 'changed') return;
    const undo = this.clock.after(REPLACEMENT_WAIT, () => {
      this.stale.delete(ask.requestId);
      this.replies.set(ask.requestId, reply);
      this.onChange();
    });
    this.stale.set(ask.requestId, { ask, undo });
  }

  isStale(requestId: string): boolean {
    return this.stale.has(requestId);
  }

  /**
   * Returns the pending requests and the stale ones; drops stale ones that a pending one replaces.
   */
  withStale(pending: readonly ToolPermissionRequest[]): readonly ToolPermissionRequest[] {
    for (const { replaces } of pending) if (replaces !== undefined) this.drop(replaces);
    return [...[...this.stale.values()].map(({ ask }) => ask), ...pending];
  }

  /** Why a request ended, for the person who has it open; undefined if a notice said so already. */
  endReason(requestId: string): string | undefined {
    const reply = this.replies.get(requestId);
    if (reply === 'expired') return undefined;
    if (reply === 'cancelled') return t('ask.callCancelled');
    const changed = t('ask.noteChangedNotAsked');
    return reply === 'changed' ? changed : t('ask.answeredElsewhere');
  }

  /** Called when everyone who needed the reasons has read them. */
  clearReasons(): void {
    this.replies.clear();
  }

  close(): void {
    for (const { undo } of this.stale.values()) undo();
    this.stale.clear();
  }

  private drop(requestId: string): void {
    this.stale.get(requestId)?.undo();
    this.stale.delete(requestId);
  }
}

function expiredWords(ask: ToolPermissionRequest): string {
  const { short: what, object } = askText(ask);
  return t('ask.denied', { what, object });
}

/** ms within which equal notices about one session are shown once. */
export const SAME_NOTICE_WINDOW = 1_000;

/**
 * The commands for requests. They open the dialog; none of them answers a request unseen.
 * @param needsMine whether a task or a run waits for the person
 * @param showNext opens the sidebar at the next card of what needs the person
 */
export function askCommands(
  prompts: Pick<Prompts, 'needs' | 'review'>,
  needsMine: () => boolean,
  showNext: () => Promise<void>,
): readonly Command[] {
  const waiting = (fits: (need: AttentionItem) => boolean) => () => prompts.needs().find(fits);
  const permission = waiting(({ kind }) => kind !== 'question');
  const question = waiting(({ kind }) => kind === 'question');
  const open = (id: string, name: string, first: typeof permission, step?: 'deny'): Command => {
    const review = () => prompts.review(first()?.request.requestId, step);
    return conditionalCommand(id, name, () => first() !== undefined, review);
  };
  const some = () => needsMine() || prompts.needs().length > 0;
  return [
    conditionalCommand('needs-you-next', t('ask.goToNeeds'), some, showNext),
    open('permission-review', t('ask.reviewRequest'), permission),
    open('permission-allow-once', t('ask.allowRequest'), permission),
    open('permission-deny', t('ask.denyRequest'), permission, 'deny'),
    open('answer-question', t('ask.answerQuestion'), question),
  ];
}
