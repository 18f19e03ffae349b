import { catchStoreError } from '../core/fault';
import type { NoteStore, StoreError } from '../core/ports';
import type { FoundFile } from '../core/board/board-findings';
import { checkpointDamage } from '../core/board/checkpoint/checkpoints';
import { damagedLines } from '../core/board/history/change-record';
import { rethrowHistoryError, NOT_IGNORED, STATE_ROOT } from '../core/board/state-file';

type FindDamage = (path: string) => Promise<readonly FoundFile[]>;

/**
 * Findings for damaged files beside the boards: histories, checkpoints, and their `.gitignore`.
 * Changes and removes nothing.
 */
export async function stateFindings(
  store: Pick<NoteStore, 'read' | 'list'>,
): Promise<readonly FoundFile[]> {
  const history: FindDamage = async (path) => {
    const text = await store.read(path).catch(rethrowHistoryError(path));
    const [line, ...more] = damagedLines(text ?? '');
    if (line === undefined) return [];
    return [{ kind: 'damaged-state', path, line, text: damagedHistory(more.length) }];
  };
  const checkpoint: FindDamage = async (path) => {
    const text = await store.read(path);
    const why = text === undefined ? undefined : checkpointDamage(path, text);
    return why === undefined ? [] : [damage(path, notRolledBack(why))];
  };
  const ignore: FindDamage = async (path) => {
    await store.read(path);
    return [];
  };
  const reportErrors = (find: FindDamage, describe: (why: string) => string) => (path: string) =>
    catchStoreError(
      () => find(path),
      (error) => [damage(path, describe(withoutPath(error, path)))],
    );
  const found = await reportErrors(
    ignore,
    (why) => `${NOT_IGNORED} ${capital(why)}`,
  )(`${STATE_ROOT}/.gitignore`);
  const under = (folder: string, find: FindDamage): Promise<readonly FoundFile[]> =>
    reportErrors(async (at) => {
      const each: FoundFile[] = [];
      for (const path of await filesUnder(store, at)) each.push(...(await find(path)));
      return each;
    }, capital)(`${STATE_ROOT}/${folder}`);
  const histories = await under('history', async (path) =>
    path.endsWith('.jsonl') ? reportErrors(history, capital)(path) : [],
  );
  const checkpoints = await under('checkpoints', async (path) =>
    /\/[1-9]\d*\.md$/.test(path) ? reportErrors(checkpoint, notRolledBack)(path) : [],
  );
  return [...found, ...histories, ...checkpoints];
}

function damage(path: string, text: string): FoundFile {
  return { kind: 'damaged-state', path, text };
}

function damagedHistory(more: number): string {
  const also = more === 0 ? '' : ` So ${more === 1 ? 'is another line' : `are ${more} others`}.`;
  return `This line of a board's history is damaged: its change cannot be listed or undone, all others can.${also} The board itself is whole. You can delete the line.`;
}

function notRolledBack(why: string): string {
  return `The board cannot go back to this checkpoint: ${why.replace(/\.$/, '')}. The board itself is whole. Put the file back from a backup, or delete it.`;
}

/** A store's message without the leading path, for callers that print the path themselves. */
function withoutPath({ message }: StoreError, path: string): string {
  return message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function filesUnder(
  store: Pick<NoteStore, 'list'>,
  folder: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, kind } of await store.list(folder)) {
    const path = `${folder}/${name}`;
    found.push(...(kind === 'folder' ? await filesUnder(store, path) : [path]));
  }
  return found;
}
