/** A log of what happened: one line per event, with its time and source. */
export class EventLog {
  readonly #lines: string[] = [];

  add(who: string, what: string): void {
    this.#lines.push(`${new Date().toISOString()} ${who}: ${what}`);
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }
}
