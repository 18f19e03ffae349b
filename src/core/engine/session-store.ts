import { jsonAs } from '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { StoreError, type Log, type NoteStore } from '../ports';
import { sessionFacts, logRecord, type SessionFacts, type LogRecord } from './session-log';

/** Sessions of an agent that are not listed, the newest. */
const MOST_HIDDEN = 2_000;

const hiddenIds = lazy(() => z.array(z.string()));

/** Bytes of one session's file: stores read no more of a file, so a longer one would be lost. */
const MOST = 16 * 1024 * 1024;

/** Bytes that a prompt leaves free, for what answers it. */
const ROOM = 4 * 1024 * 1024;

const FULL =
  'This session is full: 16 MB were said in it. Start a new one; Hand over plan… in Obsidian, or agent-boards handoff, takes its plan along.';

/**
 * The sessions of the engine on disk, two files each: `<id>.json` with what is known of it, `<id>.jsonl` with
 * what was said, a line each, which only grows. A line that a crash cut, or that is not understood, is left out.
 */
export class EngineSessionStore {
  #ignored = false;

  /** @param folder relative to the vault */
  constructor(
    private readonly deps: { readonly store: NoteStore; readonly log: Log },
    private readonly folder: string,
  ) {}

  /** @throws StoreError */
  async all(): Promise<readonly SessionFacts[]> {
    const entries = await this.deps.store.list(this.folder);
    const ids = entries.flatMap(({ name }) => (name.endsWith('.json') ? [name.slice(0, -5)] : []));
    const found = await Promise.all(ids.map((id) => this.facts(id)));
    return found.filter((one) => one !== undefined);
  }

  /** Undefined where there is no such session. @throws StoreError */
  async facts(id: string): Promise<SessionFacts | undefined> {
    if (!FITS.test(id)) return undefined;
    const read = jsonAs(sessionFacts(), await this.deps.store.read(this.#path(id, 'json')));
    return read?.id === id ? read : undefined;
  }

  /** @throws StoreError */
  async keepFacts(facts: SessionFacts): Promise<void> {
    await this.#ignore();
    await this.deps.store.update(this.#path(facts.id, 'json'), () => `${JSON.stringify(facts)}\n`);
  }

  /** A session with what was said in it elsewhere; what a crash cuts short is done anew. @throws StoreError */
  async keepWhole(facts: SessionFacts, records: readonly LogRecord[]): Promise<void> {
    await this.#ignore();
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    await this.deps.store.update(this.#path(facts.id, 'jsonl'), () => lines.join(''));
    await this.keepFacts(facts);
  }

  /** Sessions that the agent behind the engine has, by its ids, which are nothing to a person. @throws StoreError */
  async hidden(): Promise<readonly string[]> {
    return jsonAs(hiddenIds(), await this.deps.store.read(`${this.folder}/hidden.json`)) ?? [];
  }

  /** @throws StoreError */
  async hide(agentSession: string): Promise<void> {
    await this.#ignore();
    await this.deps.store.update(`${this.folder}/hidden.json`, (text) => {
      const ids = jsonAs(hiddenIds(), text) ?? [];
      return `${JSON.stringify([...ids, agentSession].slice(-MOST_HIDDEN))}\n`;
    });
  }

  /** @throws StoreError */
  async records(id: string): Promise<readonly LogRecord[]> {
    const text = (await this.deps.store.read(this.#path(id, 'jsonl'))) ?? '';
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

  /** Settles when it is on the disk. @throws StoreError `too_large` where the session is full */
  async add(id: string, record: LogRecord): Promise<void> {
    const path = this.#path(id, 'jsonl');
    const line = `${JSON.stringify(record)}\n`;
    const { size = 0 } = (await this.deps.store.stat(path)) ?? {};
    const free = MOST - size - (record.kind === 'prompt' ? ROOM : 0);
    if (new TextEncoder().encode(line).length > free) throw new StoreError('too_large', FULL);
    if (await this.deps.store.append(path, line, MOST)) return;
    await this.deps.store.update(path, (text = '') => {
      const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
      return whole + line;
    });
  }

  /** A number that is another one once anybody wrote there, and when that was. @throws StoreError */
  async stamp(id: string): Promise<{ readonly size: number; readonly mtime: number }> {
    const said = await this.deps.store.stat(this.#path(id, 'jsonl'));
    const facts = said ?? (await this.deps.store.stat(this.#path(id, 'json')));
    return { size: said?.size ?? 0, mtime: facts?.mtime ?? 0 };
  }

  /** @throws StoreError */
  async remove(id: string): Promise<void> {
    await this.deps.store.remove(this.#path(id, 'jsonl'));
    await this.deps.store.remove(this.#path(id, 'json'));
  }

  async #ignore(): Promise<void> {
    if (this.#ignored) return;
    await this.deps.store.update(`${this.folder}/.gitignore`, (text) => text ?? '*\n');
    this.#ignored = true;
  }

  #path(id: string, kind: 'json' | 'jsonl'): string {
    return `${this.folder}/${id}.${kind}`;
  }
}

/** Ids that this engine gives. */
const FITS = /^ses_[a-z0-9]{1,64}$/;
