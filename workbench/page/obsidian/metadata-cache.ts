import type { CachedMetadata } from 'obsidian';
import {
  MetadataCache as MockCache,
  TFile,
  type App,
  type Vault,
} from 'obsidian-test-mocks/obsidian';

/** A private member of the base class. */
interface PrivateMembers {
  updateLinks(path: string, cache: CachedMetadata): void;
}

/**
 * The app's metadata cache. Differs from its base class as the app does: deleted notes are removed
 * and reported (`deleted`), a rename keeps the metadata, links of other notes are resolved again
 * when files appear or disappear, and each change fires `resolve` and `resolved`.
 */
export class MetadataCache extends MockCache {
  constructor(app: App, vault: Vault) {
    super(app, vault);
    vault.on('create', (file) => this.#onCreate(file));
    vault.on('modify', (file) => this.#triggerResolved(file));
    vault.on('delete', (file) => this.#onDelete(file));
    vault.on('rename', (file, before) => this.#onRename(file, String(before)));
  }

  #onCreate(file: unknown): void {
    if (!(file instanceof TFile)) return;
    this.#updateLinksTo(file.path);
    this.#triggerResolved(file);
  }

  #onDelete(file: unknown): void {
    if (!(file instanceof TFile)) return;
    const cache = this.getCache(file.path);
    this.#forget(file.path);
    this.#updateLinksTo(file.path);
    this.trigger('deleted', file, cache);
    this.trigger('resolved');
  }

  /** A folder's rename moves the metadata of everything in it; the app fires no events for those here. */
  #onRename(file: unknown, before: string): void {
    const path = (file as { path: string }).path;
    for (const old of [...this.cache__.keys()]) {
      if (old !== before && !old.startsWith(`${before}/`)) continue;
      const cache = this.getCache(old);
      this.#forget(old);
      if (cache === null) continue;
      const now = path + old.slice(before.length);
      this.cache__.set(now, cache);
      this.#privateMembers().updateLinks(now, cache);
    }
    this.#updateLinksTo(before);
    this.#triggerResolved(file);
  }

  #forget(path: string): void {
    this.cache__.delete(path);
    Reflect.deleteProperty(this.resolvedLinks, path);
    Reflect.deleteProperty(this.unresolvedLinks, path);
  }

  /** Resolves again the links of notes that link to this path or have unresolved links. */
  #updateLinksTo(path: string): void {
    for (const [source, cache] of this.cache__) {
      const open = Object.keys(this.unresolvedLinks[source] ?? {}).length > 0;
      const there = Object.keys(this.resolvedLinks[source] ?? {}).some(
        (to) => to === path || to.startsWith(`${path}/`),
      );
      if (open || there) this.#privateMembers().updateLinks(source, cache);
    }
  }

  #triggerResolved(file: unknown): void {
    if (!(file instanceof TFile) || file.extension !== 'md') return;
    this.trigger('resolve', file);
    this.trigger('resolved');
  }

  #privateMembers(): PrivateMembers {
    return this as unknown as PrivateMembers;
  }
}
