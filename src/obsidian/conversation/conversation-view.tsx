import { MarkdownView, Scope, type App, type WorkspaceLeaf } from 'obsidian';
import type { Ref } from 'preact';
import { followTitle, PreactViewWithActions } from '../ui/preact-view';
import type { ViewWithActions, ViewActions } from '../ui/view-actions';
import { Button, useAccessibleName } from '../ui/icon';
import { useImperativeHandle, useMemo, useRef, useState } from 'preact/hooks';
import type { Transcript } from '../../core/session/transcript/transcript';
import { itemSession, useAttention, type AttentionItem } from '../model/attention';
import { contextUse } from '../../core/context/context-use';
import { OwnAskCards } from './ask-block';
import { useOverview, type OverviewState } from '../model/overview';
import { Composer } from './composer';
import { conversationActions, type ConversationDeps } from './conversation-actions';
import { ContinueLine } from '../session/auto-continue';
import { FindBar } from './find-bar';
import { MarkdownContext } from './markdown/markdown';
import { SuggestedContext, type SuggestedTasks } from './suggested-tasks';
import { TranscriptList, type ListHandle } from './transcript-list';
import { plainLine, progressOf } from '../ui/text';
import type { Board } from '../../core/board/task';
import type { ToolPermissionRequest } from '../../core/permission/ask';
import type { Session } from '../../core/session/session';
import { canDo, unsupportedReason } from '../../core/session/session-host';
import { ProgressBar, stateLine, StateView, type StateLine } from '../session/state-line';
import { t, translated } from '../language/text';

export const CONVERSATION_VIEW = 'agent-task-boards-conversation';

/** A tab with one session's conversation; several may be open. */
export class ConversationView extends PreactViewWithActions<ConversationHandle> {
  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: ConversationDeps,
  ) {
    super(leaf, {
      type: CONVERSATION_VIEW,
      icon: 'messages-square',
      class: 'atb-conversation',
      stateKey: 'session',
    });
    this.scope = new Scope(this.app.scope);
  }

  get sessionId(): string {
    return this.shownId;
  }

  /** Scrolls to a block in the frame after the next, when restored blocks are drawn. */
  goTo(blockKey: string): void {
    const frame = (run: () => void) => window.requestAnimationFrame(run);
    frame(() => frame(() => this.handle.current?.goTo(blockKey)));
  }

  override getDisplayText(): string {
    return conversationTitle(this.deps.overview.state, this.shownId).title;
  }

  override onOpen(): Promise<void> {
    const plan = () => this.deps.openPlan(this.shownId);
    this.addAction('list-checks', t('boardView.openPlanAsNote'), plan);
    this.addAction('search', t('conversation.findInThisConversation'), () =>
      this.handle.current?.find(),
    );
    for (const [name, act] of [
      ['f', 'find'],
      ['.', 'stop'],
    ] as const) {
      this.scope?.register(['Mod'], name, () => {
        this.handle.current?.[act]();
        return false;
      });
    }
    followTitle(this, this.deps.overview);
    return super.onOpen();
  }

  protected override content() {
    const { shownId: sessionId, deps, handle } = this;
    if (sessionId === '') return null;
    return <ConversationApp key={sessionId} {...{ sessionId, deps, handle }} />;
  }
}

/** What keys and commands can do with a conversation. */
interface ConversationHandle extends ViewWithActions {
  find(): void;
  stop(): void;
  /** scrolls to a block */
  goTo(blockKey: string): void;
}

