/** The errors of a run: sentences without duplicates, oldest first. */
export class Faults {
  private readonly sentences = new Set<string>();

  constructor(private readonly onFault: (sentence: string) => void = () => {}) {}

  get all(): readonly string[] {
    return [...this.sentences];
  }

  add(sentence: string): void {
    if (this.sentences.has(sentence)) return;
    this.sentences.add(sentence);
    this.onFault(sentence);
  }

  /** @param where the step that failed: "Session "x", prompt 2" */
  addError(where: string, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.add(`${where}: ${why}`);
  }
}
