import { PAGE_ID } from '../page-id';
import { callNodeSync } from './server-call';

type Listener = (...told: unknown[]) => void;

/** A minimal event emitter, with what the plugin uses. */
class Listeners {
  readonly #all = new Map<string, Listener[]>();

  on = (event: string, hear: Listener): this => {
    this.#all.set(event, [...(this.#all.get(event) ?? []), hear]);
    return this;
  };

  once = this.on;

  emit(event: string, ...told: readonly unknown[]): void {
    for (const hear of this.#all.get(event) ?? []) hear(...told);
  }
}

class PageChildProcess extends Listeners {
  readonly stdout = new Listeners();
  readonly stderr = new Listeners();
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: string | null = null;

  async readEvents(pid: number): Promise<void> {
    this.pid = pid;
    const { body } = await fetch(`/program?page=${PAGE_ID}&pid=${pid}`);
    let rest = '';
    const text = new TextDecoder();
    for await (const bytes of (body ??
      new ReadableStream()) as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + text.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#handleEvent(JSON.parse(line) as ProgramEvent);
    }
  }

  #handleEvent(programEvent: ProgramEvent): void {
    if ('line' in programEvent) return this[programEvent.from].emit('line', programEvent.line);
    const [event, [code, signal]] =
      'exit' in programEvent
        ? (['exit', programEvent.exit] as const)
        : (['close', programEvent.close] as const);
    this.exitCode = code;
    this.signalCode = signal;
    this.emit(event, code, signal);
  }
}

type ExitArguments = readonly [code: number | null, signal: string | null];

type ProgramEvent =
  | { readonly from: 'stdout' | 'stderr'; readonly line: string }
  | { readonly exit: ExitArguments }
  | { readonly close: ExitArguments };

/** Node's `spawn`: the server runs the program if it is on its list. */
function spawn(file: string, args: readonly string[], options: object): PageChildProcess {
  const child = new PageChildProcess();
  try {
    void child.readEvents(callNodeSync<number>('spawn', file, args, options));
  } catch (error) {
    window.setTimeout(() => child.emit('error', error));
  }
  return child;
}

function spawnSync(): never {
  throw new Error('A page waits for no program');
}

export const childProcess = { spawn, spawnSync };

/** The server already splits the output into lines. */
export const readline = {
  createInterface: ({ input }: { readonly input: unknown }) => input,
};