/** A session's transcript, with the composer for the next prompt below it. */
function ConversationApp(props: {
  readonly sessionId: string;
  readonly deps: ConversationDeps;
  readonly handle: Ref<ConversationHandle>;
}) {
  const { sessionId, deps } = props;
  const { transcripts: source, frames, continues } = deps;
  const state = useOverview(deps.overview);
  const actions = useMemo(() => conversationActions(deps, sessionId), [deps, sessionId]);
  const suggested = useMemo(() => deps.suggestedIn(sessionId), [deps, sessionId]);
  const needs = useSessionAttention(deps, sessionId);
  const pending = usePending(needs);
  /** how often the find bar was requested since it opened; 0: closed */
  const [findRequests, setFindRequests] = useState(0);
  const [words, setWords] = useState('');
  const list = useRef<ListHandle>(null);
  const { session, boards, title, agent } = conversationTitle(state, sessionId);
  const { turns, use, onTranscript } = useTranscriptFacts(agent, deps);
  const online = state.connection.kind === 'connected';
  const running = session?.state.kind === 'busy' || session?.state.kind === 'retry';
  const closed = online ? closedReason(session) : undefined;
  const composer = useRef<ViewWithActions>(null);
  useConversationHandle(props.handle, {
    find: () => setFindRequests((asked) => asked + 1),
    stop: actions.stop,
    goTo: (key) => list.current?.find(key),
    acts: () => ({
      ...transcriptActs(source.get(sessionId), actions, online, !running && closed === undefined),
      ...composer.current?.acts,
      ...offerActs(suggested, list.current),
    }),
  });
  const { openNote, copy } = deps;
  const images = () => deps.settings().remoteImages;
  const links = useMemo(() => ({ openNote, images, copy }), [deps]);
  return (
    <MarkdownContext.Provider value={links}>
      <ConversationBar
        {...{ title, session, boards, online, asks: state.asks }}
        today={deps.today()}
        turn={turns + (running ? 1 : 0)}
        onStop={actions.stop}
      />
      {findRequests > 0 && (
        <FindBar
          {...{ source, frames, sessionId, online, requestCount: findRequests, onWords: setWords }}
          onFind={(key) => list.current?.find(key)}
          onLoadOlder={actions.loadOlder}
          onClose={() => {
            setFindRequests(0);
            setWords('');
            list.current?.find(undefined);
            list.current?.focus();
          }}
        />
      )}
      <SuggestedContext.Provider value={suggested}>
        <TranscriptList
          {...{ source, frames, sessionId, agent, pending, online, onTranscript }}
          {...{ name: title, finding: words, actions: actions.blocks, handle: list }}
        />
      </SuggestedContext.Provider>
      <OwnAskCards needs={needs} actions={actions.blocks} />
      <ContinueLine
        state={deps.overview.autoContinue(sessionId)}
        onContinue={() => continues.continueNow(sessionId)}
        onStop={() => continues.stop(sessionId)}
      />
      <Composer
        key={sessionId}
        {...{ sessionId, agent, online, use, actions: actions.composer }}
        closed={closed}
        handle={composer}
        {...abilities(session)}
        onLeave={() => list.current?.focus()}
        onSent={() => list.current?.toEnd()}
      />
    </MarkdownContext.Provider>
  );
}

/** Whether agent and model can be chosen and notes sent along; true if the session is unknown. */
function abilities(session: Session | undefined) {
  const can = (what: 'catalog' | 'notes') => session === undefined || canDo(session, what);
  return { choices: can('catalog'), notes: can('notes') };
}

/** Requests of a session that wait for the person. */
function useSessionAttention(deps: ConversationDeps, sessionId: string) {
  const all = useAttention(deps.needs);
  return useMemo(() => all.filter((one) => itemSession(one) === sessionId), [all, sessionId]);
}

/** Exposes the actions of a conversation to keys and commands. */
function useConversationHandle(
  ref: Ref<ConversationHandle>,
  { acts, ...does }: Omit<ConversationHandle, 'acts'> & { readonly acts: () => ViewActions },
): void {
  useImperativeHandle(ref, () => ({
    ...does,
    get acts(): ViewActions {
      return { 'find-in-conversation': does.find, ...acts() };
    },
  }));
}

/** @param isIdle whether the session takes prompts when connected, and no turn runs */
function transcriptActs(
  { blocks, older }: Transcript,
  actions: ReturnType<typeof conversationActions>,
  online: boolean,
  isIdle: boolean,
): ViewActions {
  const hasPrompt = blocks.some(({ kind }) => kind === 'prompt');
  return {
    ...(older && online && { 'load-older': actions.loadOlder }),
    ...(hasPrompt && online && isIdle && { 'retry-message': actions.blocks.tryAgain }),
  };
}

/** Actions on the suggested tasks of the focused message, else of the last drawn one with some. */
function offerActs({ offers }: SuggestedTasks, list: ListHandle | null): ViewActions {
  const offer = offers.get(list?.lastOf(offers) ?? '');
  return offer === undefined
    ? {}
    : { 'add-from-message': offer.add, 'dismiss-from-message': offer.dismiss };
}

/** Why a session takes no prompts; for use while connected to OpenCode or another agent. */
function closedReason(session: Session | undefined): string | undefined {
  if (session === undefined || session.state.kind === 'ended')
    return t('conversation.sessionEnded');
  const why = unsupportedReason(session, 'prompt');
  return why && translated(why);
}

/** Ids of the requests; the same set for as long as they don't change. */
function usePending(needs: readonly AttentionItem[]): ReadonlySet<string> {
  const ids = needs.map((need) => need.request.requestId);
  return useMemo(() => new Set(ids), [ids.join('\n')]);
}

const NO_FACTS = { turns: 0, use: contextUse({ blocks: [] }) };

