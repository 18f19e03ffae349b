/** What was given to a command: its words, and its options by name. */
export class Given {
  constructor(
    readonly words: readonly string[],
    private readonly options: Readonly<Record<string, string | boolean | undefined>>,
  ) {}

  text(name: string): string | undefined {
    const value = this.options[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** of the options that are given */
  get names(): readonly string[] {
    return Object.keys(this.options).filter((name) => this.options[name] !== undefined);
  }

  flag(name: string): boolean {
    return this.options[name] === true;
  }

  /** `1,3` as its parts; undefined where the option is not given. */
  list(name: string): readonly string[] | undefined {
    return this.text(name)
      ?.split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }

  get session(): string | undefined {
    return this.text('session');
  }

  get agent(): string | undefined {
    return this.text('agent');
  }

  get json(): boolean {
    return this.flag('json');
  }
}
