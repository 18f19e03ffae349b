import { PAGE } from '../page-name';
import { callNodeSync } from './server-call';

type Hear = (...told: unknown[]) => void;

/** A minimal event emitter, with what the plugin uses. */
class Listeners {
  readonly #all = new Map<string, Hear[]>();

  on = (event: string, hear: Hear): this => {
    this.#all.set(event, [...(this.#all.get(event) ?? []), hear]);
    return this;
  };

  once = this.on;

  call(event: string, ...told: readonly unknown[]): void {
    for (const hear of this.#all.get(event) ?? []) hear(...told);
  }
}

class Child extends Listeners {
  readonly stdout = new Listeners();
  readonly stderr = new Listeners();
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: string | null = null;

  async follow(pid: number): Promise<void> {
    this.pid = pid;
    const { body } = await fetch(`/program?page=${PAGE}&pid=${pid}`);
    let rest = '';
    const text = new TextDecoder();
    for await (const bytes of (body ??
      new ReadableStream()) as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + text.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#hear(JSON.parse(line) as Told);
    }
  }

  #hear(told: Told): void {
    if ('line' in told) return this[told.from].call('line', told.line);
    const [event, [code, signal]] =
      'exit' in told ? (['exit', told.exit] as const) : (['close', told.close] as const);
    this.exitCode = code;
    this.signalCode = signal;
    this.call(event, code, signal);
  }
}

type End = readonly [code: number | null, signal: string | null];

type Told =
  | { readonly from: 'stdout' | 'stderr'; readonly line: string }
  | { readonly exit: End }
  | { readonly close: End };

/** Node's `spawn`: the server runs the program if it is on its list. */
function spawn(file: string, args: readonly string[], options: object): Child {
  const child = new Child();
  try {
    void child.follow(callNodeSync<number>('spawn', file, args, options));
  } catch (error) {
    window.setTimeout(() => child.call('error', error));
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