/** What bar and composer show of a transcript; redrawn only when that changed. */
function useTranscriptFacts(
  agent: string,
  deps: Pick<ConversationDeps, 'announce' | 'compacting'>,
) {
  const [facts, setFacts] = useState(NO_FACTS);
  const before = useRef<Transcript | undefined>(undefined);
  const latest = useRef({ agent, ...deps });
  latest.current = { agent, ...deps };
  const onTranscript = useMemo(
    () => (transcript: Transcript) => {
      const { announce, compacting, agent } = latest.current;
      const news = turnEndAnnouncement(before.current, transcript, agent);
      const was = before.current;
      before.current = transcript;
      if (news !== undefined) announce(news);
      // A growing text fills the context too; its tokens are counted once the answer is complete.
      const grew = was?.blocks.length === transcript.blocks.length;
      const same = grew && was.tokens === transcript.tokens;
      const turns = transcript.blocks.filter(({ kind }) => kind === 'turn').length;
      if (!same) setFacts({ turns, use: compacting.use(transcript) });
    },
    [],
  );
  return { ...facts, onTranscript };
}

/** The bar above a conversation: state of the session, turn, progress of the plan, and Stop. */
function ConversationBar(props: {
  readonly title: string;
  readonly session: Session | undefined;
  readonly boards: readonly Board[];
  /** requests of the plugin's own tools */
  readonly asks: readonly ToolPermissionRequest[];
  readonly online: boolean;
  readonly today: string;
  /** number of the turn, from 1; 0: none yet */
  readonly turn: number;
  readonly onStop: () => void;
}) {
  const { session, boards, online } = props;
  const { done, total } = progressOf(boards);
  const runs = session?.state.kind === 'busy' || session?.state.kind === 'retry';
  const canStop = online && runs && canDo(session, 'interrupt');
  const [named, name] = useAccessibleName(props.title);
  return (
    <div class="atb-talk-bar" role="toolbar" {...named}>
      {name}
      <StateView line={shortStateLine(stateLine(session, boards, props))} />
      {props.turn > 0 && (
        <span class="atb-talk-turn">{t('conversation.turn', { turn: props.turn })}</span>
      )}
      <span class="atb-note-progress">
        {total > 0 && (
          <>
            {t('app.doneOf', { done, total })}
            <ProgressBar done={done} total={total} />
          </>
        )}
      </span>
      {canStop && (
        <Button
          class="atb-talk-stop"
          icon="square"
          words={t('conversation.stop')}
          onClick={props.onStop}
        />
      )}
    </div>
  );
}

/** Shortens the state line: requests and the current task are shown in full below. */
function shortStateLine({ icon, text, tone, until }: StateLine): StateLine {
  const words =
    tone === 'needs'
      ? t('conversation.waitsForYourAnswer')
      : icon === 'spinner'
        ? t('conversation.working')
        : text;
  return { icon, text: words, tone, ...(until !== undefined && { until }) };
}

/** Title, agent and session of a conversation; `session` is undefined if no agent has it now. */
export function conversationTitle(
  state: Pick<OverviewState, 'sessions' | 'boards'>,
  sessionId: string,
) {
  const session = state.sessions.find(({ id }) => id === sessionId);
  const boards = state.boards.filter((board) => board.session === sessionId);
  const [board] = boards;
  return {
    session,
    boards,
    title: plainLine(session?.title || board?.title || '') || t('conversation.conversation'),
    agent: session?.agent ?? board?.agent ?? t('conversation.theAgent'),
  };
}

/** Sentence that announces the end of a turn; undefined if none ended since `before`. */
export function turnEndAnnouncement(
  before: Transcript | undefined,
  now: Transcript,
  agent: string,
): string | undefined {
  const last = now.blocks.at(-1);
  if (before === undefined || before.blocks.length === 0 || last?.kind !== 'turn') return undefined;
  if (before.sessionId !== now.sessionId || before.blocks.some(({ id }) => id === last.id)) {
    return undefined;
  }
  if (last.reason !== 'completed') return t(`turnNews.${last.reason}`, { agent });
  const { changedTasks } = last;
  return changedTasks === 0
    ? t('turnNews.completed', { agent })
    : t('turnNews.changed', { agent, count: changedTasks });
}

/** Opens a session's conversation in the tab that already shows it, else in a new one. */
export async function openConversation({ workspace }: App, sessionId: string): Promise<void> {
  const leaves = workspace.getLeavesOfType(CONVERSATION_VIEW);
  const there = leaves.find((leaf) => leaf.getViewState().state?.['session'] === sessionId);
  const busy = leaves.length > 0 || workspace.getActiveViewOfType(MarkdownView) !== null;
  const leaf = there ?? workspace.getLeaf(busy ? 'tab' : false);
  if (there === undefined) {
    const state = { session: sessionId };
    await leaf.setViewState({ type: CONVERSATION_VIEW, active: true, state });
  }
  await workspace.revealLeaf(leaf);
  workspace.setActiveLeaf(leaf, { focus: true });
  leaf.view.containerEl.querySelector('textarea')?.focus();
}
