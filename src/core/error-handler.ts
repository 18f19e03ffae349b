import {
  StoreError,
  type Log,
  type LogContext,
  type NoteStore,
  type Severity,
  type Undo,
} from './ports';

/** A fault and how often it happened. */
export interface LoggedFault {
  /**
   * equal for equal faults: module, operation, the owner of what failed, and the classes of message
   * and error
   */
  readonly key: string;
  readonly severity: Severity;
  readonly module: string;
  readonly operation: string;
  /** the latest one; so are hint and data. Known secrets are removed */
  readonly message: string;
  readonly hint: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly count: number;
  /** ms since the epoch */
  readonly first: number;
  readonly last: number;
}

interface ErrorHandlerOptions {
  readonly now: () => number;
  /** removes secrets from what is kept */
  readonly redactor?: { text(text: string): string; value(value: unknown): unknown };
  /** logs a fault: the first time, and each time its count reaches a power of ten */
  readonly log?: (fault: LoggedFault) => void;
  /** notifies the person, the first time: of a critical fault, or an error with a hint */
  readonly notify?: (fault: LoggedFault) => void;
}

/** How many different faults are kept; the least recent one is dropped first. */
const KEPT = 500;

/**
 * Collects failures that no caller handles: logs them, keeps them, and notifies the person of those
 * they can do something about. A repeated fault is counted, and notified once.
 */
export class ErrorHandler implements Log {
  /** the most recent last */
  readonly #faults = new Map<string, LoggedFault>();
  readonly #listeners = new Set<() => void>();

  constructor(private readonly options: ErrorHandlerOptions) {}

  note(message: string, { at, severity = 'warning', hint, ...rest }: LogContext): void {
    const { now, log, notify, redactor } = this.options;
    const [module, operation] = partsOf(at);
    const data = (redactor?.value(rest) ?? rest) as LoggedFault['data'];
    const text = redactor?.text(message) ?? message;
    const error = typeof data['error'] === 'string' ? data['error'] : '';
    const by = typeof data['by'] === 'string' ? data['by'] : '';
    const key = [at, by, messageClass(text), messageClass(error)].join('\n');
    const before = this.#faults.get(key);
    const last = now();
    const [count, first] = before === undefined ? [1, last] : [before.count + 1, before.first];
    const fault = {
      key,
      severity,
      module,
      operation,
      message: text,
      hint,
      data,
      count,
      first,
      last,
    };
    this.#faults.delete(key);
    this.#faults.set(key, fault);
    for (const oldest of this.#faults.keys()) {
      if (this.#faults.size <= KEPT) break;
      this.#faults.delete(oldest);
    }
    if (Number.isInteger(Math.log10(count))) log?.(fault);
    const told = severity === 'critical' || (severity === 'error' && hint !== undefined);
    if (count === 1 && told) notify?.(fault);
    for (const listener of [...this.#listeners]) listener();
  }

  /** All faults, the most recent last. */
  faults(): readonly LoggedFault[] {
    return [...this.#faults.values()];
  }

  /** Removes all faults; one that happens again counts as new. */
  clear(): void {
    this.#faults.clear();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls the listener after each change of `faults()`. */
  subscribe(listener: () => void): Undo {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Wraps `work` in a function that never throws: an error, or a rejection of its promise, is
   * noted, and the result is undefined.
   */
  wrap<A extends readonly unknown[], R>(
    message: string,
    context: LogContext,
    work: (...args: A) => R,
  ): (...args: A) => R | undefined {
    const failed = (error: unknown): undefined =>
      this.note(message, { severity: 'error', ...context, error: String(error) }) as undefined;
    return (...args) => {
      try {
        const done = work(...args);
        return done instanceof Promise ? (done.catch(failed) as R) : done;
      } catch (error) {
        return failed(error);
      }
    };
  }
}

function partsOf(at: string): readonly [module: string, operation: string] {
  const dot = at.indexOf('.');
  return [at.slice(0, dot), at.slice(dot + 1)];
}

/** The text of an error as a sentence: without a leading "Error: ", with a full stop. */
export function errorSentence(words: unknown): readonly string[] {
  if (typeof words !== 'string' || words === '') return [];
  const plain = words.replace(/^Error: /, '');
  return [/[.!?…。]$/.test(plain) ? plain : `${plain}.`];
}

/** A message without its variable parts: quoted words, paths, numbers. */
function messageClass(message: string): string {
  return message.replace(/"[^"]*"|\S*\/\S*|\d+/g, '…');
}

/** The class in the text of an error, as `String(error)` gives it; undefined if there is none. */
export function errorClass(error: unknown): string | undefined {
  return typeof error === 'string' ? /^\w*(?:Error|Exception)\b/.exec(error)?.[0] : undefined;
}

/**
 * Wraps a store so that its refusals are noted as well as thrown.
 * @param told a file whose read errors are reported elsewhere, and not noted here
 */
export function watchedStore(store: NoteStore, log: Log, told: string): NoteStore {
  const noted =
    (operation: keyof NoteStore, path: string) =>
    (error: unknown): never => {
      if (!(error instanceof StoreError)) throw error;
      const { code, message } = error;
      const severity = LASTING.has(code) ? 'error' : 'warning';
      log.note(REFUSED[operation], {
        at: `store.${operation}`,
        severity,
        code,
        path,
        why: message,
      });
      throw error;
    };
  return {
    read: (path) =>
      path === told ? store.read(path) : store.read(path).catch(noted('read', path)),
    update: (path, edit) => store.update(path, edit).catch(noted('update', path)),
    append: (path, lines, most) => store.append(path, lines, most).catch(noted('append', path)),
    list: (folder) => store.list(folder).catch(noted('list', folder)),
    stat: (path) => store.stat(path).catch(noted('stat', path)),
    remove: (path) => store.remove(path).catch(noted('remove', path)),
    rename: (from, to) => store.rename(from, to).catch(noted('rename', from)),
  };
}

/** Codes of errors that persist until someone acts. */
const LASTING: ReadonlySet<StoreError['code']> = new Set(['disk_full', 'denied', 'io']);

const REFUSED: Readonly<Record<keyof NoteStore, string>> = {
  read: 'A file could not be read.',
  update: 'A file could not be written.',
  append: 'A file could not be written.',
  list: 'A folder could not be read.',
  stat: 'A file could not be looked at.',
  remove: 'A file could not be removed.',
  rename: 'A file could not be renamed.',
};
