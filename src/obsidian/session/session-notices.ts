import { progressOf } from '../ui/text';
import type { SessionEvent, SessionEventBus } from '../../core/session/session-event-bus';
import { itemSession, itemShort, itemTitle, mineOf, type AttentionItem } from '../model/attention';
import type { Overview, OverviewState } from '../model/overview';
import { notify, type NoticeButton, type Notify } from '../ui/notify';
import type { Plugin, View } from 'obsidian';
import { isSeen } from '../ui/open-view';
import type { Undo } from '../../core/ports';
import { CONVERSATION_VIEW, ConversationView } from '../conversation/conversation-view';
import type { CoreServices } from '../app/core-services';
import type { Services } from '../app/services';
import { sidebarShown } from '../app/views';

interface SessionNoticesDeps {
  readonly state: () => OverviewState;
  readonly settings: () => { readonly notices: boolean; readonly systemNotices: boolean };
  /** Whether the person can see the session now: in the sidebar or in its conversation. */
  readonly shown: (sessionId: string) => boolean;
  /** Whether a run that goes on works with the session, and tells what came of its turns. */
  readonly heldBy: (sessionId: string) => boolean;
  /** Whether the window has the focus. */
  readonly focused: () => boolean;
  readonly notify: Notify;
  /** Tells it through the system; `onClick` after the window was brought up. */
  readonly system: (text: string, onClick: () => void) => void;
  readonly review: (requestId: string) => void;
  readonly openSession: (sessionId: string) => void;
}

/** Tells what needs the person, or is done, where no view shows it; each thing once. */
export class SessionNotices {
  /** undefined until the boards were read: what waits already is no news */
  private known: Set<string> | undefined;
  private readonly turns = new Set<string>();

  constructor(private readonly deps: SessionNoticesDeps) {}

  /** Listens from now on. */
  follow(overview: Pick<Overview, 'onChange'>, bus: Pick<SessionEventBus, 'onAll'>): Undo {
    const undos = [overview.onChange(() => this.look()), bus.onAll((event) => this.heard(event))];
    return () => undos.forEach((undo) => undo());
  }

  /** A request that was not there before. @param held its dialog does not open by itself now */
  need(need: AttentionItem, held: boolean): void {
    const id = itemSession(need);
    const { requestId } = need.request;
    const title = id === undefined ? itemTitle(need) : this.title(id);
    const text = `${title} needs you: ${lower(itemShort(need))}.`;
    const button = { label: 'Review', onClick: () => this.deps.review(requestId) };
    this.tell(id, text, button, held);
  }

  /** Boards or sessions are others: are there new tasks of the person's own? */
  look(): void {
    const state = this.deps.state();
    if (!state.loaded) return;
    const mine = mineOf(state);
    const keys = mine.map(({ board, task }) => `${board.path}#${task.key}`);
    const before = this.known;
    this.known = new Set(keys);
    if (before === undefined) return;
    mine.forEach(({ board, task, title }, at) => {
      if (before.has(keys[at] ?? '')) return;
      this.tell(board.session, `${title} needs you: ${task.title}.`, this.open(board.session));
    });
  }

  /** A turn that ended by itself; where the session goes on there is nothing to tell. */
  heard(event: SessionEvent): void {
    if (event.type !== 'turn.end' || event.payload.reason === 'interrupted') return;
    const { sessionId, payload } = event;
    const state = this.deps.state();
    if (this.deps.heldBy(sessionId)) return;
    const session = state.sessions.find(({ id }) => id === sessionId);
    const turn = `${sessionId} ${payload.messageId}`;
    if (session?.parentId !== null || this.turns.has(turn)) return;
    this.turns.add(turn);
    if (state.continues.get(sessionId)?.kind === 'waiting') return;
    const words =
      payload.reason === 'error' ? 'stopped by an error' : `finished${this.done(sessionId)}`;
    this.tell(sessionId, `${this.title(sessionId)} ${words}.`, this.open(sessionId));
  }

  /** What a run tells; `shown`: its panel says it already. */
  run(text: string, button: NoticeButton, shown: boolean): void {
    this.tell(undefined, text, button, !shown);
  }

  private tell(
    sessionId: string | undefined,
    text: string,
    button: NoticeButton,
    inApp = true,
  ): void {
    const { settings, shown, focused, notify, system } = this.deps;
    const { notices, systemNotices } = settings();
    if (!notices) return;
    if (systemNotices && !focused()) system(text, button.onClick);
    else if (inApp && (sessionId === undefined || !shown(sessionId))) notify(text, button);
  }

  private open(sessionId: string): NoticeButton {
    return { label: 'Open', onClick: () => this.deps.openSession(sessionId) };
  }

  private title(sessionId: string): string {
    const { sessions, boards } = this.deps.state();
    const title = sessions.find(({ id }) => id === sessionId)?.title;
    return title || boards.find(({ session }) => session === sessionId)?.title || sessionId;
  }

  /** ", 3 of 12 tasks are done" */
  private done(sessionId: string): string {
    const boards = this.deps.state().boards.filter(({ session }) => session === sessionId);
    const { done, total } = progressOf(boards);
    return total === 0 ? '' : `, ${done} of ${total} tasks are done`;
  }
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** Notices of sessions, with the app's means. */
export function makeNotices(
  plugin: Plugin,
  { settings }: Pick<CoreServices, 'settings'>,
  { overview, runs }: Pick<Services, 'overview' | 'runs'>,
  go: Pick<SessionNoticesDeps, 'review' | 'openSession'>,
): SessionNotices {
  return new SessionNotices({
    ...go,
    state: () => overview.state,
    settings: () => settings.current,
    shown: (sessionId) => !activeDocument.hidden && isShown(plugin, sessionId),
    heldBy: (sessionId) => runs.runs.holds(sessionId),
    focused: () => activeDocument.hasFocus(),
    notify,
    system: systemNotice,
  });
}

function isShown({ app }: Plugin, sessionId: string): boolean {
  if (sidebarShown(app, false)) return true;
  const fits = (view: View) => view instanceof ConversationView && view.sessionId === sessionId;
  return isSeen(app, CONVERSATION_VIEW, fits);
}

/** Where the system shows none, or none may be shown, there is none. */
function systemNotice(text: string, onClick: () => void): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  const shown = new Notification('Agent tasks', { body: text });
  shown.addEventListener('click', () => {
    window.focus();
    onClick();
  });
}
