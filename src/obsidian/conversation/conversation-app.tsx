import type { Ref } from 'preact';
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TokenUse, Transcript } from '../../core/session/transcript/transcript';
import { needSession, type Need } from '../ask/need';
import { OwnAskCards } from './own-ask-cards';
import { useOverview } from '../part/use-overview';
import type { NeedsSource } from '../sidebar/needs-you';
import { Composer } from './composer';
import { ContinueLine } from './continue-line';
import { ConversationBar } from './conversation-bar';
import type { ConversationDeps } from './conversation-deps';
import { conversationMeans } from './conversation-means';
import { conversationTitle } from './conversation-title';
import { FindBar } from './find-bar';
import { MarkdownMeansContext } from './markdown/markdown';
import { TranscriptList, type ListHandle } from './transcript-list';
import { turnNews } from './turn-news';

/** What keys and commands want of a conversation. */
export interface ConversationHandle {
  find(): void;
  stop(): void;
  /** brings a block into sight */
  goTo(blockKey: string): void;
}

/** One session: what was said and done in it, and what the person says next. */
export function ConversationApp(props: {
  readonly sessionId: string;
  readonly deps: ConversationDeps;
  readonly handle: Ref<ConversationHandle>;
}) {
  const { sessionId, deps } = props;
  const state = useOverview(deps.overview);
  const means = useMemo(() => conversationMeans(deps, sessionId), [deps, sessionId]);
  const needs = useNeeds(deps.needs, sessionId);
  const pending = usePending(needs);
  /** how often the find bar was asked for since it was shown; 0: it is not */
  const [finding, setFinding] = useState(0);
  const list = useRef<ListHandle>(null);
  const { session, boards, title, agent } = conversationTitle(state, sessionId);
  const { facts, onTranscript } = useFacts((told) => deps.announce(`${agent} ${told}`));
  useImperativeHandle(props.handle, () => ({
    find: () => setFinding((asked) => asked + 1),
    stop: () => void means.stop(),
    goTo: (key) => list.current?.find(key),
  }));
  const online = state.connection.kind === 'connected';
  const running = session?.state.kind === 'busy' || session?.state.kind === 'retry';
  const links = useMemo(
    () => ({ openNote: deps.openNote, images: () => deps.settings().remoteImages }),
    [deps],
  );
  return (
    <MarkdownMeansContext.Provider value={links}>
      <ConversationBar
        {...{ title, session, boards, online, asks: state.asks }}
        today={deps.today()}
        turn={facts.turns + (running ? 1 : 0)}
        onStop={() => void means.stop()}
      />
      {finding > 0 && (
        <FindBar
          source={deps.transcripts}
          frames={deps.frames}
          sessionId={sessionId}
          asked={finding}
          onFind={(key) => list.current?.find(key)}
          onLoadOlder={() => void means.loadOlder()}
          onClose={() => {
            setFinding(0);
            list.current?.find(undefined);
            list.current?.focus();
          }}
        />
      )}
      <TranscriptList
        {...{ sessionId, agent, pending, online, onTranscript }}
        source={deps.transcripts}
        frames={deps.frames}
        name={title}
        means={means.blocks}
        handle={list}
      />
      <OwnAskCards needs={needs} means={means.blocks} />
      <ContinueLine
        state={deps.overview.autoContinue(sessionId)}
        onContinue={() => deps.continues.continueNow(sessionId)}
        onStop={() => deps.continues.stop(sessionId)}
      />
      <Composer
        key={sessionId}
        {...{ sessionId, agent, online }}
        ended={online && (session?.state.kind ?? 'ended') === 'ended'}
        tokens={facts.tokens}
        means={means.composer}
        onLeave={() => list.current?.focus()}
        onSent={() => list.current?.toEnd()}
      />
    </MarkdownMeansContext.Provider>
  );
}

/** What of the session still waits for the person. */
function useNeeds(source: NeedsSource, sessionId: string): readonly Need[] {
  const [needs, setNeeds] = useState(() => source.needs());
  useLayoutEffect(() => {
    setNeeds(source.needs());
    return source.onChange(() => setNeeds(source.needs()));
  }, [source]);
  return useMemo(() => needs.filter((need) => needSession(need) === sessionId), [needs, sessionId]);
}

/** Ids of the requests; the same set while they are the same. */
function usePending(needs: readonly Need[]): ReadonlySet<string> {
  const ids = needs.map((need) => need.request.requestId);
  return useMemo(() => new Set(ids), [ids.join('\n')]);
}

/** What bar and composer show of a transcript: drawn again only when that changed. */
function useFacts(tell: (sentence: string) => void): {
  readonly facts: { readonly turns: number; readonly tokens: TokenUse | undefined };
  readonly onTranscript: (transcript: Transcript) => void;
} {
  const [facts, setFacts] = useState<{ turns: number; tokens: TokenUse | undefined }>({
    turns: 0,
    tokens: undefined,
  });
  const before = useRef<Transcript | undefined>(undefined);
  const telling = useRef(tell);
  telling.current = tell;
  const onTranscript = useMemo(
    () => (transcript: Transcript) => {
      const news = turnNews(before.current, transcript);
      before.current = transcript;
      if (news !== undefined) telling.current(news);
      const turns = transcript.blocks.filter(({ kind }) => kind === 'turn').length;
      const { tokens } = transcript;
      setFacts((now) => (now.turns === turns && now.tokens === tokens ? now : { turns, tokens }));
    },
    [],
  );
  return { facts, onTranscript };
}
