import type { InsideCheck } from './inside-check';
import type { VaultFiles } from './vault-files';

/**
 * The adapter, which follows links, kept inside the vault: right before each step that writes it is
 * looked where its path leads, and after a text was written again. What came to stand outside is
 * taken back there. Between look and step a link can be made all the same: the adapter takes names only.
 * @throws StoreError `denied` from a step whose path leads out of the vault, or nowhere
 */
export class InsideFiles implements VaultFiles {
  readonly exists: VaultFiles['exists'];
  readonly stat: VaultFiles['stat'];
  readonly list: VaultFiles['list'];
  readonly readBinary: VaultFiles['readBinary'];

  constructor(
    private readonly files: VaultFiles,
    private readonly check: InsideCheck,
  ) {
    this.exists = files.exists.bind(files);
    this.stat = files.stat.bind(files);
    this.list = files.list.bind(files);
    this.readBinary = files.readBinary.bind(files);
  }

  async write(path: string, text: string): Promise<void> {
    const stood = await this.check(path);
    await this.files.write(path, text);
    await this.checkAfter(path, async () => {
      if (!stood && (await this.holds(path, text))) await this.files.remove(path);
    });
  }

  async append(path: string, text: string): Promise<void> {
    await this.check(path);
    await this.files.append(path, text);
    await this.checkAfter(path, async () => {
      await this.files.process(path, (now) =>
        now.endsWith(text) ? now.slice(0, now.length - text.length) : now,
      );
    });
  }

  async process(path: string, edit: (text: string) => string): Promise<string> {
    let before: string | undefined;
    await this.check(path);
    const after = await this.files.process(path, (text) => {
      const edited = edit(text);
      before = text;
      return edited;
    });
    await this.checkAfter(path, async () => {
      await this.files.process(path, (text) => (text === after ? (before ?? text) : text));
    });
    return after;
  }

  async mkdir(path: string): Promise<void> {
    await this.check(path);
    await this.files.mkdir(path);
  }

  async remove(path: string): Promise<void> {
    await this.check(path);
    await this.files.remove(path);
  }

  private async checkAfter(path: string, takeBack: () => Promise<void>): Promise<void> {
    try {
      await this.check(path);
    } catch (error) {
      await takeBack();
      throw error;
    }
  }

  private async holds(path: string, text: string): Promise<boolean> {
    const bytes = await this.files.readBinary(path);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === text;
  }
}
