import { SuggestModal, type App, type Command } from 'obsidian';
import type { Board } from '../../core/board/task';
import type { Services } from '../app/services';
import type { Session } from '../../core/session/session';
import { canDo, hostTitle } from '../../core/session/session-host';
import type { Feature } from '../../protocol/handshake';
import type { SessionRuntime, StartOptions } from '../../core/session/bridge-runtime';
import { canContinueBoard } from '../board-view/shown-boards';
import { askForText, confirm, trapFocus, pick } from '../ui/dialog';
import { notify, tryOrNotify } from '../ui/notify';
import type { SessionHistory } from './session-history';
import { blockKey } from '../../core/session/transcript/transcript';
import type { Hit } from '../../core/session/store/search-sessions';
import type { Chooser } from '../board/task-commands';
import { conditionalCommand } from '../ui/menu';
import { faultText, t } from '../language/text';

/**
 * A person's actions on whole sessions: rename, search, delete, hide, continue their plan in
 * another one.
 */
export class SessionManagement {
  constructor(
    private readonly app: App,
    private readonly services: Pick<Services, 'sessions' | 'manager' | 'overview'>,
    private readonly runtime: SessionRuntime,
    private readonly connected: () => boolean,
    private readonly canStart: () => boolean,
    /** Opens a session's conversation, at a block if one is given. */
    private readonly show: (sessionId: string, blockKey?: string) => void,
  ) {}

  /** Whether a plan can go on in a new session. */
  canContinue(board: Board): boolean {
    return canContinueBoard(board) && this.canStart();
  }

  search(): void {
    new SessionSearch(this.app, this.services.sessions, this.show).open();
  }

  /** Asks for a new title. OpenCode gets it now, or with the next connection. */
  async rename(sessionId?: string): Promise<void> {
    const session = await this.choose('rename', sessionId);
    if (session === undefined) return;
    const given = await askForText(this.app, {
      title: t('session.renameSession'),
      placeholder: t('session.title'),
      yes: t('session.rename'),
      initial: session.title,
    });
    const title = given?.replace(/\s+/g, ' ').trim() ?? '';
    if (title === '' || title === session.title) return;
    if (this.isReachable(session)) {
      const renamed = this.runtime.rename(session.id, title);
      if (!(await tryOrNotify(notify, t('session.theSessionWasNotRenamed'), renamed))) return;
    }
    await this.services.sessions.sessionStore.rename(session.id, title, this.isReachable(session));
    notify(t('session.renamedToTitle', { title }));
  }

  /** Asks for confirmation, then deletes a session here and in OpenCode; its boards stay. */
  async remove(sessionId?: string): Promise<void> {
    const session = await this.choose('remove', sessionId);
    if (session === undefined) return;
    const host = session.host ? hostTitle(session.host, session.agent) : 'OpenCode';
    const yes = await confirm(this.app, {
      title: t('session.deleteQuestion', { session: titleOf(session) }),
      text: t(this.connected() ? 'session.deletedThereToo' : 'session.staysThere', { host }),
      yes: t('session.deleteButton'),
    });
    if (!yes) return;
    if (this.isReachable(session)) {
      const removed = this.runtime.remove(session.id);
      if (!(await tryOrNotify(notify, t('session.theSessionWasNotDeleted'), removed))) return;
    }
    await this.services.sessions.remove(session.id);
    notify(t('session.deleted', { session: titleOf(session) }));
  }

  /** Starts a session that continues the open tasks of a plan, and shows it. */
  async continuePlan(board: Board): Promise<void> {
    const agent = this.services.sessions.list().find(({ id }) => id === board.session)?.agent;
    const continueInNew = async (): Promise<void> => {
      const { sessionId, tasks } = await this.moveToNew(board, agent ? { agent } : {});
      notify(t('session.goesOnHere', { tasks: t('common.tasks', { count: tasks }) }));
      this.show(sessionId);
    };
    await tryOrNotify(notify, t('session.notContinued'), continueInNew());
  }

  /**
   * Starts a session, and moves the open tasks of a plan there. Rejects if either fails.
   * @param successor the agent that owns the new board; if absent, the agent that owns the old one
   */
  async moveToNew(
    board: Board,
    options: Pick<StartOptions, 'agent' | 'model' | 'bridge'>,
    successor?: string,
  ) {
    const { services, runtime } = this;
    const { sessionId } = await runtime.start({ title: board.title, ...options });
    const { successions } = services.manager.now;
    const done = await successions.continueIn(board.path, sessionId, successor);
    if (done.ok) return { sessionId, tasks: done.tasks };
    // If the old plan is closed already, the next start completes the move and needs the session.
    const closed = this.boards.some((one) => one.continued === sessionId);
    if (!closed) await runtime.remove(sessionId);
    throw new Error(faultText(done));
  }

