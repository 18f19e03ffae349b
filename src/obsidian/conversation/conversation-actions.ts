import type { App } from 'obsidian';
import type { SendOptions } from '../../core/session/bridge-runtime';
import { agentChoices } from '../config/agent-rows';
import type { ConfigSource } from '../config/config-source';
import type { CoreServices } from '../app/core-services';
import type { Services } from '../app/services';
import type { AskStep } from '../ask/ask-steps';
import type { Prompts } from '../ask/prompts';
import type { BoardWrites } from '../board/board-actions';
import { addSuggestedTasks } from '../board/add-suggested-tasks';
import { pick, type PickItem } from '../ui/dialog';
import { copyText, notify, tryOrNotify } from '../ui/notify';
import { leadsToNote } from '../ui/open-view';
import { toPromptContext } from '../../core/context/related-notes';
import type { ContextUse } from '../../core/context/context-use';
import {
  contextOf,
  promptOptions,
  type ContextChip,
  type PromptDraft,
  type PromptDrafts,
} from './drafts';
import type { FoundNotes, RelatedSource } from './related-source';
import { SuggestedTasks } from './suggested-tasks';
import { FrameQueue } from './use-transcript';
import { t } from '../language/text';

interface ConversationServices {
  readonly app: App;
  readonly parts: CoreServices;
  readonly services: Services;
  readonly prompts: Prompts;
  readonly drafts: PromptDrafts;
  readonly writes: BoardWrites;
  readonly openSession: (sessionId: string) => void;
  readonly openPlan: (sessionId: string) => void;
  /** Notes of the vault that match some words, the best first. */
  readonly notes: (words: string) => readonly string[];
  /** The note or selection that the person last worked in, outside the conversation. */
  readonly lastContext: () => ContextChip | undefined;
  readonly related: Pick<RelatedSource, 'find' | 'again'>;
}

/** What conversation views need of the plugin; all of them share it. */
export function conversationDeps(sources: ConversationServices) {
  const { app, parts, services, prompts, writes, ...own } = sources;
  const { overview, manager } = services;
  return {
    ...own,
    overview,
    transcripts: services.sessions.viewTranscripts,
    frames: new FrameQueue(),
    needs: prompts,
    runtime: parts.runtime,
    ids: parts.ids,
    /**
     * Whether prompts of a session are sent with a key, so that none is carried out twice. OpenCode
     * would have to look for it in all that is stored, and run no commands.
     */
    sendsKeys: (sessionId: string) =>
      (parts.sessions.get(sessionId)?.host?.engine.name ?? 'opencode') !== 'opencode',
    settings: () => parts.settings.current,
    today: () => parts.clock.today(),
    /** Tells screen readers that a turn is over. */
    announce: (sentence: string) => services.announcePolitely(sentence),
    review: (requestId: string, step?: AskStep) => prompts.review(requestId, step),
    allowOnce: (requestId: string) => prompts.allowOnce(requestId),
    openNote: (link: string, newTab: boolean): void => {
      if (leadsToNote(app, link, ''))
        void app.workspace.openLinkText(link, '', newTab ? 'tab' : false);
    },
    copy: (text: string): void => void copyText(text, notify),
    pick: (choices: readonly PickItem<string>[], words: string) => pick(app, choices, words, true),
    suggestedIn: (sessionId: string) =>
      new SuggestedTasks(
        {
          ...{ overview, storage: app },
          add: (to, found) => addSuggestedTasks({ app, manager: manager.now, writes }, to, found),
        },
        sessionId,
      ),
    compacting: services.compaction,
    config: services.config as Pick<ConfigSource, 'read'>,
    /** Turns that sessions start by themselves. */
    continues: services.continuation.auto,
  };
}

export type ConversationDeps = ReturnType<typeof conversationDeps>;

type Actions = ReturnType<typeof conversationActions>;

export type ComposerActions = Actions['composer'];

/** Actions of blocks; the same object for as long as the view shows one session. */
export type BlockActions = Actions['blocks'];

/** Actions on the requests of an agent. */
export type AskActions = Pick<BlockActions, 'review' | 'allowOnce' | 'connected'>;

