import { gitIgnoreState } from '../board/state-file';
import { jsonAs } from '../json';
import * as z from 'zod/mini';
import { utf8Length } from '../../protocol/frame-limits';
import { lazy } from '../lazy';
import type { Log, NoteStore, Stat } from '../ports';
import { sessionFacts, logRecord, type SessionFacts, type LogRecord } from './session-log';

/** How many ids of hidden agent sessions are stored: the newest. */
const MAX_HIDDEN = 2_000;

/** How many ids of empty agent sessions are stored for reuse. */
const MAX_SPARE = 8;

const agentIds = lazy(() => z.array(z.string()));

/**
 * Maximum bytes of one session's file: stores read no more of a file, so the rest would be lost.
 */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Bytes that a prompt leaves free for its answer. */
const ANSWER_RESERVE = 4 * 1024 * 1024;

/** Message for a session whose file takes no more. */
export const FULL_MESSAGE =
  'This session is full: 16 MB were said in it. Start a new one; Hand over plan… in Obsidian, or agent-boards handoff, takes its plan along.';

/**
 * The sessions of the engine on disk, two files each: `<id>.json` with its facts, and `<id>.jsonl`
 * with its records, one per line, which only grows. A line that a crash cut, or that can't be
 * parsed, is skipped.
 */
export class EngineSessionStore {
  #ignored = false;
  /** ids of sessions that need not be looked for in the former folder */
  readonly #moved = new Set<string>();
  /** what was read of sessions for a list, with the state of the file it was read from */
  readonly #listed = new Map<string, Stat & { readonly facts: SessionFacts | undefined }>();

  /**
   * @param folder relative to the vault
   * @param formerFolder a former folder: sessions in it are found too, and moved when they are written to
   */
  constructor(
    private readonly deps: { readonly store: NoteStore; readonly log: Log },
    private readonly folder: string,
    private readonly formerFolder?: string,
  ) {}

