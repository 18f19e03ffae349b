import type { Board } from '../../core/board/task';
import { boardSummaryText } from '../../core/board/answer/board-lines';
import { resolveAgent } from '../../core/config/resolve-agent';
import { Compaction, MAX_FAILURES, type CompactionEvent } from '../../core/context/compaction';
import { contextUse, type ContextUse } from '../../core/context/context-use';
import type { Undo } from '../../core/ports';
import type { Session } from '../../core/session/session';
import { canDo, unsupportedReason } from '../../core/session/session-host';
import type { Transcript } from '../../core/session/transcript/transcript';
import type { Transcripts } from '../../core/session/transcript/transcripts';
import type { CoreServices } from '../app/core-services';
import type { ConfigSource } from '../config/config-source';
import { failureWords, notify, tryOrNotify } from '../ui/notify';
import { t, translated } from '../language/text';

/** Measures how full the contexts of sessions are, and compacts them. */
export class SessionCompaction {
  private readonly compaction: Compaction;
  private readonly undos: readonly Undo[];

  constructor(
    private readonly parts: CoreServices,
    transcripts: Pick<Transcripts, 'get'>,
    private readonly boards: () => readonly Board[],
    private readonly config: Pick<ConfigSource, 'read' | 'state'>,
  ) {
    const { bus, clock, connection, hooks, runtime, settings } = parts;
    this.compaction = new Compaction({
      ...{ bus, clock },
      compact: (sessionId) => runtime.compact(sessionId),
      canCompact: (sessionId) => this.whyNotCompact(sessionId) === undefined,
      contextUseOf: (sessionId, next) => this.use(transcripts.get(sessionId), next),
      compactsBeforePrompt: () => settings.current.compactAhead,
      onLost: (lost) => connection.onState(({ kind }) => kind !== 'connected' && lost()),
      onFull: (sessionId, share) => void hooks.run('on-context-full', { sessionId, share }),
      notify: (news) => this.notifyNews(news),
    });
    this.undos = [
      this.compaction.follow(),
      // Runs after the handlers that change the prompt's text, since its length counts. Runs
      // compact by their own rules.
      hooks.on(
        'pre-prompt',
        'compaction',
        ({ sessionId, text, byRun }) =>
          byRun ? undefined : this.compaction.beforePrompt(sessionId, text),
        { priority: 200, within: Infinity },
      ),
    ];
  }

  /** As `use`, after reading the files of the agent's instructions and skills again. */
  async currentUse(transcript: Transcript): Promise<ContextUse> {
    await this.config.read();
    return this.use(transcript);
  }

  /** Context use of a session, including its board's summary and its agent's files as last read. */
  readonly use = (transcript: Transcript, next = ''): ContextUse => {
    const board = this.boards().find(({ session }) => session === transcript.sessionId);
    const files = this.files(this.parts.sessions.get(transcript.sessionId)?.agent ?? board?.agent);
    return contextUse(transcript, {
      ...{ next, ...files },
      board: board && boardSummaryText(board, []),
    });
  };

  /** Why a session can't be compacted now, as a sentence; undefined if it can. */
  whyNotCompact(sessionId: string): string | undefined {
    const { connection, sessions } = this.parts;
    if (connection.state.kind !== 'connected') return t('conversation.compactNotConnected');
    const session = sessions.get(sessionId);
    if (session === undefined || session.state.kind === 'ended')
      return t('conversation.sessionEnded');
    const why = unsupportedReason(session, 'compact');
    if (why !== undefined) return translated(why);
    return isAtWork(session) ? t('conversation.waitForTheTurn') : undefined;
  }

  canCompact(session: Pick<Session, 'id' | 'host'>): boolean {
    return canDo(session, 'compact') && this.whyNotCompact(session.id) === undefined;
  }

  /** Compacts at the person's request, and shows a notice with the result. */
  async compactManually(sessionId: string): Promise<void> {
    const done = this.compaction.compact(sessionId);
    if (!(await tryOrNotify(notify, t('session.theSessionWasNotCompacted'), done))) return;
    notify(t('session.compacted', { session: this.title(sessionId) }));
  }

  close(): void {
    for (const undo of this.undos) undo();
  }

  private files(agent: string | null | undefined) {
    const { loaded } = this.config.state;
    const made = loaded && agent ? resolveAgent(loaded, agent) : undefined;
    if (loaded === undefined || made === undefined) return {};
    const texts = new Map(loaded.skills.map(({ name, content }) => [name, content]));
    const skills = made.skills.map(({ name, description = '', whole }) =>
      whole ? (texts.get(name) ?? '') : `${name}: ${description}`,
    );
    const instructions = made.instructions.map(({ text = '' }) => text);
    return { instructions: instructions.join('\n'), skills: skills.join('\n') };
  }

  private notifyNews(news: CompactionEvent): void {
    const session = this.title(news.sessionId);
    if (news.kind === 'begun') {
      const share = Math.round(news.share * 100);
      notify(t('session.compactsFirst', { session, share }));
    } else {
      const words = news.last
        ? t('session.notCompactedAgain', { session, times: MAX_FAILURES })
        : t('session.notCompactedFirst', { session });
      notify(failureWords(words, news.error));
    }
  }

  private title(sessionId: string): string {
    const title = this.parts.sessions.get(sessionId)?.title ?? '';
    return title === '' ? sessionId : title;
  }
}

function isAtWork({ state }: Pick<Session, 'state'>): boolean {
  return state.kind === 'busy' || state.kind === 'retry';
}
