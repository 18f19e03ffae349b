import type { Endpoint } from './connection';

/** Which connection has which of the bridges that are there: no bridge has two. */
export class Claims {
  readonly #held = new Map<string, Endpoint>();

  of(connection: string): Endpoint | undefined {
    return this.#held.get(connection);
  }

  hold(connection: string, endpoint: Endpoint): void {
    this.#held.set(connection, endpoint);
  }

  /** Its own bridge as long as that is among the found ones, else the first that is free. */
  take(connection: string, found: readonly Endpoint[]): Endpoint | undefined {
    const held = this.#held.get(connection);
    const taken = found.find((one) => held && isSame(one, held)) ?? this.free(found)[0];
    if (taken === undefined) this.#held.delete(connection);
    else this.#held.set(connection, taken);
    return taken;
  }

  /** Those of the found ones that no connection has. */
  free(found: readonly Endpoint[]): readonly Endpoint[] {
    const held = [...this.#held.values()];
    return found.filter((one) => !held.some((other) => isSame(one, other)));
  }
}

function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.url === other.url && one.token === other.token;
}
