import { StoreError, type NoteStore } from '../ports';
import { fileProblem, type ConfigProblem } from './config-problem';
import { matchesGlob } from './wildcard';

/**
 * An entry of a folder. For links that lead out or nowhere, and for pipes and devices, only their
 * existence is known.
 */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'outside' | 'dangling' | 'other';
  /** for a link that stays inside: the real path, relative to the root */
  readonly real?: string;
}

/**
 * Read-only access to files, with paths as in a NoteStore; '' lists the folder itself. Invalid
 * UTF-8 is read as U+FFFD, as in OpenCode.
 */
export interface FolderReader extends Pick<NoteStore, 'read' | 'stat'> {
  list(folder: string): Promise<readonly FolderEntry[]>;
}

const MEGABYTE = 1024 * 1024;
/** Largest size in bytes for each kind of file. */
export const FILE_LIMITS = {
  configuration: MEGABYTE,
  agent: 5 * MEGABYTE,
  skill: 5 * MEGABYTE,
  instruction: 10 * MEGABYTE,
};
/** Largest total size of the files of a folder, in bytes. */
const MAX_TOTAL_BYTES = 100 * MEGABYTE;
const MAX_PATH = 4096;
const MAX_LEVELS = 10;
const MAX_ENTRIES = 10_000;

/** The vault, or the person's own OpenCode folder. Reads its files and collects problems. */
export class ConfigFolder {
  /** remaining numbers of entries and of bytes that may be read */
  private remainingEntries = MAX_ENTRIES;
  private remainingBytes = MAX_TOTAL_BYTES;
  /** real paths of folders that were reached through links, by path */
  private readonly linked = new Map<string, string>();

  constructor(
    private readonly files: FolderReader,
    /** prefix of its paths in messages; empty for the vault */
    readonly label: string,
    private readonly problems: ConfigProblem[],
  ) {}

  nameOf(path: string): string {
    return this.label + path;
  }

  /**
   * The text of a file; undefined if there is none, or if it can't be read, which is recorded as a
   * problem.
   */
  async read(path: string, what: keyof typeof FILE_LIMITS): Promise<string | undefined> {
    try {
      const stat = await this.files.stat(path);
      if (stat === undefined) return undefined;
      const isLarge = stat.size > FILE_LIMITS[what];
      if (!isLarge) this.remainingBytes -= stat.size;
      if (!isLarge && this.remainingBytes >= 0)
        return this.warnIfInvalidUtf8(path, await this.files.read(path));
      const most = isLarge ? FILE_LIMITS[what] : MAX_TOTAL_BYTES;
      const message = `is larger than ${most / MEGABYTE} MB${isLarge ? '' : ' with those before it'} and not read here.`;
      this.report(path, 'error', message, 'Make it smaller, or move it out of this folder.');
    } catch (error) {
      this.reportUnreadable(path, error);
    }
    return undefined;
  }

  private warnIfInvalidUtf8(path: string, text: string | undefined): string | undefined {
    const at = text?.indexOf('\uFFFD') ?? -1;
    if (at >= 0) {
      const line = text?.slice(0, at).split('\n').length;
      const message =
        'has "\uFFFD" where bytes are no UTF-8, or were none before. OpenCode reads it so.';
      const fix = 'Write the character that was meant, and save the file as UTF-8.';
      this.problems.push(fileProblem(this.nameOf(path), 'warning', message, fix, line));
    }
    return text;
  }

  async has(path: string): Promise<boolean> {
    try {
      return (await this.files.stat(path)) !== undefined;
    } catch (error) {
      this.reportUnreadable(path, error);
      return false;
    }
  }

