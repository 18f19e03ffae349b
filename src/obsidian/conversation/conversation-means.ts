import type { BlockMeans } from './block-view';
import type { ComposerMeans } from './composer';
import type { ConversationDeps } from './conversation-deps';

/** What can be done in one conversation; what fails is told, and changes nothing. */
export interface ConversationMeans {
  readonly blocks: Omit<BlockMeans, 'toggle'>;
  readonly composer: ComposerMeans;
  readonly stop: () => Promise<boolean>;
  readonly loadOlder: () => Promise<boolean>;
}

export function conversationMeans(deps: ConversationDeps, sessionId: string): ConversationMeans {
  const { runtime, transcripts, overview } = deps;
  const told = async (what: string, work: Promise<unknown>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      deps.notify(`${what} ${error instanceof Error ? error.message : ''}`.trim());
      return false;
    }
  };
  const tryAgain = () => {
    const said = transcripts.get(sessionId).blocks.findLast(({ kind }) => kind === 'prompt');
    if (said?.kind !== 'prompt') return;
    void told('The message was not sent.', runtime.send(sessionId, said.text));
  };
  const choose = (what: 'agents' | 'models', chosen: (name: string) => void) =>
    void told(
      `OpenCode did not say which ${what} it has.`,
      chooseOf(deps, sessionId, what, chosen),
    );
  return {
    blocks: {
      ...{ review: deps.review, allowOnce: deps.allowOnce, copy: deps.copy, tryAgain },
      connected: () => overview.state.connection.kind === 'connected',
    },
    composer: {
      ...{ drafts: deps.drafts, notes: deps.notes, before: deps.before },
      send: (text, options) =>
        told('The message was not sent.', runtime.send(sessionId, text, options)),
      chooseAgent: (chosen) => choose('agents', chosen),
      chooseModel: (chosen) => choose('models', chosen),
      enterSends: () => deps.settings().enterSends,
      typing: (has) => deps.continues.typing(sessionId, has),
    },
    stop: () => told('The turn was not stopped.', runtime.interrupt(sessionId)),
    loadOlder: () => told('Older messages were not loaded.', transcripts.loadOlder(sessionId)),
  };
}

async function chooseOf(
  { runtime, pick }: ConversationDeps,
  sessionId: string,
  what: 'agents' | 'models',
  chosen: (name: string) => void,
): Promise<void> {
  const { agents, models } = await runtime.catalog(sessionId);
  const own = { text: 'As the session has it', value: '' };
  const choices =
    what === 'agents'
      ? agents
          .filter(({ mode }) => mode !== 'subagent')
          .map(({ name, description = '' }) => ({
            text: description === '' ? name : `${name} · ${description}`,
            value: name,
          }))
      : models.map(({ id, name = id }) => ({ text: `${name} · ${id}`, value: id }));
  const answer = await pick(
    [own, ...choices],
    `Choose ${what === 'agents' ? 'an agent' : 'a model'}`,
  );
  if (answer !== undefined) chosen(answer);
}
