import type { PersonOnNotes } from './person-on-notes';
import type { Answer, PersonAction } from './script';
import type { ActionResult, PersonRequest, Stage } from './stage';
import type { TurnTracker } from './turn-tracker';
import type { SessionClient } from './world';

/** A stage without a page: uses OpenCode's HTTP API and the notes on disk. */
export class HttpStage implements Stage {
  constructor(
    private readonly client: SessionClient,
    private readonly turns: TurnTracker,
    private readonly person: PersonOnNotes,
  ) {}

  startSession(title: string): Promise<string> {
    return this.client.createSession(title);
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    const ended = this.turns.next(sessionId);
    await this.client.prompt(sessionId, text);
    await ended;
  }

  act(sessionId: string, action: PersonAction): Promise<ActionResult> {
    return this.person.act(sessionId, action);
  }

  async answer(asked: PersonRequest, answers: readonly Answer[]): Promise<void> {
    const first = answers[0];
    if (asked.kind === 'call') throw new Error('The plugin asked, and there is no page.');
    if (asked.kind === 'question') {
      return this.client.replyQuestion(asked.requestId, answers.map(labels));
    }
    if (first && 'permission' in first) {
      await this.client.replyPermission(asked.requestId, first.reply, first.message);
    }
  }
}

/** The option labels that an answer to a question chooses. */
export function labels(answer: Answer): readonly string[] {
  return typeof answer.reply === 'string' ? [answer.reply] : answer.reply;
}