  /** @throws StoreError */
  async all(): Promise<readonly SessionFacts[]> {
    const found = await Promise.all((await this.#ids()).map((id) => this.#listedFacts(id)));
    return found.filter((one) => one !== undefined);
  }

  /**
   * The sessions that were changed last, the newest first; reads no others.
   * @throws StoreError
   */
  async newest(
    most: number,
  ): Promise<readonly { readonly facts: SessionFacts; readonly updated: number }[]> {
    const ids = await this.#ids();
    const stamped = await Promise.all(
      ids.map(async (id) => ({ id, updated: (await this.stamp(id)).mtime })),
    );
    const rest = stamped.sort((a, b) => b.updated - a.updated);
    const newest: { readonly facts: SessionFacts; readonly updated: number }[] = [];
    // One that can't be read makes room for the next.
    while (newest.length < most && rest.length > 0) {
      const next = rest.splice(0, most - newest.length);
      const all = await Promise.all(next.map(({ id }) => this.#listedFacts(id)));
      for (const [at, facts] of all.entries()) {
        if (facts !== undefined) newest.push({ facts, updated: next[at]?.updated ?? 0 });
      }
    }
    return newest;
  }

  async #ids(): Promise<readonly string[]> {
    const entries = await Promise.all(this.#folders.map((one) => this.deps.store.list(one)));
    const names = entries.flat().map(({ name }) => name);
    const ids = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []));
    return [...new Set(ids)].filter((id) => SESSION_ID.test(id));
  }

  /** Like `facts`, but reads them only if their file has changed since. */
  async #listedFacts(id: string): Promise<SessionFacts | undefined> {
    const stat = await this.#stat(`${id}.json`);
    if (stat === undefined) return undefined;
    const known = this.#listed.get(id);
    if (known?.mtime === stat.mtime && known.size === stat.size) return known.facts;
    const facts = await this.facts(id);
    this.#listed.set(id, { ...stat, facts });
    return facts;
  }

  /** Undefined if there is no such session. @throws StoreError */
  async facts(id: string): Promise<SessionFacts | undefined> {
    if (!SESSION_ID.test(id)) return undefined;
    const read = jsonAs(sessionFacts(), await this.#read(`${id}.json`));
    return read?.id === id ? read : undefined;
  }

  /** @throws StoreError */
  async saveFacts(facts: SessionFacts): Promise<void> {
    await this.#ignore();
    await this.#move(facts.id);
    await this.deps.store.update(this.#path(facts.id, 'json'), () => `${JSON.stringify(facts)}\n`);
  }

  /**
   * Stores a session that was created elsewhere with all its records; after a crash it can be
   * repeated.
   * @throws StoreError
   */
  async saveWhole(facts: SessionFacts, records: readonly LogRecord[]): Promise<void> {
    await this.#ignore();
    await this.#move(facts.id);
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    await this.deps.store.update(this.#path(facts.id, 'jsonl'), () => lines.join(''));
    await this.saveFacts(facts);
  }

  /** The agent's ids of its sessions that are not shown to the person. @throws StoreError */
  async hidden(): Promise<readonly string[]> {
    const texts = this.#folders.map((one) => this.deps.store.read(`${one}/hidden.json`));
    return (await Promise.all(texts)).flatMap((text) => jsonAs(agentIds(), text) ?? []);
  }

  /** @throws StoreError */
  async hide(agentSession: string): Promise<void> {
    await this.#changeIds('hidden', (ids) => [...ids, agentSession].slice(-MAX_HIDDEN));
  }

  /**
   * Stores the id of an empty session of the agent, for the next session that starts.
   * @throws StoreError
   */
  async saveSpare(agentSession: string): Promise<void> {
    await this.#changeIds('spare', (ids) => [...ids, agentSession].slice(-MAX_SPARE));
  }

  /**
   * Takes one of these ids, so that no other program gets it; undefined if there is none.
   * @throws StoreError
   */
  async takeSpare(): Promise<string | undefined> {
    let taken: string | undefined;
    if ((await this.deps.store.read(`${this.folder}/spare.json`)) === undefined) return undefined;
    await this.#changeIds('spare', (ids) => {
      taken = ids.at(-1);
      return ids.slice(0, -1);
    });
    return taken;
  }

  async #changeIds(
    name: 'hidden' | 'spare',
    change: (ids: readonly string[]) => readonly string[],
  ): Promise<void> {
    await this.#ignore();
    await this.deps.store.update(`${this.folder}/${name}.json`, (text) => {
      return `${JSON.stringify(change(jsonAs(agentIds(), text) ?? []))}\n`;
    });
  }

  /** @throws StoreError */
  async records(id: string): Promise<readonly LogRecord[]> {
    const text = (await this.#read(`${id}.jsonl`)) ?? '';
    const lines = text.split('\n').filter((line) => line !== '');
    const records = lines.flatMap((line) => jsonAs(logRecord(), line) ?? []);
    if (records.length < lines.length) {
      const lost = lines.length - records.length;
      this.deps.log.note('A part of a session can’t be read, and is left out.', {
        ...{ at: 'session.read', sessionId: id, lines: lost },
      });
    }
    return records;
  }

  /**
   * Settles when those that fit are on the disk.
   * @returns by how many bytes the file has grown, and whether all of them did fit
   * @throws StoreError
   */
  async add(
    id: string,
    records: readonly LogRecord[],
  ): Promise<{ readonly bytes: number; readonly fit: boolean }> {
    await this.#move(id);
    const path = this.#path(id, 'jsonl');
    const found = await this.deps.store.stat(path);
    let free =
      MAX_FILE_BYTES -
      (found?.size ?? 0) -
      (records.some(({ kind }) => kind === 'prompt') ? ANSWER_RESERVE : 0);
    const all = records.map((record) => `${JSON.stringify(record)}\n`);
    const fitting = all.filter((line) => {
      const bytes = utf8Length(line);
      if (bytes > free) return false;
      free -= bytes;
      return true;
    });
    const fit = fitting.length === all.length;
    if (fitting.length === 0) return { bytes: 0, fit };
    return { bytes: await this.#append(path, fitting.join(''), found !== undefined), fit };
  }

  /** @returns by how many bytes the file has grown */
  async #append(path: string, lines: string, exists: boolean): Promise<number> {
    const { store } = this.deps;
    let added = lines;
    if (!exists || !(await store.append(path, lines, MAX_FILE_BYTES))) {
      await store.update(path, (text = '') => {
        added = text === '' || text.endsWith('\n') ? lines : `\n${lines}`;
        return text + added;
      });
    }
    return utf8Length(added);
  }

  /**
   * Size of the session's records, which changes when any program writes to it, and the time of the
   * last change.
   * @throws StoreError
   */
  async stamp(id: string): Promise<{ readonly size: number; readonly mtime: number }> {
    const said = await this.#stat(`${id}.jsonl`);
    const facts = said ?? (await this.#stat(`${id}.json`));
    return { size: said?.size ?? 0, mtime: facts?.mtime ?? 0 };
  }

  async #stat(name: string): Promise<Stat | undefined> {
    for (const folder of this.#folders) {
      const found = await this.deps.store.stat(`${folder}/${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** @throws StoreError */
  async remove(id: string): Promise<void> {
    for (const folder of this.#folders) {
      await this.deps.store.remove(`${folder}/${id}.jsonl`);
      await this.deps.store.remove(`${folder}/${id}.json`);
    }
    this.#listed.delete(id);
  }

  get #folders(): readonly string[] {
    return this.formerFolder === undefined ? [this.folder] : [this.folder, this.formerFolder];
  }

  async #read(name: string): Promise<string | undefined> {
    for (const folder of this.#folders) {
      const text = await this.deps.store.read(`${folder}/${name}`);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Moves the records before the facts, so that a crash in between leaves a complete session. */
  async #move(id: string): Promise<void> {
    if (this.formerFolder === undefined || this.#moved.has(id)) return;
    for (const kind of ['jsonl', 'json'] as const) {
      await this.deps.store.rename(`${this.formerFolder}/${id}.${kind}`, this.#path(id, kind));
    }
    this.#moved.add(id);
  }

  async #ignore(): Promise<void> {
    if (this.#ignored) return;
    const { store, log } = this.deps;
    this.#ignored = await gitIgnoreState(store, log, this.folder);
  }

  #path(id: string, kind: 'json' | 'jsonl'): string {
    return `${this.folder}/${id}.${kind}`;
  }
}

/** The form of the ids that this engine assigns. */
const SESSION_ID = /^ses_[a-z0-9]{1,64}$/;
