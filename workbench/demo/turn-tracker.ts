import type { OpencodeEvent } from './opencode-events';

interface TrackedSession {
  /** ids of the user's messages, oldest first */
  readonly promptIds: string[];
  /** the latest answer, and the message that it answers */
  answer: { readonly id: string; readonly to: string; readonly completed: boolean } | undefined;
  waiting: { readonly from: number; readonly resolve: () => void } | undefined;
}

/**
 * Detects when a turn has really ended. "Idle" alone is not enough: after an error it is sent
 * twice, the first time before the message is complete. It counts once the latest answer to the
 * latest message is complete.
 */
export class TurnTracker {
  private readonly sessions = new Map<string, TrackedSession>();

  /** Call before sending a prompt: resolves when the turn of the next message has ended. */
  next(sessionId: string): Promise<void> {
    const watched = this.session(sessionId);
    return new Promise((resolve) => {
      watched.waiting = { from: watched.promptIds.length, resolve };
    });
  }

  handleEvent(event: OpencodeEvent): void {
    if (event.type === 'message.updated') this.message(event.properties.info);
    if (event.type === 'session.idle') this.idle(this.session(event.properties.sessionID));
  }

  private message(
    info: Extract<OpencodeEvent, { type: 'message.updated' }>['properties']['info'],
  ): void {
    const watched = this.session(info.sessionID);
    if (info.role === 'user') {
      if (!watched.promptIds.includes(info.id)) watched.promptIds.push(info.id);
      return;
    }
    // Ids increase with time: ignores a late update of an older answer.
    if (watched.answer && info.id < watched.answer.id) return;
    const completed = info.time.completed !== undefined;
    watched.answer = { id: info.id, to: info.parentID ?? '', completed };
  }

  private idle(watched: TrackedSession): void {
    const newest = watched.promptIds.at(-1);
    const { answer, waiting } = watched;
    if (newest === undefined || answer?.to !== newest || !answer.completed) return;
    if (waiting === undefined || watched.promptIds.length <= waiting.from) return;
    watched.waiting = undefined;
    waiting.resolve();
  }

  private session(id: string): TrackedSession {
    const known = this.sessions.get(id);
    if (known) return known;
    const fresh: TrackedSession = { promptIds: [], answer: undefined, waiting: undefined };
    this.sessions.set(id, fresh);
    return fresh;
  }
}
