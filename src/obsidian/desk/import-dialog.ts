import type { App } from 'obsidian';
import { importInto, type ImportedBoard } from '../../core/board/import/import-into';
import type { ImportSource } from '../../core/board/import/import-source';
import type { Board } from '../../core/board/task';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Clock, NoteStore } from '../../core/ports';
import { counted } from './board-actions';
import type { BoardWrites } from './board-writes';
import { ask } from './dialog';
import { pick, type Choice } from './pick';

export interface ImportDeps {
  readonly app: App;
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly manager: () => TodoManager;
  readonly boards: () => readonly Board[];
  readonly writes: BoardWrites;
}

/** Where other programs keep their plans, seen from a vault; hidden ones the app lists nowhere. */
const KNOWN: readonly (readonly [string, ImportSource['kind']])[] = [
  ['.taskmaster/tasks/tasks.json', 'file'],
  ['backlog', 'folder'],
  ['.backlog', 'folder'],
  ['.tasks', 'folder'],
  ['.claude/tasks', 'folder'],
];

/** Puts the plan of another program on a board, and says what was taken, what was left and why. */
export async function importDialog(deps: ImportDeps): Promise<void> {
  const { app, store, clock, writes } = deps;
  const source = await chooseSource(deps);
  if (source === undefined) return;
  const boards = deps.boards().filter(({ broken }) => broken === null);
  const targets: Choice<Board | null>[] = [
    { text: 'A plan of its own', value: null },
    ...boards.map((board) => ({ text: `${board.title} (${board.agent})`, value: board })),
  ];
  const target = await pick(app, targets, 'Put its tasks on…');
  if (target === undefined) return;
  const wish = target === null ? {} : { session: target.session, agent: target.agent };
  const manager = deps.manager();
  const done = await importInto({ manager, clock }, { ...source, reader: store }, wish);
  if (!done.ok) return writes.notify(`Nothing was imported. ${done.message}`);
  for (const { path, change, added, name } of done.boards) {
    const by = { kind: 'import' as const, name: done.kind };
    if (change !== undefined)
      writes.wrote(path, change, `${counted(added, 'task')} of ${name} imported.`, by);
  }
  const left = [...done.boards.flatMap(boardLines), ...done.left.map(leftLine)];
  if (left.length > 0) await tellLeft(app, left);
  else if (done.boards.every(({ change }) => change === undefined)) {
    writes.notify('Everything of it was imported before.');
  }
}

async function chooseSource({
  app,
  store,
}: ImportDeps): Promise<Omit<ImportSource, 'reader'> | undefined> {
  const choices: Choice<Omit<ImportSource, 'reader'>>[] = [];
  for (const [path, kind] of KNOWN) {
    const there = kind === 'file' ? await store.stat(path) : (await store.list(path))[0];
    if (there !== undefined) choices.push({ text: path, value: { path, kind } });
  }
  const files = app.vault.getFiles().filter(({ extension }) => /^(?:json|md)$/.test(extension));
  for (const { path } of files) choices.push({ text: path, value: { path, kind: 'file' } });
  return pick(app, choices, 'Import from a file of another program', true);
}

function boardLines({ name, left, fault }: ImportedBoard): readonly string[] {
  if (fault !== undefined) return [`${name} was not taken: ${fault.message}`];
  return left.map(leftLine);
}

function leftLine({ what, why }: { readonly what: string; readonly why: string }): string {
  return `${what}: ${why}`;
}

async function tellLeft(app: App, lines: readonly string[]): Promise<void> {
  await ask(app, {
    title: 'Not taken over as it stands there',
    text: 'The source is as it was.',
    answers: [],
    draw: (element) => {
      const list = element.createEl('ul', { cls: 'atb-lines' });
      for (const text of lines) list.createEl('li', { text });
    },
  });
}
