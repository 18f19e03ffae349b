import { randomUUID } from 'node:crypto';
import { RecentMap } from './recent-map';

export interface PromptMessage {
  readonly info: {
    readonly id: string;
    readonly role: string;
    readonly sessionID: string;
    readonly agent?: string;
  };
  readonly parts: readonly object[];
}

/** Sessions remembered at a time; one that is forgotten only gets its summary anew. */
const REMEMBERED = 500;

export type ReadSummary = (caller: {
  sessionId: string;
  agent: string;
}) => Promise<string | undefined>;

/**
 * Puts the board's summary before the model: as the last part of the newest user message, never in
 * the system prompt, where a text that changes costs the provider's prompt cache. It stays the same
 * for all steps of a turn, for the same reason; what changes in between, the tool's answers say.
 */
export class SummaryHooks {
  /** by session: the prompt it was read for, and what was read */
  private readonly read = new RecentMap<string, { promptId: string; text: string | undefined }>(
    REMEMBERED,
  );
  /** by session: the agent of its newest prompt */
  private readonly agents = new RecentMap<string, string>(REMEMBERED);
  /** sessions whose next transform is of a compaction, which has the summary already */
  private readonly compacting = new Set<string>();

  constructor(private readonly summary: ReadSummary) {}

  /** `experimental.chat.messages.transform`: changes the list, never a message that OpenCode keeps. */
  async transform(messages: PromptMessage[]): Promise<void> {
    const at = messages.findLastIndex(({ info }) => info.role === 'user');
    const newest = messages[at];
    if (!newest) {
      this.compacting.clear();
      return;
    }
    const { id, sessionID, agent } = newest.info;
    if (this.compacting.delete(sessionID)) return;
    if (agent !== undefined) this.agents.set(sessionID, agent);
    const text = await this.forPrompt(sessionID, id, agent ?? '');
    if (text === undefined) return;
    const place = { sessionID, messageID: id, id: `prt_${randomUUID().replaceAll('-', '')}` };
    const part = { ...place, type: 'text', text, synthetic: true };
    messages[at] = { ...newest, parts: [...newest.parts, part] };
  }

  /** `experimental.session.compacting`: what is to survive in the summary of the conversation. */
  async compact(sessionId: string, context: string[]): Promise<void> {
    this.compacting.add(sessionId);
    const text = await this.summary({ sessionId, agent: this.agents.get(sessionId) ?? '' });
    if (text !== undefined) context.push(text);
  }

  private async forPrompt(
    sessionId: string,
    promptId: string,
    agent: string,
  ): Promise<string | undefined> {
    const known = this.read.get(sessionId);
    if (known?.promptId === promptId) return known.text;
    const text = await this.summary({ sessionId, agent });
    this.read.set(sessionId, { promptId, text });
    return text;
  }
}
