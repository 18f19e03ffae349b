import { shortened } from '../../core/board/find-task';
import { plainLine, progressOf } from '../ui/text';
import type { SessionEvent, SessionEventBus } from '../../core/session/session-event-bus';
import {
  itemSession,
  itemShort,
  itemTitle,
  personTasks,
  type AttentionItem,
  type AttentionSource,
  type PersonTask,
} from '../model/attention';
import type { Overview, OverviewState } from '../model/overview';
import { notify, type NoticeButton, type Notify } from '../ui/notify';
import type { Plugin, View } from 'obsidian';
import { isViewVisible } from '../ui/open-view';
import type { Undo } from '../../core/ports';
import { CONVERSATION_VIEW, ConversationView } from '../conversation/conversation-view';
import type { CoreServices } from '../app/core-services';
import type { Services } from '../app/services';
import { isSidebarVisible } from '../app/views';
import { SystemNotices } from './system-notices';
import { t } from '../language/text';

interface SessionNoticesDeps {
  readonly state: () => OverviewState;
  readonly settings: () => { readonly notices: boolean; readonly systemNotices: boolean };
  /** Whether a view shows the session now: the sidebar or its conversation. */
  readonly isShown: (sessionId: string) => boolean;
  /** Whether an active run controls the session, and so reports the results of its turns. */
  readonly isRunControlled: (sessionId: string) => boolean;
  /** Whether the window has the focus. */
  readonly focused: () => boolean;
  readonly notify: Notify;
  readonly system: Pick<SystemNotices, 'show' | 'keep' | 'close'>;
  readonly review: (requestId: string) => void;
  readonly openSession: (sessionId: string) => void;
  /** Opens a task of the person's where they can do, approve or review it. */
  readonly openTask: (mine: PersonTask) => void;
}

/** Maximum characters of a title in a notice. */
const MAX_TITLE = 80;

/** Notifies the person of what needs them or is finished, unless a view shows it; once each. */
export class SessionNotices {
  /** the unanswered requests of agents */
  private needs: Pick<AttentionSource, 'needs'> = { needs: () => [] };
  /** keys of known tasks; undefined until the boards were read: what waits by then is not news */
  private knownTasks: Set<string> | undefined;
  private readonly turns = new Set<string>();

  constructor(private readonly deps: SessionNoticesDeps) {}

  /** Starts listening. */
  follow(
    overview: Pick<Overview, 'onChange'>,
    bus: Pick<SessionEventBus, 'onAll'>,
    needs: AttentionSource,
  ): Undo {
    this.needs = needs;
    const undos = [
      overview.onChange(() => this.update()),
      needs.onChange(() => this.closeAnswered(personTasks(this.deps.state()))),
      bus.onAll((event) => this.onEvent(event)),
      () => this.deps.system.close(),
    ];
    return () => undos.forEach((undo) => undo());
  }

  /**
   * Notifies of a new request.
   * @param held its dialog does not open by itself now
   */
  notifyRequest(need: AttentionItem, held: boolean): void {
    const id = itemSession(need);
    const { requestId } = need.request;
    const title = id === undefined ? shortTitle(itemTitle(need)) : this.title(id);
    const text = t('session.titleNeedsYouNeed', { title, need: itemShort(need) });
    const button = { label: t('session.review'), onClick: () => this.deps.review(requestId) };
    this.show({ key: requestKey(need), waits: true, sessionId: id, text, button }, held);
  }

  /** Called when boards or sessions changed: notifies of new tasks that wait for the person. */
  update(): void {
    const state = this.deps.state();
    if (!state.loaded) return;
    const mine = personTasks(state);
    this.closeAnswered(mine);
    const keys = mine.map(taskKey);
    const before = this.knownTasks;
    this.knownTasks = new Set(keys);
    if (before === undefined) return;
    mine.forEach(({ board, task, title, why }, at) => {
      const key = keys[at] ?? '';
      if (before.has(key)) return;
      const names = { title: shortTitle(title), need: shortTitle(task.title) };
      const text = t('session.titleNeedsYouNeed', names);
      const label = why === 'review' ? t('session.review') : t('session.open');
      const button = { label, onClick: () => this.openTask(key) };
      this.show({ key, waits: true, sessionId: board.session, text, button });
    });
  }

  /** The notice may be older than the last change of its board. */
  private openTask(key: string): void {
    const task = personTasks(this.deps.state()).find((one) => taskKey(one) === key);
    if (task !== undefined) this.deps.openTask(task);
  }

