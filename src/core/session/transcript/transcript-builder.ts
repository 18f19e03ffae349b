import { betterBlock, BlockList, CALL_RANK } from './block-list';
import { withTokens, type Block, type BlockOf, type TokenUse, type Transcript } from './transcript';
import {
  truncateText,
  callDetails,
  callTexts,
  mergeBoardBlock,
  requestBlock,
  snapshotBlocks,
  todosBlock,
  waitingBlocks,
  type BoardUpdate,
} from './message-blocks';
import type { SessionEvent, SessionEventOf } from '../session-event-bus';

type Compacted = Extract<SessionEventOf<'progress.update'>['payload'], { kind: 'compacted' }>;

type TextBlock = BlockOf<'text' | 'thinking'>;

/**
 * Builds one session's transcript from its events. The cost of a token does not depend on the
 * transcript's length.
 */
export class TranscriptBuilder {
  readonly #list = new BlockList();
  /** ids of parts that still grow */
  readonly #live = new Set<string>();
  #older = true;
  #tokens: TokenUse | undefined;
  /** tokens in the context before the newest answer reported its own */
  #contextBefore: number | undefined;
  #transcript: Transcript | undefined;
  #boards = 0;
  /** timestamp of the latest to-do list */
  #todosAt = 0;
  /** whether the current resync has added a `missed` block already */
  #missedReported = false;

  constructor(private readonly sessionId: string) {}

  /** The same value until something changes. */
  get transcript(): Transcript {
    this.#transcript ??= {
      sessionId: this.sessionId,
      blocks: this.#list.all,
      older: this.#older || this.#list.dropped,
      ...(this.#tokens !== undefined && { tokens: this.#tokens }),
    };
    return this.#transcript;
  }

  /** @returns whether the transcript changed */
  apply(event: SessionEvent): boolean {
    const changed = this.#apply(event);
    if (changed) this.#transcript = undefined;
    return changed;
  }

  /**
   * Adds a change of one of the session's boards; consecutive changes by the same author are
   * merged.
   */
  board(news: BoardUpdate): void {
    const { last } = this.#list;
    const call = news.by === 'agent' ? this.#runningCall() : undefined;
    const made = call === undefined ? news : { ...news, call };
    const joined = last?.kind === 'board' ? mergeBoardBlock(last, made) : undefined;
    this.#put(joined ?? { kind: 'board', id: `${news.at}-${++this.#boards}`, ...made });
  }

