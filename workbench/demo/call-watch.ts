import type { OpencodeEvent } from './opencode-events';

/** Counts the calls of our tools as OpenCode itself sees them, whoever ran them. */
export class CallWatch {
  private readonly open = new Map<string, string>();
  private readonly done = new Set<string>();
  private readonly unknown = new Set<string>();

  constructor(private readonly isOurs: (tool: string) => boolean) {}

  /** calls that ended, with a result or with an error */
  get ended(): number {
    return this.done.size;
  }

  /** calls that OpenCode could not even hand on: it has no such tool */
  get unoffered(): number {
    return this.unknown.size;
  }

  /** ids of the calls of a session (of all, without one) that have begun and not ended */
  unanswered(sessionId?: string): readonly string[] {
    const all = [...this.open];
    return all.filter(([, owner]) => !sessionId || owner === sessionId).map(([call]) => call);
  }

  take(event: OpencodeEvent): void {
    if (event.type !== 'message.part.updated') return;
    const { part } = event.properties;
    if (part.type !== 'tool' || part.callID === undefined || part.state === undefined) return;
    const call = `${part.sessionID}/${part.callID}`;
    if (part.tool === undefined || !this.isOurs(part.tool)) {
      // A call of a tool that OpenCode does not have goes on as its own tool `invalid`.
      if (this.open.delete(call)) this.unknown.add(call);
      return;
    }
    const finished = part.state.status === 'completed' || part.state.status === 'error';
    if (!finished) return void (this.done.has(call) || this.open.set(call, part.sessionID));
    this.open.delete(call);
    this.done.add(call);
  }
}
