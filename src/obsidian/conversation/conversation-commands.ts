import type { App, Command } from 'obsidian';
import type { Session } from '../../core/session/session';
import { pick } from '../desk/pick';
import { when } from '../command/when';
import { ConversationView } from './conversation-view';

export interface ConversationCommandDeps {
  readonly app: App;
  /** sessions that have a conversation, the newest last */
  readonly sessions: () => readonly Pick<Session, 'id' | 'title' | 'state'>[];
  readonly open: (sessionId: string) => Promise<void>;
  readonly save: (sessionId: string) => Promise<void>;
  readonly stop: (sessionId: string) => Promise<void>;
}

/** The commands about one session; in its conversation they ask nothing. */
export function conversationCommands(deps: ConversationCommandDeps): readonly Command[] {
  const { app, sessions } = deps;
  const active = () => app.workspace.getActiveViewOfType(ConversationView)?.sessionId;
  const runs = ({ state }: Pick<Session, 'state'>) =>
    state.kind === 'busy' || state.kind === 'retry';
  const choose = async (
    among: ReturnType<typeof sessions>,
    run: (sessionId: string) => Promise<void>,
    here: string | undefined,
  ) => {
    const own = among.find(({ id }) => id === here)?.id;
    const choices = among.map(({ id, title }) => ({ text: title || id, value: id })).reverse();
    const id = own ?? (await pick(app, choices, 'Choose a session'));
    if (id !== undefined) await run(id);
  };
  const some = () => sessions().length > 0;
  return [
    when('open-conversation', 'Open conversation…', some, () =>
      choose(sessions(), deps.open, undefined),
    ),
    when('save-conversation', 'Save conversation as note', some, () =>
      choose(sessions(), deps.save, active()),
    ),
    when(
      'stop-turn',
      'Stop this turn',
      () => sessions().some(runs),
      () => choose(sessions().filter(runs), deps.stop, active()),
    ),
  ];
}
