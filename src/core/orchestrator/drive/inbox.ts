import { StoreError, type Clock, type Ids, type Log } from '../../ports';
import { runAction, type RunAction } from '../event';
import type { RunAnswer } from '../runs';
import { passes } from './hands';
import type { RunDriver } from './run-driver';
import type { RunFiles } from './run-files';

/** Takes the actions that other programs put down for a run, in order, each once. */
export class InboxReader {
  #running: Promise<void> | undefined;
  /** names of files that can't be read or removed: no action of a program, and told once */
  readonly #left = new Set<string>();

  constructor(
    private readonly files: RunFiles,
    private readonly driver: Pick<RunDriver, 'id' | 'act' | 'wasTaken'>,
    private readonly log: Log,
  ) {}

  /** Calls at the same time share one run. */
  read(): Promise<void> {
    this.#running ??= this.#read().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #read(): Promise<void> {
    for (const name of await this.files.inbox(this.driver.id)) {
      if (!this.#left.has(name) && !(await this.#take(name))) return;
    }
  }

  /** @returns whether those behind it may be taken. @throws StoreError where it may be taken later */
  async #take(name: string): Promise<boolean> {
    const { id } = this.driver;
    try {
      if (!this.driver.wasTaken(name)) {
        const text = await this.files.action(id, name);
        const action = text === undefined ? undefined : readAction(text);
        if (action === undefined) this.#noted(name, 'it is none');
        else if (!(await this.driver.act(action, name)).ok) return false;
      }
      await this.files.dropAction(id, name);
    } catch (error) {
      if (!(error instanceof StoreError) || passes(error.code)) throw error;
      this.#left.add(name);
      this.#noted(name, error.message);
    }
    return true;
  }

  #noted(name: string, why: string): void {
    const run = this.driver.id;
    this.log.note('An action for a run is none, and was left out.', { run, name, why });
  }
}

/** Longer ones are no action of ours. */
const MOST_CHARS = 100_000;

function readAction(text: string): RunAction | undefined {
  if (text.length > MOST_CHARS) return undefined;
  try {
    const read = runAction.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Between two looks whether an action was taken, and how often it is looked, ms. */
const EVERY = 250;
const TRIES = 40;

/** Has another program carry an action out; resolves when it took it. */
export async function actElsewhere(
  { files, clock, ids }: { readonly files: RunFiles; readonly clock: Clock; readonly ids: Ids },
  id: string,
  action: RunAction,
): Promise<RunAnswer<undefined>> {
  const unique = ids.unique().replace(/[^A-Za-z0-9]/g, '');
  const name = `${String(clock.now()).padStart(15, '0')}-${unique}.json`;
  await files.putAction(id, name, `${JSON.stringify(action)}\n`);
  for (let tries = 0; tries < TRIES; tries += 1) {
    await new Promise<void>((resolve) => void clock.after(EVERY, () => resolve()));
    if ((await files.action(id, name)) === undefined) return { ok: true, value: undefined };
  }
  await files.dropAction(id, name);
  // It may have been taken at the last moment.
  const read = await files.read(id);
  if (read?.ok === true && read.value.taken.includes(name)) return { ok: true, value: undefined };
  return { ok: false, message: SILENT };
}

const SILENT =
  'Another program carries this run out and does not answer. Look at it there, or end that program and try again.';
