import type { Need } from './need';

/** Words for the agent that the person has begun and not sent, by request: a dialog that closes keeps them. */
export class UnsentWords {
  private readonly words = new Map<string, string>();

  of(requestId: string): string {
    return this.words.get(requestId) ?? '';
  }

  keep(requestId: string, words: string): void {
    if (words === '') this.words.delete(requestId);
    else this.words.set(requestId, words);
  }

  /** Those of what is over go; what asks anew, since the note changed, has those of its first request. */
  follow(needs: readonly Need[]): void {
    for (const { request } of needs) {
      if (!('replaces' in request) || request.replaces === undefined) continue;
      const before = this.words.get(request.replaces);
      if (before !== undefined && this.of(request.requestId) === '') {
        this.words.set(request.requestId, before);
      }
    }
    const there = new Set(needs.map(({ request }) => request.requestId));
    for (const id of [...this.words.keys()]) if (!there.has(id)) this.words.delete(id);
  }
}
