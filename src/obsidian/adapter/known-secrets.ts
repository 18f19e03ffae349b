import type { Endpoint } from '../../core/session/connection';

/** Tokens that are remembered; a bridge has one for as long as it runs. */
const MOST = 32;

/** What must never be written down: the tokens of all bridges that were found, and the one given by hand. */
export class KnownSecrets {
  private readonly tokens = new Set<string>();

  constructor(private readonly byHand: () => string) {}

  /** Takes note of the tokens of bridges. */
  async learned(found: Promise<readonly Endpoint[]>): Promise<readonly Endpoint[]> {
    const endpoints = await found;
    for (const { token } of endpoints) {
      this.tokens.delete(token);
      this.tokens.add(token);
    }
    for (const token of this.tokens) if (this.tokens.size > MOST) this.tokens.delete(token);
    return endpoints;
  }

  all(): readonly string[] {
    return [...this.tokens, this.byHand()];
  }
}
