import { StoreError, type NoteStore } from '../../ports';
import { block, blockKey, type Block } from '../transcript/transcript';
import { betterBlock, mergeBlocks, unitsOf } from '../transcript/block-list';
import '../../../protocol/jitless';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';

/** Converts a session's id to the name of a folder, and back. */
interface FolderNames {
  /** @param taken existing names, as the file system gives them */
  encode(sessionId: string, taken: readonly string[]): string;
  /** whether the id can be a folder's name */
  fits(sessionId: string): boolean;
  /** undefined if it is not the name of a session's folder */
  decode(name: string): string | undefined;
}

export interface SessionFilesDeps {
  readonly store: NoteStore;
  /** the folder `sessions/` in the state of the boards, relative to the vault */
  readonly root: string;
  readonly names: FolderNames;
  /** Reports damaged files to the person; they are kept as a copy. */
  readonly notify: (problem: string) => void;
}

const HEAD_FILE = 'session.json';

const PAGE_FILE = /^talk-(\d{1,9})\.jsonl$/;

/**
 * A page with a number this far beyond the listed ones is not ours: continuing after it would use
 * up the numbers.
 */
const FAR = 100_000;

/** The sessions on disk: a folder each, with a head and the pages of the transcript. */
export class SessionFiles {
  constructor(private readonly deps: SessionFilesDeps) {}

  /** Whether a session with this id can be stored. */
  fits(sessionId: string): boolean {
    return this.deps.names.fits(sessionId);
  }

  /** Ids of the sessions that have a folder. @throws StoreError */
  async ids(): Promise<readonly string[]> {
    return (await this.#folders()).flatMap((name) => this.deps.names.decode(name) ?? []);
  }

  /**
   * @returns undefined if there is none, or if it is damaged; then a copy is kept.
   * @throws StoreError
   */
  async head(sessionId: string): Promise<StoredHead | undefined> {
    const folder = await this.#folder(sessionId);
    const text = await this.#readable(`${folder}/${HEAD_FILE}`);
    if (text === undefined) return undefined;
    const head = readHead(text);
    if (head === undefined) await this.#backUpDamaged(folder, HEAD_FILE, text);
    return head;
  }

  /** @throws StoreError */
  async saveHead(sessionId: string, head: StoredHead): Promise<void> {
    await this.#write(`${await this.#folder(sessionId)}/${HEAD_FILE}`, `${JSON.stringify(head)}\n`);
  }

  /**
   * Reads the transcript: the pages in the order of the head, merged with pages that the head does
   * not list because of a crash. A damaged page counts as empty; from the number `free` on no page
   * exists.
   * @throws StoreError
   */
  async pages(sessionId: string, named: readonly number[]) {
    const folder = await this.#folder(sessionId);
    const far = Math.max(0, ...named) + FAR;
    const there = (await this.#numbers(folder)).filter((number) => number < far);
    const order = [...new Set([...named.filter((one) => there.includes(one)), ...there])];
    const pages: Page[] = [];
    let blocks: readonly Block[] = [];
    let damaged = false;
    for (const number of order) {
      const page = await this.#page(folder, number);
      pages.push({ number, blocks: page.damaged ? [] : page.blocks });
      damaged ||= page.damaged;
      blocks = named.includes(number)
        ? [...blocks, ...page.blocks]
        : mergeBlocks(blocks, page.blocks, betterBlock).blocks;
    }
    return { pages, blocks, damaged, free: Math.max(0, ...there) + 1 };
  }

  /** @throws StoreError */
  async savePage(sessionId: string, { number, blocks }: Page): Promise<void> {
    await this.#write(`${await this.#folder(sessionId)}/talk-${number}.jsonl`, pageText(blocks));
  }

  /** @throws StoreError */
  async removePage(sessionId: string, number: number): Promise<void> {
    await this.deps.store.remove(`${await this.#folder(sessionId)}/talk-${number}.jsonl`);
  }

  /**
   * Removes all files of a session; the head goes last, so that the removal can be repeated.
   * @throws StoreError
   */
  async remove(sessionId: string): Promise<void> {
    const folder = await this.#folder(sessionId);
    const names = (await this.deps.store.list(folder)).map(({ name }) => name);
    for (const name of names) {
      if (/^(talk-|session\.damaged)/.test(name)) await this.deps.store.remove(`${folder}/${name}`);
    }
    await this.deps.store.remove(`${folder}/${HEAD_FILE}`);
  }

  /** The raw texts of a session's pages, oldest first. @throws StoreError */
  async texts(sessionId: string, named: readonly number[]): Promise<readonly string[]> {
    const folder = await this.#folder(sessionId);
    const there = await this.#numbers(folder);
    const texts: string[] = [];
    for (const number of named.filter((one) => there.includes(one))) {
      texts.push((await this.#readable(`${folder}/talk-${number}.jsonl`)) ?? '');
    }
    return texts;
  }

  async #page(folder: string, number: number): Promise<ReturnType<typeof readPage>> {
    const name = `talk-${number}.jsonl`;
    const text = (await this.#readable(`${folder}/${name}`)) ?? '';
    const page = readPage(text);
    if (page.damaged) await this.#backUpDamaged(folder, name, text);
    return page;
  }

  /** Copies a damaged file: the next save overwrites it, and the person may still want it. */
  async #backUpDamaged(folder: string, name: string, text: string): Promise<void> {
    const aside = `${folder}/${name.replace('.', '.damaged.')}`;
    await this.deps.store.update(aside, () => text);
    this.deps.notify(
      `A part of a conversation is damaged. It is kept as ${aside}; the rest is shown.`,
    );
  }

  async #numbers(folder: string): Promise<readonly number[]> {
    const entries = await this.deps.store.list(folder);
    return entries
      .flatMap(({ name }) => PAGE_FILE.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  /**
   * Reads a file; one that is not text is reported and treated as missing.
   * @throws StoreError `io`
   */
  async #readable(path: string): Promise<string | undefined> {
    try {
      return await this.deps.store.read(path);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code === 'io') throw error;
      this.deps.notify(`${path} can't be read: ${error.message}`);
      return undefined;
    }
  }

  async #write(path: string, text: string): Promise<void> {
    await this.deps.store.update(path, () => text);
  }

  async #folder(sessionId: string): Promise<string> {
    return `${this.deps.root}/${this.deps.names.encode(sessionId, await this.#folders())}`;
  }

