import type { App } from 'obsidian';
import type { SendOptions } from '../../core/session/bridge-runtime';
import type { CoreServices } from '../app/core-services';
import type { Services } from '../app/services';
import type { AskStep } from '../ask/ask-steps';
import type { Prompts } from '../ask/prompts';
import { pick, type PickItem } from '../ui/dialog';
import { copyText, notify, tried } from '../ui/notify';
import type { ContextChip, PromptDrafts } from './drafts';
import { FrameQueue } from './use-transcript';

interface ConversationMeans {
  readonly app: App;
  readonly parts: CoreServices;
  readonly services: Services;
  readonly prompts: Prompts;
  readonly drafts: PromptDrafts;
  readonly openSession: (sessionId: string) => void;
  readonly openPlan: (sessionId: string) => void;
  /** Notes of the vault that fit some words, the best first. */
  readonly notes: (words: string) => readonly string[];
  /** What the person has before them beside the conversation. */
  readonly before: () => ContextChip | undefined;
}

/** What conversation views do with the plugin; all of them share it. */
export function conversationDeps({ app, parts, services, prompts, ...own }: ConversationMeans) {
  return {
    ...own,
    overview: services.overview,
    transcripts: services.sessions.shown,
    frames: new FrameQueue((frame) => window.requestAnimationFrame(frame)),
    needs: prompts,
    runtime: parts.runtime,
    settings: () => parts.settings.current,
    today: () => parts.clock.today(),
    /** Says to screen readers that a turn is over. */
    announce: (sentence: string) => services.tell(sentence),
    review: (requestId: string, step?: AskStep) => prompts.review(requestId, step),
    allowOnce: (requestId: string) => prompts.allowOnce(requestId),
    openNote: (path: string, newTab: boolean): void =>
      void app.workspace.openLinkText(path, '', newTab ? 'tab' : false),
    copy: (text: string): void => void copyText(text, notify),
    pick: (choices: readonly PickItem<string>[], words: string) => pick(app, choices, words, true),
    /** What sessions do by themselves. */
    continues: services.continues.auto,
  };
}

export type ConversationDeps = ReturnType<typeof conversationDeps>;

type Actions = ReturnType<typeof conversationActions>;

export type ComposerActions = Actions['composer'];

/** What blocks can do; the same object for as long as the view shows one session. */
export type BlockActions = Actions['blocks'];

/** What can be done with what an agent asks. */
export type AskActions = Pick<BlockActions, 'review' | 'allowOnce' | 'connected'>;

/** What can be done in one conversation; what fails is told, and changes nothing. */
export function conversationActions(deps: ConversationDeps, sessionId: string) {
  const { runtime, transcripts, overview, drafts, notes, before } = deps;
  const { review, allowOnce, copy, openSession } = deps;
  const told = (what: string, work: Promise<unknown>) => tried(notify, what, work);
  const choose = (what: 'agents' | 'models', chosen: (name: string) => void): void =>
    void told(
      `OpenCode did not say which ${what} it has.`,
      chooseOf(deps, sessionId, what, chosen),
    );
  return {
    blocks: {
      ...{ review, allowOnce, copy, openSession },
      connected: () => overview.state.connection.kind === 'connected',
      /** Says the person's last words once more. */
      tryAgain: () => {
        const said = transcripts.get(sessionId).blocks.findLast(({ kind }) => kind === 'prompt');
        if (said?.kind !== 'prompt') return;
        void told('The message was not sent.', runtime.send(sessionId, said.text));
      },
    },
    composer: {
      ...{ drafts, notes, before },
      /** Resolves true when the words were taken; what went wrong is told. */
      send: (text: string, options: SendOptions) =>
        told('The message was not sent.', runtime.send(sessionId, text, options)),
      /** Asks which; empty: the session's own. */
      chooseAgent: (chosen: (name: string) => void) => choose('agents', chosen),
      chooseModel: (chosen: (name: string) => void) => choose('models', chosen),
      enterSends: () => deps.settings().enterSends,
      /** The person has begun to write, or has no words any more. */
      typing: (has: boolean) => deps.continues.typing(sessionId, has),
    },
    stop: () => void told('The turn was not stopped.', runtime.interrupt(sessionId)),
    loadOlder: () => void told('Older messages were not loaded.', transcripts.loadOlder(sessionId)),
  };
}

async function chooseOf(
  { runtime, pick }: ConversationDeps,
  sessionId: string,
  what: 'agents' | 'models',
  chosen: (name: string) => void,
): Promise<void> {
  const { agents, models } = await runtime.catalog(sessionId);
  const own = { text: 'The session’s own choice', value: '' };
  const choices =
    what === 'agents'
      ? agents
          .filter(({ mode }) => mode !== 'subagent')
          .map(({ name, description = '' }) => ({
            text: description === '' ? name : `${name} · ${description}`,
            value: name,
          }))
      : models.map(({ id, name = id }) => ({ text: `${name} · ${id}`, value: id }));
  const words = `Choose ${what === 'agents' ? 'an agent' : 'a model'}`;
  const answer = await pick([own, ...choices], words);
  if (answer !== undefined) chosen(answer);
}
