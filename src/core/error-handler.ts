import {
  StoreError,
  type Log,
  type LogContext,
  type NoteStore,
  type Severity,
  type Undo,
} from './ports';

/** A fault with all the times it happened. */
export interface LoggedFault {
  /** the same for the same fault: module, operation, who failed, and the classes of its message and its error */
  readonly key: string;
  readonly severity: Severity;
  readonly module: string;
  readonly operation: string;
  /** as it was the last time; so are hint and data. Known secrets are taken out */
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
  /** takes secrets out of what is kept */
  readonly redactor?: { text(text: string): string; value(value: unknown): unknown };
  /** writes a fault down: the first time, and each time ten times as many came */
  readonly log?: (fault: LoggedFault) => void;
  /** tells the person, the first time: a critical fault, or an error with a hint */
  readonly notify?: (fault: LoggedFault) => void;
}

/** How many different faults are kept; the one that is longest ago goes first. */
const KEPT = 500;

/**
 * Where everything goes that went wrong and that nobody waits for: logs it, collects it, and tells the
 * person what they can do something about. A fault that happens again is counted, and told once.
 */
export class ErrorHandler implements Log {
  /** in the order in which they happened last */
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

  /** What happened last stands last. */
  faults(): readonly LoggedFault[] {
    return [...this.#faults.values()];
  }

  /** Forgets all faults; one that happens again is new. */
  clear(): void {
    this.#faults.clear();
    for (const listener of [...this.#listeners]) listener();
  }

  /** After each change of `faults()`. */
  subscribe(listener: () => void): Undo {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * `work` as a function that never throws: what it throws, or its promise is rejected with, is noted, and
   * the answer is undefined.
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

/** A message without what differs from one time to the next: quoted words, paths, numbers. */
function messageClass(message: string): string {
  return message.replace(/"[^"]*"|\S*\/\S*|\d+/g, '…');
}

/** Of an error as `String(error)` has it: `TypeError`; undefined where the text names no class. */
export function errorClass(error: unknown): string | undefined {
  return typeof error === 'string' ? /^\w*(?:Error|Exception)\b/.exec(error)?.[0] : undefined;
}

/**
 * The same store; what it refuses is noted too, whoever deals with it.
 * @param told file of which others tell that it can't be read, as long as that is so
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

/** What does not pass by itself. */
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