/** Actions in one conversation. If one fails, it shows a notice and changes nothing. */
export function conversationActions(deps: ConversationDeps, sessionId: string) {
  const { runtime, transcripts, overview, drafts, notes, lastContext, related } = deps;
  const { review, allowOnce, copy, openSession } = deps;
  const attempt = (what: string, work: Promise<unknown>) => tryOrNotify(notify, what, work);
  const sendPrompt = (text: string, options: SendOptions) =>
    sendOnce(deps, sessionId, text, options);
  const titles = new Map<string, string>();
  const choose = (what: 'agents' | 'models', chosen: (name: string) => void): void =>
    void attempt(
      t(what === 'agents' ? 'conversation.agentsNotTold' : 'conversation.modelsNotTold'),
      chooseFromCatalog(deps, sessionId, what, titles, chosen),
    );
  return {
    blocks: {
      ...{ review, allowOnce, copy, openSession },
      connected: () => overview.state.connection.kind === 'connected',
      /** Sends the person's last prompt again, with what it was sent with. */
      tryAgain: () => {
        const lastPrompt = transcripts
          .get(sessionId)
          .blocks.findLast(({ kind }) => kind === 'prompt');
        if (lastPrompt?.kind !== 'prompt') return;
        const { text, attached = [] } = lastPrompt;
        const sent = drafts.lastSent.get(sessionId);
        // Before this start: selected text and the texts of related notes are not known any more.
        const chips = attached.flatMap(({ kind, path, tokens }): readonly ContextChip[] =>
          path === undefined || tokens !== undefined
            ? []
            : [{ kind: kind === 'open' ? 'open' : 'note', path }],
        );
        const context = sent?.text === text ? sent.context : contextOf(chips);
        const options = promptOptions(drafts.get(sessionId), context);
        void sendPrompt(text, options);
      },
    },
    composer: {
      ...{ drafts, notes, before: lastContext },
      /** What the person chose as that agent. */
      titleOf: (agent: string) => titles.get(agent) ?? agent,
      /** Resolves to true if the prompt was accepted; otherwise shows a notice. */
      send: sendPrompt,
      /** The agent's own commands; empty, with a notice, if they can't be fetched. */
      commands: async () =>
        (await resultOrNotice(t('conversation.commandsNotTold'), runtime.catalog(sessionId)))
          ?.commands ?? [],
      /** Notes that would be sent along; undefined, with a notice, if the search fails. */
      findNotes: (
        agent: string,
        draft: Pick<PromptDraft, 'text' | 'chips' | 'related'>,
        use: ContextUse,
      ) => resultOrNotice(t('related.notFound'), related.find({ sessionId, agent }, draft, use)),
      /** What can still be sent of the notes that are shown; shows a notice if some can't. */
      sendable: async (agent: string, { notes: shown, room }: FoundNotes) => {
        if (shown.length === 0) return undefined;
        const now = await resultOrNotice(
          t('related.notFound'),
          related.again({ sessionId, agent }, shown, room),
        );
        const count = shown.length - (now?.notes.length ?? 0);
        if (now !== undefined && count > 0) notify(t('related.notSent', { count }));
        return now && toPromptContext(now);
      },
      /** Lets the person choose; an empty name stands for the session's own. */
      chooseAgent: (chosen: (name: string) => void) => choose('agents', chosen),
      chooseModel: (chosen: (name: string) => void) => choose('models', chosen),
      compact: () => deps.compacting.compactManually(sessionId),
      contextNow: () => deps.compacting.currentUse(transcripts.get(sessionId)),
      whyNotCompact: () => deps.compacting.whyNotCompact(sessionId),
      enterSends: () => deps.settings().enterSends,
      /** Call this when the person begins to write, or the draft becomes empty. */
      typing: (has: boolean) => deps.continues.setTyping(sessionId, has),
    },
    stop: () => void attempt(t('conversation.theTurnWasNotStopped'), runtime.interrupt(sessionId)),
    loadOlder: () =>
      void attempt(t('conversation.olderMessagesWereNotLoaded'), transcripts.loadOlder(sessionId)),
  };
}

/** The result of `work`; undefined, with a notice, if it fails. */
async function resultOrNotice<T>(what: string, work: Promise<T>): Promise<T | undefined> {
  await tryOrNotify(notify, what, work);
  return work.catch(() => undefined);
}

async function chooseFromCatalog(
  { runtime, pick, config }: ConversationDeps,
  sessionId: string,
  what: 'agents' | 'models',
  titles: Map<string, string>,
  chosen: (name: string) => void,
): Promise<void> {
  const { agents, models } = await runtime.catalog(sessionId);
  for (const { name, title = name } of agents) titles.set(name, title);
  const own = { text: t('conversation.theSessionsOwnChoice'), value: '' };
  const choices =
    what === 'agents'
      ? await agentChoices(agents, config)
      : models.map(({ id, name = id }) => ({ text: `${name} · ${id}`, value: id }));
  const words = t(what === 'agents' ? 'conversation.chooseAnAgent' : 'conversation.chooseAModel');
  const answer = await pick([own, ...choices], words);
  if (answer !== undefined) chosen(answer);
}

/**
 * Sends a prompt. Until one is accepted, another attempt at it has the same key.
 * @returns whether it was accepted; otherwise shows a notice
 */
async function sendOnce(
  { runtime, ids, drafts, sendsKeys }: ConversationDeps,
  sessionId: string,
  text: string,
  options: SendOptions,
): Promise<boolean> {
  const { context } = options;
  const last = drafts.lastSent.get(sessionId);
  const repeat = (last?.text === text ? last.unconfirmed : undefined) ?? ids.unique();
  drafts.lastSent.set(sessionId, { text, context, unconfirmed: repeat });
  const keyed = { ...options, ...(sendsKeys(sessionId) && { repeat }) };
  const sent = runtime.send(sessionId, text, keyed);
  const isSent = await tryOrNotify(notify, t('conversation.theMessageWasNotSent'), sent);
  if (isSent) drafts.lastSent.set(sessionId, { text, context });
  return isSent;
}
