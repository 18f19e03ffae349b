import type { App } from 'obsidian';
import type { SendOptions } from '../../core/session/bridge-runtime';
import { agentChoices } from '../config/agent-rows';
import type { ConfigSource } from '../config/config-source';
import type { CoreServices } from '../app/core-services';
import type { Services } from '../app/services';
import type { AskStep } from '../ask/ask-steps';
import type { Prompts } from '../ask/prompts';
import type { BoardWrites } from '../board/board-actions';
import { addFound } from '../board/suggested';
import { pick, type PickItem } from '../ui/dialog';
import { copyText, notify, tried } from '../ui/notify';
import { sentAlong } from '../../core/context/related-notes';
import type { ContextUse } from '../../core/context/context-use';
import type { ContextChip, PromptDraft, PromptDrafts } from './drafts';
import type { FoundNotes, RelatedSource } from './related-source';
import { SuggestedTasks } from './suggested-tasks';
import { FrameQueue } from './use-transcript';
import { t } from '../language/text';

interface ConversationMeans {
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
  readonly before: () => ContextChip | undefined;
  readonly related: Pick<RelatedSource, 'find' | 'again'>;
}

/** What conversation views need of the plugin; all of them share it. */
export function conversationDeps(means: ConversationMeans) {
  const { app, parts, services, prompts, writes, ...own } = means;
  const { overview, manager } = services;
  return {
    ...own,
    overview,
    transcripts: services.sessions.shown,
    frames: new FrameQueue((frame) => window.requestAnimationFrame(frame)),
    needs: prompts,
    runtime: parts.runtime,
    settings: () => parts.settings.current,
    today: () => parts.clock.today(),
    /** Tells screen readers that a turn is over. */
    announce: (sentence: string) => services.tell(sentence),
    review: (requestId: string, step?: AskStep) => prompts.review(requestId, step),
    allowOnce: (requestId: string) => prompts.allowOnce(requestId),
    openNote: (path: string, newTab: boolean): void =>
      void app.workspace.openLinkText(path, '', newTab ? 'tab' : false),
    copy: (text: string): void => void copyText(text, notify),
    pick: (choices: readonly PickItem<string>[], words: string) => pick(app, choices, words, true),
    suggestedIn: (sessionId: string) =>
      new SuggestedTasks(
        {
          ...{ overview, values: app },
          add: (to, found) => addFound({ app, manager: manager.now, writes }, to, found),
        },
        sessionId,
      ),
    compacting: services.compacting,
    config: services.config as Pick<ConfigSource, 'read'>,
    /** Turns that sessions start by themselves. */
    continues: services.continues.auto,
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
  const { runtime, transcripts, overview, drafts, notes, before, related } = deps;
  const { review, allowOnce, copy, openSession } = deps;
  const told = (what: string, work: Promise<unknown>) => tried(notify, what, work);
  const choose = (what: 'agents' | 'models', chosen: (name: string) => void): void =>
    void told(
      t(what === 'agents' ? 'conversation.agentsNotTold' : 'conversation.modelsNotTold'),
      chooseOf(deps, sessionId, what, chosen),
    );
  return {
    blocks: {
      ...{ review, allowOnce, copy, openSession },
      connected: () => overview.state.connection.kind === 'connected',
      /** Sends the person's last prompt again. */
      tryAgain: () => {
        const said = transcripts.get(sessionId).blocks.findLast(({ kind }) => kind === 'prompt');
        if (said?.kind !== 'prompt') return;
        void told(t('conversation.theMessageWasNotSent'), runtime.send(sessionId, said.text));
      },
    },
    composer: {
      ...{ drafts, notes, before },
      /** Resolves to true if the prompt was accepted; otherwise shows a notice. */
      send: (text: string, options: SendOptions) =>
        told(t('conversation.theMessageWasNotSent'), runtime.send(sessionId, text, options)),
      /** The agent's own commands; empty, with a notice, if they can't be fetched. */
      commands: async () =>
        (await answered(t('conversation.commandsNotTold'), runtime.catalog(sessionId)))?.commands ??
        [],
      /** Notes that would be sent along; undefined, with a notice, if the search fails. */
      findNotes: (
        agent: string,
        draft: Pick<PromptDraft, 'text' | 'chips' | 'related'>,
        use: ContextUse,
      ) => answered(t('related.notFound'), related.find({ sessionId, agent }, draft, use)),
      /** What can still be sent of the notes that are shown; shows a notice if some can't. */
      sendable: async (agent: string, { notes: shown, room }: FoundNotes) => {
        if (shown.length === 0) return undefined;
        const now = await answered(
          t('related.notFound'),
          related.again({ sessionId, agent }, shown, room),
        );
        const count = shown.length - (now?.notes.length ?? 0);
        if (now !== undefined && count > 0) notify(t('related.notSent', { count }));
        return now && sentAlong(now);
      },
      /** Lets the person choose; an empty name stands for the session's own. */
      chooseAgent: (chosen: (name: string) => void) => choose('agents', chosen),
      chooseModel: (chosen: (name: string) => void) => choose('models', chosen),
      compact: () => deps.compacting.byHand(sessionId),
      contextNow: () => deps.compacting.useNow(transcripts.get(sessionId)),
      whyNotCompact: () => deps.compacting.whyNot(sessionId),
      enterSends: () => deps.settings().enterSends,
      /** Call this when the person begins to write, or the draft becomes empty. */
      typing: (has: boolean) => deps.continues.typing(sessionId, has),
    },
    stop: () => void told(t('conversation.theTurnWasNotStopped'), runtime.interrupt(sessionId)),
    loadOlder: () =>
      void told(t('conversation.olderMessagesWereNotLoaded'), transcripts.loadOlder(sessionId)),
  };
}

/** The result of `work`; undefined, with a notice, if it fails. */
async function answered<T>(what: string, work: Promise<T>): Promise<T | undefined> {
  await tried(notify, what, work);
  return work.catch(() => undefined);
}

async function chooseOf(
  { runtime, pick, config }: ConversationDeps,
  sessionId: string,
  what: 'agents' | 'models',
  chosen: (name: string) => void,
): Promise<void> {
  const { agents, models } = await runtime.catalog(sessionId);
  const own = { text: t('conversation.theSessionsOwnChoice'), value: '' };
  const choices =
    what === 'agents'
      ? await agentChoices(agents, config)
      : models.map(({ id, name = id }) => ({ text: `${name} · ${id}`, value: id }));
  const words = t(what === 'agents' ? 'conversation.chooseAnAgent' : 'conversation.chooseAModel');
  const answer = await pick([own, ...choices], words);
  if (answer !== undefined) chosen(answer);
}
