import { StoreError, type NoteStore } from '../../ports';
import type { Board } from '../task';
import type { Archives } from './archives';
import type { BlockText } from './archive-tasks';
import { fault, type Fault } from '../../fault';

/** What a write of a board would do. */
export interface Attempt {
  /** what shall stand; undefined: nothing is written */
  readonly text: string | undefined;
  /** the board before; undefined: there was none */
  readonly board: Board | undefined;
  /** blocks that leave the board for the archive */
  readonly archived: readonly BlockText[];
}

/** How often a write starts anew because the board changed after the archive was written. */
const MOST_TRIES = 20;

/**
 * Writes a board, and before it what goes to the archive. `run` answers what is to be done with the
 * text as it is then; it is asked again where another program wrote in between.
 * `refused`: why the archive could not be written; `run` then does without.
 * @param moves whether anything may go to the archive
 * @throws StoreError
 */
export async function writeBoth<A extends Attempt>(
  store: NoteStore,
  archives: Archives,
  path: string,
  run: (text: string | undefined, refused?: Fault) => A,
  moves: boolean,
): Promise<A> {
  if (!moves) return writeOne(store, path, run);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const planned = run(await store.read(path));
    const refused = await putFirst(archives, planned);
    const attempt = (text: string | undefined): A =>
      refused === undefined ? run(text) : run(text, refused);
    const fitting: A[] = [];
    await store.update(path, (text) => {
      const done = attempt(text);
      const fits = refused !== undefined || textOf(done) === textOf(planned);
      fitting.splice(0, 1, ...(fits ? [done] : []));
      return fits ? done.text : undefined;
    });
    const [done] = fitting;
    if (done !== undefined) return done;
  }
  throw new StoreError('busy', `${path} changes all the time. Try again.`);
}

async function writeOne<A extends Attempt>(
  store: NoteStore,
  path: string,
  run: (text: string | undefined) => A,
): Promise<A> {
  let done: A | undefined;
  await store.update(path, (text) => {
    done = run(text);
    return done.text;
  });
  if (done === undefined) throw new Error('assertion: the store did not call the edit');
  return done;
}

async function putFirst(
  archives: Archives,
  { board, archived }: Attempt,
): Promise<Fault | undefined> {
  if (board === undefined || archived.length === 0) return undefined;
  const refused = await archives.put(board, archived);
  return refused && fault(refused.code, refused.message);
}

function textOf({ archived }: Attempt): string {
  return archived.map(({ text, phase }) => JSON.stringify([phase, text])).join('\n');
}
