import type { OpencodeEvent } from './opencode-events';

/** Counts the calls of our tools as OpenCode sees them, wherever they ran. */
export class CallTracker {
  private readonly open = new Map<string, string>();
  private readonly done = new Set<string>();
  private readonly unknown = new Set<string>();

  constructor(private readonly isOurs: (tool: string) => boolean) {}

  /** calls that ended, with a result or with an error */
  get ended(): number {
    return this.done.size;
  }

  /** calls that OpenCode rejected, since it has no such tool */
  get unknownCalls(): number {
    return this.unknown.size;
  }

  /** ids of the calls that have started and not ended; of all sessions, if `sessionId` is absent */
  unanswered(sessionId?: string): readonly string[] {
    const all = [...this.open];
    return all.filter(([, owner]) => !sessionId || owner === sessionId).map(([call]) => call);
  }

  handleEvent(event: OpencodeEvent): void {
    if (event.type !== 'message.part.updated') return;
    const { part } = event.properties;
    if (part.type !== 'tool' || part.callID === undefined || part.state === undefined) return;
    const call = `${part.sessionID}/${part.callID}`;
    if (part.tool === undefined || !this.isOurs(part.tool)) {
      // OpenCode turns a call of an unknown tool into one of its own tool `invalid`.
      if (this.open.delete(call)) this.unknown.add(call);
      return;
    }
    const finished = part.state.status === 'completed' || part.state.status === 'error';
    if (!finished) return void (this.done.has(call) || this.open.set(call, part.sessionID));
    this.open.delete(call);
    this.done.add(call);
  }
}