  /** All files below a folder, sorted by path. Links that lead out are recorded as problems. */
  async filesBelow(folder: string, level = 0): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { name, kind, real } of await this.entries(folder)) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (kind === 'outside') this.reportOutsideLink(path);
      else if (kind === 'dangling') this.reportBrokenLink(path);
      else if (kind === 'other') this.reportNotFile(path, real);
      else if (kind === 'file') found.push(path);
      else if (level < MAX_LEVELS && path.length <= MAX_PATH) {
        found.push(...(await this.filesBelow(path, level + 1)));
      } else this.report(path, 'error', 'is too deep and not read here.', 'Move it up.');
    }
    return found;
  }

  /** The files that match a pattern with `*`, `?`, `[ab]`, `{a,b}`, and `**` for any folders. */
  async filesMatching(pattern: string): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const one of expandBraces(pattern)) {
      const parts = one.split('/').filter((part) => part !== '' && part !== '.');
      for (const path of await this.match('', parts)) found.add(path);
    }
    return [...found].sort();
  }

  private async match(folder: string, parts: readonly string[]): Promise<readonly string[]> {
    const [part, ...rest] = parts;
    if (part === undefined || folder.split('/').length > MAX_LEVELS) return [];
    const isDeep = part === '**';
    if (isDeep && rest.length > 0 && rest[0] === '**') return this.match(folder, rest);
    const here = isDeep && rest.length > 0 ? await this.match(folder, rest) : [];
    const found = [...here];
    for (const entry of await this.entries(folder)) {
      if (!isDeep && !matchesGlob(part, entry.name, true)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.kind === 'file' && rest.length === 0) found.push(path);
      if (entry.kind === 'folder' && (isDeep || rest.length > 0)) {
        found.push(...(await this.match(path, isDeep ? parts : rest)));
      }
      if (entry.kind === 'outside' && !isDeep) this.reportOutsideLink(path);
      if (entry.kind === 'dangling' && !isDeep) this.reportBrokenLink(path);
      if (entry.kind === 'other' && !isDeep && rest.length === 0)
        this.reportNotFile(path, entry.real);
    }
    return found;
  }

  private async entries(folder: string): Promise<readonly FolderEntry[]> {
    if (this.remainingEntries < 0) return [];
    try {
      const entries = await this.files.list(folder);
      this.remainingEntries -= entries.length + 1;
      if (this.remainingEntries >= 0)
        return entries.filter((entry) => !this.isLinkCycle(folder, entry));
      const fix = 'Name fewer folders, or patterns that match less.';
      this.report(
        folder,
        'error',
        `${MAX_ENTRIES} files were looked at; the rest is not read here.`,
        fix,
      );
    } catch (error) {
      this.reportUnreadable(folder, error);
    }
    return [];
  }

  /** Whether it is a link to a folder that contains it. Following it would never end. */
  private isLinkCycle(folder: string, { name, kind, real }: FolderEntry): boolean {
    if (kind !== 'folder' || real === undefined) return false;
    const path = folder === '' ? name : `${folder}/${name}`;
    this.linked.set(path, real);
    const parts = folder.split('/');
    const ancestors = parts.map((_, at) => this.realOf(parts.slice(0, at + 1).join('/')));
    const isCycle =
      real === '' || ancestors.some((one) => one === real || one.startsWith(`${real}/`));
    if (isCycle) {
      const message =
        'is a link to a folder that it stands in. OpenCode may follow it round and round; here it is not followed.';
      this.report(path, 'error', message, 'Remove the link.');
    }
    return isCycle;
  }

  private realOf(folder: string): string {
    const known = this.linked.get(folder);
    const end = folder.lastIndexOf('/');
    if (known !== undefined || end < 0) return known ?? folder;
    return `${this.realOf(folder.slice(0, end))}${folder.slice(end)}`;
  }

  private reportNotFile(path: string, real: string | undefined): void {
    const what = real === undefined ? 'is' : `is a link to ${real}, which is`;
    const message = `${what} neither a file nor a folder, but a pipe or the like, and is not read.`;
    this.report(path, 'error', message, 'Remove it, or put a file in its place.');
  }

  private reportUnreadable(path: string, error: unknown): void {
    if (!(error instanceof StoreError)) throw error;
    // System errors are wrapped as the cause; without one, we refused a path that leads out.
    if (error.code === 'denied' && error.cause === undefined) return this.reportOutsideLink(path);
    this.problems.push({ ...unreadableProblem(path, error), file: this.nameOf(path) });
  }

  private reportOutsideLink(path: string): void {
    const where = this.label === '' ? 'the vault' : 'its folder';
    const message = `is a link that leads out of ${where}. OpenCode may follow it; here it is not read.`;
    const fix = `Put the file itself into ${where}.`;
    this.report(path, this.label === '' ? 'error' : 'warning', message, fix);
  }

  private reportBrokenLink(path: string): void {
    const fix = 'Remove the link, or put back what it leads to.';
    const severity = this.label === '' ? 'error' : 'warning';
    this.report(path, severity, 'is a link to something that is not there.', fix);
  }

  private report(
    path: string,
    severity: ConfigProblem['severity'],
    message: string,
    fix: string,
  ): void {
    this.problems.push(fileProblem(this.nameOf(path), severity, message, fix));
  }
}

/** The problem for an existing file that can't be read. */
export function unreadableProblem(path: string, { message }: StoreError): ConfigProblem {
  const told = message.replace(`${path}: `, '').replace(`${path} is `, 'it is ');
  const [, why = told, fix = 'Correct that, then look again.'] =
    /^(.+?\.) ([A-Z].*)$/s.exec(told) ?? [];
  return fileProblem(path, 'error', `can't be read: ${why}`, fix);
}

const MAX_ALTERNATIVES = 100;

/** Expands braces: `a/{b,c}.md` gives `a/b.md` and `a/c.md`. Beyond the limit, braces are kept. */
function expandBraces(pattern: string): readonly string[] {
  const found = [pattern];
  for (let at = 0; at < found.length;) {
    const one = found[at] ?? '';
    const open = /\{([^{}]*,[^{}]*)\}/.exec(one);
    const inner = open?.[1]?.split(',') ?? [];
    if (open === null || found.length + inner.length > MAX_ALTERNATIVES) at += 1;
    else {
      const [before, after] = [one.slice(0, open.index), one.slice(open.index + open[0].length)];
      found.splice(at, 1, ...inner.map((part) => before + part + after));
    }
  }
  return found;
}
