/** What happened, line by line, each with its moment and who did or said it. */
export class Story {
  readonly #lines: string[] = [];

  tell(who: string, what: string): void {
    this.#lines.push(`${new Date().toISOString()} ${who}: ${what}`);
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }
}
