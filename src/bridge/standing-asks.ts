import * as z from 'zod/mini';
import type { Log } from '../core/ports';
import type { Clients } from './clients';
import type { OpencodeApi } from './opencode-api';
import { readEvent } from './opencode-event';
import type { Translator } from './translate';

export interface StandingAsksParts {
  readonly api: Pick<OpencodeApi, 'ask'>;
  readonly clients: Pick<Clients, 'publish'>;
  readonly log: Log;
  readonly translator: Pick<Translator, 'translate' | 'waits'>;
}

/** Where OpenCode lists what waits for a person, each in the form of the event that told of it. */
const LISTS = [
  ['/permission', 'permission.asked'],
  ['/question', 'question.asked'],
] as const;

/** What waits for a person and was asked before this bridge listened. */
export class StandingAsks {
  constructor(private readonly parts: StandingAsksParts) {}

  /** Makes up for what was not heard. Where OpenCode doesn't say, that is noted. */
  async recover(sessionId: string): Promise<void> {
    for (const [path, type] of LISTS) {
      try {
        const listed = await this.parts.api.ask(z.array(z.unknown()), { method: 'GET', path });
        for (const properties of listed) this.hear(sessionId, { type, properties });
      } catch (error) {
        this.parts.log.note(`What waits in ${path} is not known.`, { error: String(error) });
      }
    }
  }

  private hear(sessionId: string, value: unknown): void {
    const { translator, clients } = this.parts;
    const event = readEvent(value);
    if (event?.type !== 'permission.asked' && event?.type !== 'question.asked') return;
    const { id, sessionID } = event.properties;
    if (sessionID !== sessionId || translator.waits(sessionID, id)) return;
    for (const draft of translator.translate(event)) clients.publish(draft);
  }
}
