import type { PersonOnNotes } from './person-on-notes';
import type { RemotePage } from './remote-page';
import type { PersonAction } from './script';
import type { Acted, Stage } from './stage';
import type { TurnWatch } from './turn-watch';

/**
 * A run that a person watches in their own browser: the plugin there starts and sends. What the
 * script's person does is done on the notes, so that it takes nobody's mouse and focus away.
 */
export class LiveStage implements Stage {
  constructor(
    private readonly remote: RemotePage,
    private readonly turns: TurnWatch,
    private readonly person: PersonOnNotes,
  ) {}

  startSession(title: string): Promise<string> {
    return this.remote.startSession(title);
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    const ended = this.turns.next(sessionId);
    await this.remote.send(sessionId, text);
    await ended;
  }

  act(sessionId: string, action: PersonAction): Promise<Acted> {
    return this.person.act(sessionId, action);
  }

  /** The person at the page answers. */
  answer(): Promise<void> {
    return Promise.resolve();
  }
}
