import type { AuditStore } from '../../src/core/permission/audit/audit-store';

/** Audit files in memory, for many appends. */
export class LineStore implements AuditStore {
  private readonly files = new Map<string, string[]>();

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.files.keys()]);
  }

  read(name: string): Promise<string | undefined> {
    return Promise.resolve(this.files.get(name)?.join(''));
  }

  append(name: string, text: string): Promise<void> {
    const texts = this.files.get(name) ?? [];
    texts.push(text);
    this.files.set(name, texts);
    return Promise.resolve();
  }

  replace(name: string, text: string): Promise<void> {
    this.files.set(name, [text]);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.files.delete(name);
    return Promise.resolve();
  }
}
