import type { Undo } from '../../core/ports';

/** Calls that are under way, by their sessions. */
export class OpenCalls {
  /** how often each call is asked for at the moment */
  private readonly calls = new Map<string, Map<string, number>>();

  /** @returns what ends it */
  add(sessionId: string, callId: string): Undo {
    const calls = this.calls.get(sessionId) ?? new Map<string, number>();
    this.calls.set(sessionId, calls.set(callId, (calls.get(callId) ?? 0) + 1));
    return () => {
      const left = (calls.get(callId) ?? 0) - 1;
      if (left > 0) calls.set(callId, left);
      else calls.delete(callId);
      if (calls.size === 0 && this.calls.get(sessionId) === calls) this.calls.delete(sessionId);
    };
  }

  of(sessionId: string): readonly string[] {
    return [...(this.calls.get(sessionId)?.keys() ?? [])];
  }
}