  async #folders(): Promise<readonly string[]> {
    const entries = await this.deps.store.list(this.deps.root);
    return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => name);
  }
}

const count = lazy(() => z.int().check(z.nonnegative()));

/** Many times what the limits of a transcript allow. */
const MAX_PAGES = 10_000;

/** `session.json`: the data of a session besides its transcript. */
const storedHead = lazy(() =>
  z.object({
    v: z.literal(1),
    title: z.string(),
    parentId: z.nullable(z.string()),
    agent: z.nullable(z.string()),
    /** ms since the epoch */
    lastActive: z.number(),
    /** numbers of the pages of its transcript, oldest first */
    pages: z.array(count()).check(z.maxLength(MAX_PAGES)),
    /** whether OpenCode may have earlier messages */
    older: z.boolean(),
    tokens: z.optional(
      z.object({
        input: count(),
        output: count(),
        context: z.optional(count()),
        limit: z.optional(count()),
      }),
    ),
    /** whether the person set a title that OpenCode does not have yet */
    renamed: z.optional(z.boolean()),
  }),
);

export type StoredHead = Readonly<z.infer<ReturnType<typeof storedHead>>>;

/** A stored session. */
export interface StoredSession extends StoredHead {
  readonly id: string;
}

export const NEW_HEAD: StoredHead = {
  v: 1,
  title: '',
  parentId: null,
  agent: null,
  lastActive: 0,
  pages: [],
  older: true,
};

