import type { DataAdapter } from 'obsidian';
import type { FoundFile, JournalFiles } from '../../core/board/journal/recover';
import { vaultKey } from './vault-key';

/** What is needed of Obsidian's adapter. Paths are relative to the vault; hidden folders work too. */
export type VaultFiles = Pick<
  DataAdapter,
  'exists' | 'stat' | 'list' | 'readBinary' | 'write' | 'append' | 'process' | 'mkdir' | 'remove'
>;

/** Thrown inside `process` to leave the file as it is. */
class Leave extends Error {}

/** Single steps on files through the adapter, none of them whole by itself: a write may be cut. */
export class VaultSteps implements JournalFiles {
  constructor(private readonly files: VaultFiles) {}

  keyOf(path: string): Promise<string> {
    return vaultKey(path);
  }

  async look(path: string): Promise<FoundFile | undefined> {
    const stat = await this.files.stat(path);
    if (stat?.type !== 'file') return undefined;
    const bytes = new Uint8Array(await this.files.readBinary(path));
    return { bytes, text: decodeText(bytes), mtime: stat.mtime };
  }

  /** Writes what was found to be cut over as it is; nobody has a text in it. */
  async put(path: string, found: FoundFile | undefined, text: string): Promise<boolean> {
    if (found?.text !== undefined) return this.replace(path, found.text, text);
    if (found === undefined) {
      await this.makeFolders(path);
      if (await this.files.exists(path)) return false;
    }
    await this.files.write(path, text);
    return true;
  }

  /** Whatever stands there; the folder has to be there. */
  overwrite(path: string, text: string): Promise<void> {
    return this.files.write(path, text);
  }

  async remove(path: string): Promise<void> {
    if (await this.files.exists(path)) await this.files.remove(path);
  }

  /** @returns false where the file no longer holds `before`; nothing is written then. */
  async replace(path: string, before: string, after: string): Promise<boolean> {
    try {
      await this.files.process(path, (current) => {
        // An adapter may hide the byte order mark; anything else is another writer's change.
        if (current !== before && `\uFEFF${current}` !== before) throw new Leave();
        return after;
      });
      return true;
    } catch (error) {
      if (error instanceof Leave) return false;
      throw error;
    }
  }

  /**
   * Adds to a file what its new text has behind the old one: one write, which a death cuts at its end.
   * What an error cuts is taken away again.
   * @returns what stands then; undefined where that is not how the texts differ, or it was not kept
   */
  async extend(
    path: string,
    before: string | undefined,
    after: string,
  ): Promise<string | undefined> {
    if (before === undefined || before === '' || !after.startsWith(before)) return undefined;
    const more = after.slice(before.length);
    let fault: { readonly error: unknown } | undefined;
    try {
      await this.files.append(path, more);
    } catch (error) {
      fault = { error };
    }
    const now = await this.look(path);
    const text = now?.text;
    // What somebody else has put in between stays.
    if (text !== undefined && text.length >= after.length && text.endsWith(more)) return text;
    if (now !== undefined && text !== before && startsWith(after, now.bytes)) {
      await this.files.write(path, before);
    }
    if (fault !== undefined) throw fault.error;
    return undefined;
  }

  async makeFolders(path: string): Promise<void> {
    const segments = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const folder = segments.slice(0, depth).join('/');
      if (!(await this.files.exists(folder))) await this.files.mkdir(folder);
    }
  }
}

function startsWith(text: string, start: Uint8Array): boolean {
  const bytes = new TextEncoder().encode(text);
  return start.every((byte, at) => byte === bytes[at]);
}

/** Byte order mark included; undefined where the bytes are no UTF-8. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
