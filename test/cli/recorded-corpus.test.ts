import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../src/cli/run';

/** What `test/corpus/recorded/record.mjs` wrote with the command line of an earlier version. */
interface RecordedEdit {
  readonly name: string;
  readonly steps: readonly { readonly args: readonly string[]; readonly input?: string }[];
  readonly exits: readonly number[];
  /** the boards and archives that the steps changed or made: path in the vault → text */
  readonly files: Readonly<Record<string, string>>;
  readonly gone: readonly string[];
}

/** The person's edits of a note that can't be read: exit 3 (broken note), as an agent's; it was 1 (no such task). */
const EXIT_CHANGED = /hand-broken.*: person /;

const corpora = ['0.1.0'];
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

/** A copy of what an edit reads: its session's files, or all boards where it names no session. */
function vaultToEdit(corpus: string, name: string, { steps }: RecordedEdit): Promise<string> {
  const args = steps[0]?.args ?? [];
  const named = args.indexOf('--session');
  const session = named < 0 ? undefined : args[named + 1];
  const unread = /\.opencode\/agent-task-boards\/(sessions|texts|runs|audit)$/;
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
  run(args, {
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

for (const corpus of corpora) {
  const recorded = async (): Promise<RecordedEdit[]> =>
    JSON.parse(
      await fs.readFile(join(corpusFolder(corpus), 'edits.json'), 'utf8'),
    ) as RecordedEdit[];

  test(`[COMPAT1] edits of what ${corpus} wrote give the same bytes as with ${corpus}`, async () => {
    const edits = await recorded();
    expect(edits.length).toBeGreaterThan(150);
    const different: unknown[] = [];
    for (const [index, edit] of edits.entries()) {
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
      writers: [
        { writer: 'cli-5bce98-1', ok: true, entries: 34 },
        { writer: 'obsidian-5bce98-1', ok: true, entries: 46 },
      ],
    });
    const wild = ['--session', 'hand-wild', '--agent', 'build'];
    expect((await json('history', ...wild)) as object).toMatchObject({
      history: [{ by: { kind: 'person' } }, {}, {}, {}, {}, {}, {}],
    });
    expect((await json('checkpoints', ...wild)) as object).toMatchObject({
      checkpoints: [
        { n: 2, label: 'in the middle' },
        { n: 1, label: 'at the start' },
      ],
    });
    const { runs } = (await json('run', 'list')) as { runs: unknown[] };
    expect(runs).toMatchObject([{ run: 'r98rt7tf4', state: 'completed' }]);
    expect(await json('run', 'replay', 'r98rt7tf4')).toMatchObject({ ok: true });
    const { boards } = (await json('list')) as { boards: { path: string; broken?: unknown }[] };
    expect(boards.filter(({ broken }) => broken !== undefined).map(({ path }) => path)).toEqual([
      '.opencode/todos/hand-broken/build-tasks.md',
    ]);
    expect(boards).toHaveLength(8);
  });
}
