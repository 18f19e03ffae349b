import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../src/cli/run';
import { COMMANDS } from '../../src/cli/whole-program';
import { stepSize } from '../in-full';

/** An edit recorded by `test/corpus/recorded/record.mjs` with an earlier command line. */
interface RecordedEdit {
  readonly name: string;
  readonly steps: readonly { readonly args: readonly string[]; readonly input?: string }[];
  readonly exits: readonly number[];
  /** boards and archives that the steps changed or created: path in the vault → text */
  readonly files: Readonly<Record<string, string>>;
  readonly gone: readonly string[];
}

/** A person's edit of a broken note now exits with 3, as an agent's does; it was 1. */
const EXIT_CHANGED = /hand-broken.*: person /;

/** The contents of each corpus. */
const CORPORA = {
  '0.1.0': {
    audit: [
      ['cli-5bce98-1', 34],
      ['obsidian-5bce98-1', 46],
    ],
    session: 'hand-wild',
    history: ['person', 'person', 'build', 'person', 'build', 'build', 'build'],
    checkpoints: [
      [2, 'in the middle'],
      [1, 'at the start'],
    ],
    run: 'r98rt7tf4',
    broken: '.opencode/todos/hand-broken/build-tasks.md',
    boards: 8,
  },
  'before-07': {
    audit: [
      ['bridge-5bce98-1', 10],
      ['cli-5bce98-1', 78],
      ['obsidian-5bce98-1', 46],
    ],
    session: 'hand-team',
    history: [
      ...['person', 'person', 'build', 'build', 'person', 'person', 'reviewer', 'plan', 'plan'],
      ...['build', 'build', 'build', 'build'],
    ],
    checkpoints: [[1, 'half way']],
    run: 'r3an7vuhn',
    broken: '.opencode/todos/hand-merge/build-tasks.md',
    boards: 16,
  },
} as const;

const corpusFolder = (corpus: string): string => join(import.meta.dirname, '../corpus', corpus);

let home = '';
beforeEach(async () => {
  home = await fs.mkdtemp(join(tmpdir(), 'atb-recorded-'));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-24T10:00:00Z') });
});
afterEach(async () => {
  vi.useRealTimers();
  await fs.rm(home, { recursive: true, force: true });
});

/** A vault with what the edit reads: its board's folders, or all boards if it names no session. */
function vaultToEdit(corpus: string, name: string, edit: RecordedEdit): Promise<string> {
  const isOfOne = edit.steps[0]?.args.includes('--session') === true;
  const session = isOfOne ? edit.name.split('/')[2] : undefined;
  const unread = /\.opencode\/agent-task-boards\/(sessions|texts|runs|audit|usage)$/;
  const bySession =
    /\.opencode\/(?:todos|agent-task-boards\/(?:history|checkpoints|seen))\/([^/]+)/;
  return vaultCopy(corpus, name, (path) => {
    const of = bySession.exec(path)?.[1];
    return !unread.test(path) && (session === undefined || of === undefined || of === session);
  });
}

async function vaultCopy(
  corpus: string,
  name: string,
  filter: (path: string) => boolean = () => true,
): Promise<string> {
  const vault = join(home, name);
  await fs.cp(join(corpusFolder(corpus), 'vault'), vault, { recursive: true, filter });
  return vault;
}

const cli = (vault: string, args: readonly string[], input = '') =>
  run(args, COMMANDS, {
    cwd: vault,
    env: {},
    input: () => Promise.resolve(input),
    bridge: () => Promise.resolve(undefined),
    print: () => {
      throw new Error('nothing of this goes on');
    },
    untilStopped: () => new AbortController().signal,
  });

async function boardNotes(vault: string): Promise<Map<string, string>> {
  const root = join(vault, '.opencode/todos');
  const entries = await fs.readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.md'));
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }): Promise<[string, string]> => {
        const file = join(parentPath, name);
        return [relative(vault, file), await fs.readFile(file, 'utf8')];
      }),
    ),
  );
}

for (const [corpus, holds] of Object.entries(CORPORA)) {
  const recorded = async (): Promise<RecordedEdit[]> =>
    JSON.parse(
      await fs.readFile(join(corpusFolder(corpus), 'edits.json'), 'utf8'),
    ) as RecordedEdit[];

  test(`[COMPAT1] edits of what ${corpus} wrote give the same bytes as with ${corpus}`, async () => {
    const edits = await recorded();
    expect(edits.length).toBeGreaterThan(150);
    const different: unknown[] = [];
    // Kinds of edit alternate within a board: a step of 5 covers all kinds, each board 5 times.
    for (let index = 0; index < edits.length; index += stepSize(5)) {
      const edit = edits[index] as RecordedEdit;
      const vault = await vaultToEdit(corpus, String(index), edit);
      const before = await boardNotes(vault);
      const exits: number[] = [];
      for (const { args, input } of edit.steps) exits.push((await cli(vault, args, input)).code);
      const after = await boardNotes(vault);
      const files = Object.fromEntries(
        [...after]
          .filter(([path, text]) => before.get(path) !== text)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      );
      const gone = [...before.keys()].filter((path) => !after.has(path)).sort();
      const told = EXIT_CHANGED.test(edit.name) ? {} : { exits };
      const recordedExits = EXIT_CHANGED.test(edit.name) ? {} : { exits: edit.exits };
      const now = { name: edit.name, ...told, files, gone };
      const then = { name: edit.name, ...recordedExits, files: edit.files, gone: edit.gone };
      if (JSON.stringify(now) !== JSON.stringify(then)) different.push({ then, now });
      await fs.rm(vault, { recursive: true });
    }
    expect(different).toEqual([]);
  });

  test(`[COMPAT2] histories, checkpoints, runs and audits that ${corpus} wrote are read and whole`, async () => {
    const vault = await vaultCopy(corpus, 'read');
    const json = async (...args: string[]) =>
      JSON.parse((await cli(vault, [...args, '--json'])).out) as never;
    expect(await json('audit', 'verify')).toMatchObject({
      ok: true,
      writers: holds.audit.map(([writer, entries]) => ({ writer, ok: true, entries })),
    });
    const one = ['--session', holds.session, '--agent', 'build'];
    const { history } = (await json('history', ...one)) as {
      history: { by: { kind: string; name?: string } }[];
    };
    expect(history.map(({ by }) => by.name ?? by.kind)).toEqual(holds.history);
    expect((await json('checkpoints', ...one)) as object).toMatchObject({
      checkpoints: holds.checkpoints.map(([n, label]) => ({ n, label })),
    });
    const { runs } = (await json('run', 'list')) as { runs: unknown[] };
    expect(runs).toMatchObject([{ run: holds.run, state: 'completed' }]);
    expect(await json('run', 'replay', holds.run)).toMatchObject({ ok: true });
    const { boards } = (await json('list')) as { boards: { path: string; broken?: unknown }[] };
    expect(boards.filter(({ broken }) => broken !== undefined).map(({ path }) => path)).toEqual([
      holds.broken,
    ]);
    expect(boards).toHaveLength(holds.boards);
  });
}
