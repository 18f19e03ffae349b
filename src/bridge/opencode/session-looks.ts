import type { Clock } from '../../core/ports';
import { MAX_TEXT } from '../../protocol/fields';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import { placeBefore, storedMessage, type StoredMessage } from './history';
import { keyIn } from './prompt-parts';
import { items, sessionPath, type OpencodeApi, type SessionInfo } from './opencode-api';
import type { Translator } from './translator';

type StatusAnswer = Omit<FromBridgeOf<'session.stands'>['payload'], 'truncated'>;

type Answer = NonNullable<StatusAnswer['answer']>;

export interface SessionLooksServices {
  readonly api: Pick<OpencodeApi, 'ask' | 'session' | 'statuses'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly translator: Pick<Translator, 'progress' | 'works'>;
}

/** Messages that are read at once. */
const PAGE = 10;

/** Between two looks at a session of which OpenCode and its events say different things, ms… */
const PAUSE = 250;

/** …and how many there are: then OpenCode is right, and the event does not come. */
const LOOKS = 20;

/** How sessions stand: what OpenCode keeps of them, and whether a turn runs. */
export class SessionStands {
  constructor(private readonly services: SessionLooksServices) {}

  /**
   * A session at rest has told its end: where OpenCode says so and its events don't yet, they are
   * waited for.
   * @throws WireError `unknown_session`
   */
  async look(
    sessionId: string,
  ): Promise<{ readonly info: SessionInfo; readonly stand: StatusAnswer }> {
    const { api, translator } = this.services;
    const info = await api.session(sessionId);
    for (let look = 1; ; look++) {
      const running = (await api.statuses()).get(sessionId) ?? 'idle';
      const answer = await this.#newest(sessionId);
      const told = { ...(answer && { answer }) };
      if (running !== 'idle') {
        const status = running === 'retry' ? 'retry' : 'busy';
        return { info, stand: { status, ...told } };
      }
      if (!translator.works(sessionId) || look === LOOKS) {
        return { info, stand: { status: 'idle', ...told } };
      }
      await new Promise<void>((resolve) => void this.services.clock.after(PAUSE, resolve));
    }
  }

  async #newest(sessionId: string): Promise<Answer | undefined> {
    let before: string | undefined;
    for (;;) {
      const page = await this.#page(sessionId, before);
      const found = page.findLast(
        ({ info }) => info.role === 'assistant' && info.mode !== 'compaction',
      );
      if (found !== undefined) return this.#answer(sessionId, found, page);
      const [oldest] = page;
      if (oldest === undefined || page.length < PAGE) return undefined;
      before = placeBefore(oldest.info.id, oldest.info.time.created);
    }
  }

  async #answer(
    sessionId: string,
    found: StoredMessage,
    page: readonly StoredMessage[],
  ): Promise<Answer> {
    const { id: messageId, parentID } = found.info;
    const prompt =
      page.find(({ info }) => info.id === parentID) ?? (await this.#message(sessionId, parentID));
    const key = prompt?.parts
      .map(({ metadata }) => keyIn(metadata))
      .find((one) => one !== undefined);
    return { messageId, text: lastText(found), ...endOf(found), ...(key !== undefined && { key }) };
  }

  #page(sessionId: string, before: string | undefined): Promise<StoredMessage[]> {
    const query = { limit: String(PAGE), ...(before !== undefined && { before }) };
    const path = `${sessionPath(sessionId)}/message`;
    return this.services.api.ask(items(storedMessage), { method: 'GET', path, query });
  }

  /** Undefined where it was taken back. */
  async #message(sessionId: string, id: string | undefined): Promise<StoredMessage | undefined> {
    if (id === undefined) return undefined;
    const path = `${sessionPath(sessionId)}/message/${encodeURIComponent(id)}`;
    return this.services.api.ask(storedMessage, { method: 'GET', path }).catch((error: unknown) => {
      if (error instanceof WireError && error.code === 'unknown_session') return undefined;
      throw error;
    });
  }
}

function lastText({ parts }: StoredMessage): string {
  const text = parts.findLast(
    (part) => part.type === 'text' && part.synthetic !== true && (part.text ?? '').trim() !== '',
  )?.text;
  return text?.slice(-MAX_TEXT) ?? '';
}

/** An answer that ended to call tools is one step of a turn, and not its end. */
function endOf({ info }: StoredMessage): Pick<Answer, 'end' | 'error'> {
  const { error, finish, time } = info;
  if (error?.name === 'MessageAbortedError') return { end: 'interrupted', error: '' };
  if (error !== undefined) return { end: 'error', error: error.data?.message ?? error.name };
  const isLast = time.completed !== undefined && finish !== 'tool-calls';
  return { end: isLast ? 'completed' : 'open', error: '' };
}