/** @returns undefined if the text is damaged, or of a later version */
function readHead(text: string): StoredHead | undefined {
  try {
    const read = storedHead().safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** A part of a transcript that is stored in a file of its own. */
export interface Page {
  readonly number: number;
  readonly blocks: readonly Block[];
}

/** UTF-16 units after which a new page begins. */
const FULL_PAGE = 64 * 1024;

interface Group {
  readonly number: number;
  readonly blocks: Block[];
  units: number;
}

/**
 * Decides which pages of a transcript have to be written, given the `saved` pages on disk: those with a new
 * or changed block. A block stays on its page, so text at the end of a long transcript never rewrites all
 * of it.
 * @param free from this number on no page exists
 * @returns all pages, oldest first, those of them that have to be written, and the numbers of files that
 *   are no longer used
 */
export function planPages(saved: readonly Page[], blocks: readonly Block[], free: number) {
  const homes = new Map(
    saved.flatMap(({ number, blocks: on }) =>
      on.map((block) => [blockKey(block), number] as const),
    ),
  );
  const opened = new Map<number, Group>();
  let unused = free;
  let group: Group | undefined;
  const open = (number: number): Group => {
    const fresh: Group = { number, blocks: [], units: 0 };
    opened.set(number, fresh);
    return fresh;
  };
  for (const block of blocks) {
    const home = homes.get(blockKey(block));
    if (home !== undefined && !opened.has(home)) group = open(home);
    else if (group === undefined || (home === undefined && group.units >= FULL_PAGE)) {
      group = open(unused++);
    }
    group.blocks.push(block);
    group.units += unitsOf(block);
  }
  const before = new Map(saved.map((page) => [page.number, page]));
  const groups = [...opened.values()];
  const pages = groups.map((now) => unchanged(before.get(now.number), now) ?? now);
  return {
    pages,
    write: pages.filter((page) => before.get(page.number) !== page),
    drop: [...before.keys()].filter((number) => !opened.has(number)),
  };
}

/** Returns the saved page if it need not be written again. */
function unchanged(saved: Page | undefined, now: Page): Page | undefined {
  if (saved?.blocks.length !== now.blocks.length) return undefined;
  const same = now.blocks.every((block, index) => isSavedEnough(saved.blocks[index], block));
  return same ? saved : undefined;
}

/**
 * Whether a block need not be saved again. A growing text is saved again only when it has doubled,
 * so the total written is linear in its length, not quadratic.
 */
function isSavedEnough(saved: Block | undefined, now: Block): boolean {
  if (saved === now) return true;
  if (saved === undefined || !('live' in saved) || !('live' in now)) return false;
  return saved.id === now.id && saved.live && now.live && now.text.length < saved.text.length * 2;
}

/**
 * UTF-16 units of a permission request's metadata above which they are not stored: a diff may be as
 * large as a note.
 */
const MAX_METADATA = 32 * 1024;

/** The text of a page: one block per line, as JSON. */
export function pageText(blocks: readonly Block[]): string {
  return blocks.map((one) => `${JSON.stringify(storableBlock(one))}\n`).join('');
}

/**
 * Parses the blocks of a page; a block that was still growing becomes `partial`. Lines that are
 * torn or invalid are skipped.
 */
export function readPage(text: string): {
  readonly blocks: readonly Block[];
  readonly damaged: boolean;
} {
  const lines = text.split('\n').filter((line) => line !== '');
  const blocks = lines.flatMap((line) => readBlock(line) ?? []);
  return { blocks, damaged: blocks.length < lines.length || !/(^|\n)$/.test(text) };
}

function readBlock(line: string): Block | undefined {
  try {
    const read = block().safeParse(JSON.parse(line));
    if (!read.success) return undefined;
    const { data } = read;
    return 'live' in data && data.live ? { ...data, live: false, partial: true } : data;
  } catch {
    return undefined;
  }
}

function storableBlock(one: Block): Block {
  if (one.kind !== 'permission') return one;
  const { request } = one;
  if (JSON.stringify(request.metadata).length <= MAX_METADATA) return one;
  return { ...one, request: { ...request, metadata: {} } };
}
