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

/** Sessions to remember. For a dropped one, the summary is only read again. */
const MAX_REMEMBERED = 500;

export type ReadSummary = (caller: {
  sessionId: string;
  agent: string;
}) => Promise<string | undefined>;

/**
 * Adds the board's summary to the newest user message, as its last part. It is not in the system
 * prompt, where changing text would invalidate the provider's prompt cache. For the same reason it
 * stays the same for all steps of a turn; the tool's answers report changes in between.
 */
export class SummaryHooks {
  /** by session, the prompt for which the summary was read, and the summary */
  private readonly summaries = new RecentMap<
    string,
    { promptId: string; text: string | undefined }
  >(MAX_REMEMBERED);
  /** by session, the agent of its newest prompt */
  private readonly agents = new RecentMap<string, string>(MAX_REMEMBERED);
  /** sessions whose next transform is for a compaction, which already has the summary */
  private readonly compacting = new Set<string>();

  constructor(private readonly summary: ReadSummary) {}

  /**
   * Handles `experimental.chat.messages.transform`. Changes the list, never a message that OpenCode
   * stores.
   */
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

  /** Handles `experimental.session.compacting`: adds text for the summary of the session. */
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
    const known = this.summaries.get(sessionId);
    if (known?.promptId === promptId) return known.text;
    const text = await this.summary({ sessionId, agent });
    this.summaries.set(sessionId, { promptId, text });
    return text;
  }
}