  /** Sessions whose boards are hidden (`shelved`), or those whose boards are shown. */
  sessionsWithBoards(hidden: boolean): readonly { readonly id: string; readonly title: string }[] {
    const sessions = new Map<string, string>();
    for (const board of this.boards) {
      const fits = board.broken === null && (board.shelved === true) === hidden;
      if (fits && !sessions.has(board.session)) sessions.set(board.session, board.title);
    }
    return [...sessions].map(([id, title]) => ({ id, title }));
  }

  /** Hides all boards of a session, or shows them again; asks which session if none is given. */
  async setHidden(hidden: boolean, sessionId?: string): Promise<void> {
    const choices = this.sessionsWithBoards(!hidden).map(({ id, title }) => ({
      text: title === '' ? id : title,
      value: id,
    }));
    const id = sessionId ?? (await pick(this.app, choices, t('conversation.chooseASession'), true));
    const own = this.boards.filter((one) => one.session === id && one.broken === null);
    for (const { path } of own) {
      const done = await this.services.manager.now.setHidden(path, hidden);
      if (!done.ok) return void notify(t('session.leftAsItIs', { path, message: faultText(done) }));
    }
    if (own.length === 0) return;
    notify(hidden ? t('session.archived') : t('session.restored'));
  }

  private get boards(): readonly Board[] {
    return this.services.overview.state.boards;
  }

  private isReachable({ state }: Session): boolean {
    return state.kind !== 'ended' && this.connected();
  }

  private choose(feature: Feature, sessionId: string | undefined): Promise<Session | undefined> {
    const { sessions: history } = this.services;
    const given = history.list().find((one) => one.id === sessionId && canDo(one, feature));
    if (given !== undefined) return Promise.resolve(given);
    const sessions = history.distinct().filter((session) => canDo(session, feature));
    const choices = sessions.map((value) => ({ text: titleOf(value), value })).reverse();
    return pick(this.app, choices, t('conversation.chooseASession'), true);
  }
}

function titleOf({ id, title }: Session): string {
  return title === '' ? id : title;
}

/** Searches the text of all sessions as the person types, and opens the chosen hit. */
class SessionSearch extends SuggestModal<Hit> {
  private searches = 0;

  constructor(
    app: App,
    private readonly sessions: Pick<SessionHistory, 'search'>,
    private readonly show: (sessionId: string, blockKey?: string) => void,
  ) {
    super(app);
    trapFocus(this);
    this.setPlaceholder(t('session.searchInAllSessions'));
    this.emptyStateText = t('session.noSessionContainsTheseWords');
  }

  /** A search returns nothing once a newer one has started. */
  override async getSuggestions(text: string): Promise<Hit[]> {
    const own = ++this.searches;
    return [...(await this.sessions.search(text, () => own !== this.searches))];
  }

  override renderSuggestion({ title, block, excerpt }: Hit, element: HTMLElement): void {
    element.createDiv({ text: block === undefined ? title : excerpt });
    if (block !== undefined) element.createEl('small', { cls: 'atb-quiet', text: title });
  }

  override onChooseSuggestion({ sessionId, block }: Hit): void {
    this.show(sessionId, block && blockKey(block));
  }
}

/** The commands about sessions as a whole. */
export function sessionCommands(
  keeping: SessionManagement,
  choose: Chooser,
  hasSessions: () => boolean,
): readonly Command[] {
  const continuable = (): readonly Board[] =>
    choose.writable().filter((board) => keeping.canContinue(board));
  const goOn = async (): Promise<void> => {
    const board = await choose.board(continuable());
    if (board !== undefined) await keeping.continuePlan(board);
  };
  const archive = () => keeping.setHidden(true);
  const restore = () => keeping.setHidden(false);
  const hasBoards = (shelved: boolean) => () => keeping.sessionsWithBoards(shelved).length > 0;
  return [
    conditionalCommand(
      'search-sessions',
      t('session.searchInAllSessionsCommand'),
      hasSessions,
      () => keeping.search(),
    ),
    conditionalCommand('rename-session', t('app.renameSession'), hasSessions, () =>
      keeping.rename(),
    ),
    conditionalCommand('delete-session', t('app.deleteSession'), hasSessions, () =>
      keeping.remove(),
    ),
    conditionalCommand('archive-session', t('session.archiveSession'), hasBoards(false), archive),
    conditionalCommand(
      'restore-session',
      t('session.restoreArchivedSession'),
      hasBoards(true),
      restore,
    ),
    conditionalCommand(
      'continue-plan',
      t('session.continuePlanInANewSession'),
      () => continuable().length > 0,
      goOn,
    ),
  ];
}
