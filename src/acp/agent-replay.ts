import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import type { LoggedAnswer, LoggedPrompt, LogRecord } from '../core/engine/session-log';
import type { Ids } from '../core/ports';
import { MAX_ID } from '../protocol/fields';
import { AcpCall, contentBlockText } from './agent-call';

/**
 * Maximum prompts and answers of a session that are kept (the newest), and UTF-16 units of each.
 */
const MAX_ENTRIES = 4_000;
const MAX_TEXT = 1024 * 1024;

interface Answer {
  readonly kind: 'answer';
  readonly id: string;
  text: string;
  thinking: string;
  readonly calls: AcpCall[];
}

interface Prompt {
  readonly kind: 'prompt';
  readonly id: string;
  text: string;
}

/**
 * Collects the history of an agent's session that we did not know, from the updates that the agent
 * sends while it loads the session.
 */
export class AgentReplay {
  #entries: (Prompt | Answer)[] = [];
  readonly #calls = new Map<string, AcpCall>();

  constructor(
    private readonly ids: Ids,
    /** absolute path */
    private readonly vault: string,
  ) {}

  update(update: SessionUpdate): void {
    const { sessionUpdate: kind } = update;
    if (kind === 'user_message_chunk') this.#addPrompt(update.content);
    if (kind === 'agent_message_chunk') this.#grow('text', update.content);
    if (kind === 'agent_thought_chunk') this.#grow('thinking', update.content);
    if (kind !== 'tool_call' && kind !== 'tool_call_update') return;
    const known = this.#calls.get(update.toolCallId);
    if (known === undefined) this.#addCall(update);
    else known.update(update);
  }

  /**
   * The history in the form of our own log.
   * @param at ms since the epoch, for all records: the agent does not report times
   */
  records(at: number, by: Pick<LoggedPrompt, 'agent' | 'model'>): readonly LogRecord[] {
    let prompt = '';
    return this.#entries.flatMap((one, index): readonly LogRecord[] => {
      if (one.kind === 'prompt') {
        prompt = one.id;
        return [{ ...one, at, ...by }];
      }
      const isLast = this.#entries[index + 1]?.kind !== 'answer';
      const answer: LoggedAnswer = {
        ...{ kind: 'answer', id: one.id, at, prompt, text: one.text },
        ...(one.thinking !== '' && { thinking: { text: one.thinking } }),
        calls: one.calls.map(({ logged }) => logged),
        end: isLast ? 'completed' : 'calls',
      };
      return [answer, ...one.calls.flatMap(({ result }) => result ?? [])];
    });
  }

  /** The parts of a prompt arrive one after the other. */
  #addPrompt(content: ContentBlock): void {
    const text = contentBlockText(content);
    const last = this.#entries.at(-1);
    if (last?.kind === 'prompt') last.text = `${last.text}\n\n${text}`.slice(0, MAX_TEXT);
    else this.#addEntry({ kind: 'prompt', id: this.#newId(), text: text.slice(0, MAX_TEXT) });
  }

  #grow(kind: 'text' | 'thinking', content: ContentBlock): void {
    const last = this.#entries.at(-1);
    const isOpen =
      last?.kind === 'answer' && last.calls.length === 0 && (kind === 'text' || last.text === '');
    const answer = isOpen ? last : this.#startAnswer();
    answer[kind] = (answer[kind] + contentBlockText(content)).slice(0, MAX_TEXT);
  }

  #addCall(sent: Parameters<AcpCall['update']>[0]): void {
    const last = this.#entries.at(-1);
    const { id, calls } = last?.kind === 'answer' ? last : this.#startAnswer();
    const isFit = sent.toolCallId !== '' && sent.toolCallId.length <= MAX_ID;
    const call = new AcpCall(
      isFit ? sent.toolCallId : `${id}_call${calls.length}`,
      sent,
      this.vault,
    );
    this.#calls.set(sent.toolCallId, call);
    calls.push(call);
  }

  #startAnswer(): Answer {
    const answer: Answer = {
      ...{ kind: 'answer', id: this.#newId(), text: '', thinking: '' },
      calls: [],
    };
    this.#addEntry(answer);
    return answer;
  }

  #addEntry(entry: Prompt | Answer): void {
    this.#entries.push(entry);
    if (this.#entries.length > 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(-MAX_ENTRIES);
  }

  #newId(): string {
    return `msg_${this.ids.unique()}`;
  }
}