  /** Closes the system notices of requests that were answered, here or elsewhere. */
  private closeAnswered(mine: readonly PersonTask[]): void {
    const runs = this.deps.state().runs.filter(({ waits }) => waits);
    const waiting = [
      ...this.needs.needs().map(requestKey),
      ...mine.map(taskKey),
      ...runs.map(({ id }) => runKey(id)),
    ];
    this.deps.system.keep(new Set(waiting));
  }

  /**
   * Notifies of a turn that ended without an interruption, unless the session continues by itself.
   */
  onEvent(event: SessionEvent): void {
    if (event.type !== 'turn.end' || event.payload.reason === 'interrupted') return;
    const { sessionId, payload } = event;
    const state = this.deps.state();
    if (this.deps.isRunControlled(sessionId)) return;
    const session = state.sessions.find(({ id }) => id === sessionId);
    const turn = `${sessionId} ${payload.messageId}`;
    if (session?.parentId !== null || this.turns.has(turn)) return;
    this.turns.add(turn);
    if (state.continues.get(sessionId)?.kind === 'waiting') return;
    const text = this.turnWords(sessionId, payload.reason === 'error');
    this.show({ key: `turn ${sessionId}`, waits: false, ...this.openTarget(sessionId), text });
  }

  /**
   * Notifies of a run.
   * @param shown the run's panel shows it already
   */
  run(
    id: string,
    told: Pick<NoticeDetails, 'text' | 'brief' | 'button' | 'waits'>,
    shown: boolean,
  ): void {
    this.show({ key: runKey(id), sessionId: undefined, ...told }, !shown);
  }

  private show(details: NoticeDetails, inApp = true): void {
    const { key, waits, sessionId, text, brief = text, button } = details;
    const { settings, isShown: shown, focused, notify, system } = this.deps;
    const { notices, systemNotices } = settings();
    if (!notices) return;
    const outside = { key, waits, text: brief, onClick: button.onClick };
    if (systemNotices && !focused() && system.show(outside)) return;
    if (inApp && (sessionId === undefined || !shown(sessionId))) notify(text, button);
  }

  private openTarget(sessionId: string): Pick<NoticeDetails, 'sessionId' | 'button'> {
    const button = { label: t('session.open'), onClick: () => this.deps.openSession(sessionId) };
    return { sessionId, button };
  }

  private title(sessionId: string): string {
    const { sessions, boards } = this.deps.state();
    const title = sessions.find(({ id }) => id === sessionId)?.title;
    const found = title || boards.find(({ session }) => session === sessionId)?.title;
    return shortTitle(found || sessionId);
  }

  private turnWords(sessionId: string, failed: boolean): string {
    const session = this.title(sessionId);
    if (failed) return t('session.turnFailed', { session });
    const boards = this.deps.state().boards.filter((board) => board.session === sessionId);
    const { done, total } = progressOf(boards);
    return total === 0
      ? t('session.finished', { session })
      : t('session.finishedWith', { session, done, total });
  }
}

interface NoticeDetails {
  /** with `waits` as in `SystemNotice` */
  readonly key: string;
  readonly waits: boolean;
  /** undefined if the session is unknown */
  readonly sessionId: string | undefined;
  readonly text: string;
  /** for the system, which shows it to anyone: without words of agents, commands or errors */
  readonly brief?: string;
  readonly button: NoticeButton;
}

function shortTitle(title: string): string {
  return shortened(plainLine(title), MAX_TITLE);
}

function requestKey({ request }: AttentionItem): string {
  return `request ${request.requestId}`;
}

/** By title if the task has no id: its line changes with every line above it. */
function taskKey({ board, task }: PersonTask): string {
  return `task ${board.path}#${task.id ?? task.title}`;
}

function runKey(id: string): string {
  return `run ${id}`;
}

/** Creates `SessionNotices` with the app's functions. */
export function makeNotices(
  plugin: Plugin,
  { settings }: Pick<CoreServices, 'settings'>,
  { overview, runs }: Pick<Services, 'overview' | 'runs'>,
  actions: Pick<SessionNoticesDeps, 'review' | 'openSession' | 'openTask'>,
): SessionNotices {
  return new SessionNotices({
    ...actions,
    state: () => overview.state,
    settings: () => settings.current,
    isShown: (sessionId) => !activeDocument.hidden && isSessionVisible(plugin, sessionId),
    isRunControlled: (sessionId) => runs.runs.usesSession(sessionId),
    focused: () => activeDocument.hasFocus(),
    notify,
    system: new SystemNotices(),
  });
}

function isSessionVisible({ app }: Plugin, sessionId: string): boolean {
  if (isSidebarVisible(app)) return true;
  const fits = (view: View) => view instanceof ConversationView && view.sessionId === sessionId;
  return isViewVisible(app, CONVERSATION_VIEW, fits);
}
