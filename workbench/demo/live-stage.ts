import type { PersonOnNotes } from './person-on-notes';
import type { RemotePage } from './remote-page';
import type { PersonAction } from './script';
import type { ActionResult, Stage } from './stage';
import type { TurnTracker } from './turn-tracker';

/**
 * A stage that a person watches in their own browser: the plugin there starts sessions and sends
 * prompts. The script's person acts on the notes, which leaves the viewer's mouse and focus alone.
 */
export class LiveStage implements Stage {
  constructor(
    private readonly remote: RemotePage,
    private readonly turns: TurnTracker,
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

  act(sessionId: string, action: PersonAction): Promise<ActionResult> {
    return this.person.act(sessionId, action);
  }

  /** Does nothing: the person at the page answers. */
  answer(): Promise<void> {
    return Promise.resolve();
  }
}
