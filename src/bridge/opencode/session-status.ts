import type { Clock } from '../../core/ports';
import { MAX_TEXT } from '../../protocol/fields';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import { WireError } from '../../protocol/wire-error';
import { readMessages, readMessage, storedMessage, type StoredMessage } from './history';
import { keyOfParts } from './prompt-parts';
import type { OpencodeApi } from './opencode-api';
import { createdOf } from './session-starts';
import type { Translator } from './translator';
import { faultEnd } from './turn';
import type { CreatedDraft } from '../../core/engine/engine';

type StatusAnswer = Omit<FromBridgeOf<'session.stands'>['payload'], 'truncated'>;

type RequestApi = Pick<OpencodeApi, 'ask'>;

type Answer = NonNullable<StatusAnswer['answer']>;

interface SessionStatusServices {
  readonly api: Pick<OpencodeApi, 'ask' | 'session' | 'statuses'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly translator: Pick<Translator, 'progress' | 'works'>;
}

/** Messages read per request. */
const PAGE = 10;

/** ms between two checks of a session while OpenCode and its events disagree… */
const CHECK_INTERVAL = 250;

/** …and the most checks; after that, OpenCode's status counts, since the event won't come. */
const MAX_CHECKS = 20;

/**
 * Reads the status of a session: its stored data, and whether a turn is running. If OpenCode
 * reports it as idle before the event of the turn's end has arrived, waits for that event.
 * @throws WireError `unknown_session`
 */
export async function readSessionStatus(
  { api, clock, translator }: SessionStatusServices,
  sessionId: string,
): Promise<{ readonly created: CreatedDraft; readonly status: StatusAnswer }> {
  const created = createdOf(await api.session(sessionId));
  for (let check = 1; ; check++) {
    const running = (await api.statuses()).get(sessionId) ?? 'idle';
    const answer = await newestAnswer(api, sessionId);
    const answerField = { ...(answer && { answer }) };
    if (running !== 'idle') {
      const status = running === 'retry' ? 'retry' : 'busy';
      return { created, status: { status, ...answerField } };
    }
    if (!translator.works(sessionId) || check === MAX_CHECKS) {
      return { created, status: { status: 'idle', ...answerField } };
    }
    await new Promise<void>((resolve) => void clock.after(CHECK_INTERVAL, resolve));
  }
}

async function newestAnswer(api: RequestApi, sessionId: string): Promise<Answer | undefined> {
  let before: StoredMessage['info'] | undefined;
  for (;;) {
    const page = await readMessages(api, sessionId, storedMessage, PAGE, before);
    const found = page.findLast(
      ({ info }) => info.role === 'assistant' && info.mode !== 'compaction',
    );
    if (found !== undefined) return answerOf(api, sessionId, found, page);
    const [oldest] = page;
    if (oldest === undefined || page.length < PAGE) return undefined;
    before = oldest.info;
  }
}

async function answerOf(
  api: RequestApi,
  sessionId: string,
  found: StoredMessage,
  page: readonly StoredMessage[],
): Promise<Answer> {
  const { id: messageId, parentID } = found.info;
  const prompt =
    page.find(({ info }) => info.id === parentID) ?? (await storedPrompt(api, sessionId, parentID));
  const key = keyOfParts(prompt?.parts ?? []);
  return { messageId, text: lastText(found), ...endOf(found), ...(key !== undefined && { key }) };
}

/** Returns undefined if the prompt was removed. */
async function storedPrompt(
  api: RequestApi,
  sessionId: string,
  id: string | undefined,
): Promise<StoredMessage | undefined> {
  if (id === undefined) return undefined;
  return readMessage(api, sessionId, id).catch((error: unknown) => {
    if (error instanceof WireError && error.code === 'unknown_session') return undefined;
    throw error;
  });
}
function lastText({ parts }: StoredMessage): string {
  const text = parts.findLast(
    (part) => part.type === 'text' && part.synthetic !== true && (part.text ?? '').trim() !== '',
  )?.text;
  return text?.slice(-MAX_TEXT) ?? '';
}

/** How the answer ended. One that ended to call tools is a step within the turn, not its end. */
function endOf({ info }: StoredMessage): Pick<Answer, 'end' | 'error' | 'code'> {
  const { error, finish, time } = info;
  const fault = error && faultEnd(error, info.id);
  if (fault?.error !== undefined) {
    return { end: 'error', error: fault.error.message, code: fault.error.code };
  }
  if (fault !== undefined) return { end: 'interrupted', error: '' };
  const isLast = time.completed !== undefined && finish !== 'tool-calls';
  return { end: isLast ? 'completed' : 'open', error: '' };
}
