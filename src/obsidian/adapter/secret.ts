import type { App } from 'obsidian';

/** One secret, kept by the app's secret storage where there is one, else until the app closes. */
export class Secret {
  private inMemory = '';

  constructor(
    private readonly app: App,
    private readonly id: string,
  ) {}

  get(): string {
    return this.storage()?.getSecret(this.id) ?? this.inMemory;
  }

  set(secret: string): void {
    const storage = this.storage();
    if (storage === undefined) this.inMemory = secret;
    else storage.setSecret(this.id, secret);
  }

  /** Absent in older apps, whatever the types say. */
  private storage(): App['secretStorage'] | undefined {
    return 'secretStorage' in this.app ? this.app.secretStorage : undefined;
  }
}
