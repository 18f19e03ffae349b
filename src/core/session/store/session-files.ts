import { StoreError, type NoteStore } from '../../ports';
import type { Block } from '../transcript/block';
import { betterBlock } from '../transcript/better-block';
import { mergeBlocks } from '../transcript/merge-blocks';
import { readHead, type KeptHead } from './kept-session';
import type { Page } from './plan-pages';
import { pageText, readPage } from './page-text';

/** A session's id as the name of a folder, and back. */
export interface FolderNames {
  /** @param taken names that are there, as the file system gives them */
  encode(sessionId: string, taken: readonly string[]): string;
  /** whether the id can name a folder */
  fits(sessionId: string): boolean;
  /** undefined: no name of a session's folder */
  decode(name: string): string | undefined;
}

export interface SessionFilesDeps {
  readonly store: NoteStore;
  /** `sessions/` beside the other state of the boards, relative to the vault */
  readonly root: string;
  readonly names: FolderNames;
  /** What is damaged, for the person; it is kept aside. */
  readonly tell: (problem: string) => void;
}

export interface KeptPages {
  /** as they stand on disk; nothing stands on one that is damaged */
  readonly pages: readonly Page[];
  readonly blocks: readonly Block[];
  readonly damaged: boolean;
  /** from this number on no page exists */
  readonly free: number;
}

const HEAD = 'session.json';
const PAGE = /^talk-(\d{1,9})\.jsonl$/;
/** A page so far behind those that are named is none of ours: to go on after it would run out of numbers. */
const FAR = 100_000;

/** The sessions on disk: a folder each, with a head and the pages of the transcript. */
export class SessionFiles {
  constructor(private readonly deps: SessionFilesDeps) {}

  /** Whether a session of this id can be kept at all. */
  fits(sessionId: string): boolean {
    return this.deps.names.fits(sessionId);
  }

  /** Ids of the sessions that have a folder. @throws StoreError */
  async ids(): Promise<readonly string[]> {
    return (await this.#folders()).flatMap((name) => this.deps.names.decode(name) ?? []);
  }

  /** @returns undefined where there is none, or it is damaged: it is kept aside then. @throws StoreError */
  async head(sessionId: string): Promise<KeptHead | undefined> {
    const folder = await this.#folder(sessionId);
    const text = await this.#readable(`${folder}/${HEAD}`);
    if (text === undefined) return undefined;
    const head = readHead(text);
    if (head === undefined) await this.#keepAside(folder, HEAD, text);
    return head;
  }

  /** @throws StoreError */
  async keepHead(sessionId: string, head: KeptHead): Promise<void> {
    await this.#write(`${await this.#folder(sessionId)}/${HEAD}`, `${JSON.stringify(head)}\n`);
  }

  /**
   * The transcript: the pages in the order that the head names, and between them what a crash left
   * without a name.
   * @throws StoreError
   */
  async pages(sessionId: string, named: readonly number[]): Promise<KeptPages> {
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
  async keepPage(sessionId: string, { number, blocks }: Page): Promise<void> {
    await this.#write(`${await this.#folder(sessionId)}/talk-${number}.jsonl`, pageText(blocks));
  }

  /** @throws StoreError */
  async dropPage(sessionId: string, number: number): Promise<void> {
    await this.deps.store.remove(`${await this.#folder(sessionId)}/talk-${number}.jsonl`);
  }

  /** Everything that is kept of a session here; the head goes last, so that it may be repeated. @throws StoreError */
  async remove(sessionId: string): Promise<void> {
    const folder = await this.#folder(sessionId);
    const names = (await this.deps.store.list(folder)).map(({ name }) => name);
    for (const name of names) {
      if (/^(talk-|session\.damaged)/.test(name)) await this.deps.store.remove(`${folder}/${name}`);
    }
    await this.deps.store.remove(`${folder}/${HEAD}`);
  }

  /** The texts of a session's pages as they stand, oldest first. @throws StoreError */
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
    if (page.damaged) await this.#keepAside(folder, name, text);
    return page;
  }

  /** What can't be read is written anew at the next save; the person may still want the old one. */
  async #keepAside(folder: string, name: string, text: string): Promise<void> {
    const aside = `${folder}/${name.replace('.', '.damaged.')}`;
    await this.deps.store.update(aside, () => text);
    this.deps.tell(
      `A part of a conversation is damaged. It is kept as ${aside}; the rest is shown.`,
    );
  }

  async #numbers(folder: string): Promise<readonly number[]> {
    const entries = await this.deps.store.list(folder);
    return entries
      .flatMap(({ name }) => PAGE.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** A file that is no text is as good as none; what the disk refuses is told. */
  async #readable(path: string): Promise<string | undefined> {
    try {
      return await this.deps.store.read(path);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code === 'io') throw error;
      this.deps.tell(`${path} can't be read: ${error.message}`);
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