  /** Id of the running call of `tasks`: the first open one, since they run in order. */
  #runningCall(): string | undefined {
    let first: string | undefined;
    this.#list.walkBack((block) => {
      if (block.kind === 'turn') return false;
      const open = block.kind === 'tool' && CALL_RANK[block.status] < CALL_RANK.completed;
      if (open && block.tool === 'tasks') first = block.id;
      return true;
    });
    return first;
  }

  /** Adds earlier messages, oldest first. Blocks that are complete already stay unchanged. */
  addPast(blocks: readonly Block[], older: boolean, tokens?: TokenUse): void {
    this.#list.merge(blocks, betterBlock);
    this.#older = older;
    this.#tokens ??= tokens;
    this.#transcript = undefined;
  }

  #apply(event: SessionEvent): boolean {
    switch (event.type) {
      case 'stream.token':
      case 'stream.thinking':
        return this.#grow(event);
      case 'message.final':
        return this.#final(event);
      case 'tool.update':
        return this.#tool(event);
      case 'permission.request':
      case 'permission.resolved':
      case 'question.request':
      case 'question.resolved':
        return this.#putAll(requestBlock(this.#list, event));
      case 'progress.update':
        return this.#progress(event);
      case 'turn.end':
        return this.#turn(event);
      case 'session.end':
        return this.#closeParts(event.ts);
      case 'session.created':
        this.#older = this.#list.length > 0 && this.#older;
        return true;
      case 'snapshot':
        return this.#snapshot(event);
      case 'tool.call':
      case 'tool.cancel':
      case 'error':
        return false;
    }
  }

  #put(block: Block): true {
    this.#list.put(block);
    this.#transcript = undefined;
    return true;
  }

  #putAll(blocks: readonly Block[]): boolean {
    for (const block of blocks) this.#put(block);
    return blocks.length > 0;
  }

  #grow({ type, ts, payload }: SessionEventOf<'stream.token' | 'stream.thinking'>): boolean {
    const { messageId, partId, delta } = payload;
    const kind = type === 'stream.token' ? 'text' : 'thinking';
    const here = this.#findText(partId);
    if (here?.live === false) return false; // a token repeated after the end of its part
    this.#live.add(partId);
    const text = truncateText((here?.text ?? '') + delta);
    const base = here ?? { kind, id: partId, messageId, at: ts, live: true };
    return this.#put({ ...base, text });
  }

  #findText(partId: string): TextBlock | undefined {
    return this.#list.find('text', partId) ?? this.#list.find('thinking', partId);
  }

  #final({ ts, payload }: SessionEventOf<'message.final'>): boolean {
    const { messageId, partId: id, role, kind = 'text', attached } = payload;
    const text = truncateText(payload.text);
    if (role === 'user') {
      const here = this.#list.find('prompt', id);
      if (here?.text === text || text === '') return false;
      const at = here?.at ?? ts;
      return this.#put({ kind: 'prompt', id, messageId, text, at, ...(attached && { attached }) });
    }
    this.#live.delete(id);
    const here = this.#findText(id);
    if (here === undefined && text === '') return false;
    if (here !== undefined && !here.live && here.partial !== true && here.text === text)
      return false;
    const { at } = here ?? { at: ts };
    const shown = payload.kind === undefined ? (here?.kind ?? kind) : kind;
    return this.#put({ kind: shown, id, messageId, text, live: false, at, ended: ts });
  }

  #tool({ ts, payload }: SessionEventOf<'tool.update'>): boolean {
    const { callId, tool, status, input } = payload;
    const here = this.#list.find('tool', callId);
    const over = status === 'completed' || status === 'error';
    // An earlier state that arrives late is ignored.
    if (here !== undefined && CALL_RANK[here.status] > CALL_RANK[status]) return false;
    const words = callTexts({
      ...payload,
      input: input === undefined ? undefined : JSON.stringify(input),
    });
    const next: Block = {
      ...(here ?? { kind: 'tool', id: callId, at: ts }),
      ...{ tool, status },
      ...words,
      ...callDetails(payload),
      ...(over && { ended: here?.ended ?? ts }),
    };
    return here !== undefined && JSON.stringify(here) === JSON.stringify(next)
      ? false
      : this.#put(next);
  }

  #progress({ ts, payload }: SessionEventOf<'progress.update'>): boolean {
    if (payload.kind === 'tokens') {
      this.#contextBefore = this.#tokens?.context;
      this.#tokens = withTokens(this.#tokens, payload, ts);
      return true;
    }
    if (payload.kind === 'compacted') {
      return this.#compacted(ts, payload);
    }
    if (payload.kind !== 'todo' || ts <= this.#todosAt) return false;
    const block = todosBlock(this.#list, (this.#todosAt = ts), payload.todos);
    return block !== undefined && this.#put(block);
  }

  /** The event with its tokens, if there is one, came directly before. */
  #compacted(at: number, { messageId, summary }: Compacted): boolean {
    const id = `compacted ${messageId ?? at}`;
    if (this.#list.find('compacted', id) !== undefined) return false;
    const sizes = messageId !== undefined && {
      before: this.#contextBefore,
      after: this.#tokens?.context,
    };
    const told = summary !== undefined && { summary: truncateText(summary) };
    return this.#put({ kind: 'compacted', id, at, ...told, ...sizes });
  }

  #turn({ ts, payload }: SessionEventOf<'turn.end'>): boolean {
    const { messageId, reason, error } = payload;
    const id = `turn ${messageId ?? ts}`;
    if (this.#list.find('turn', id) !== undefined) return false;
    this.#closeParts(ts);
    const told = error === undefined ? {} : { error };
    const changedTasks = this.#changedTasks();
    return this.#put({ kind: 'turn', id, reason, ...told, changedTasks, at: ts });
  }

  /** Number of tasks that the agent changed since the last turn ended. */
  #changedTasks(): number {
    const keys = new Set<string>();
    let more = 0;
    this.#list.walkBack((block) => {
      if (block.kind === 'turn') return false;
      if (block.kind !== 'board' || block.by !== 'agent') return true;
      for (const { key } of block.changes) keys.add(`${block.path}\n${key}`);
      more += block.more ?? 0;
      return true;
    });
    return keys.size + more;
  }

  /** Ends parts that were still growing; their whole text never arrived. */
  #closeParts(ended: number): boolean {
    const open = [...this.#live];
    this.#live.clear();
    for (const id of open) {
      const here = this.#findText(id);
      if (here?.live === true) this.#put({ ...here, live: false, partial: true, ended });
    }
    return open.length > 0;
  }

  /**
   * Merges OpenCode's current state of the session. If messages were missed, adds a `missed` block,
   * once.
   */
  #snapshot({ ts, payload }: SessionEventOf<'snapshot'>): boolean {
    const { state, resync = false, part, more } = payload;
    const known = this.#list.length > 0;
    if (part === 1) this.#missedReported = false;
    const blocks = snapshotBlocks({ ...state, status: more ? 'idle' : state.status });
    const first = this.#list.merge(blocks, betterBlock);
    for (const block of blocks) if ('live' in block && block.live) this.#live.add(block.id);
    if (first !== undefined && known && resync && !this.#missedReported) {
      this.#missedReported = true;
      this.#list.insert(first, { kind: 'missed', id: `missed ${ts}`, at: ts });
    }
    if (resync && !more && state.status === 'idle') this.#closeParts(ts);
    if (resync && part === 1) this.#putAll(waitingBlocks(this.#list, state, ts));
    return true;
  }
}
