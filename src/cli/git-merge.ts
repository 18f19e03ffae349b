import { execFile } from 'node:child_process';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Finding } from '../core/board/doctor';
import { conflictLines, mergeBoards } from '../core/board/merge/merge-boards';
import type { Board } from '../core/board/task';
import { StoreError, type NoteStore } from '../core/ports';
import { decodeUtf8 } from '../node/read-file';
import { storeError } from '../node/store-error';
import { answered, refused, usage, type Command, type Exit, type OpenVault } from './command';

const DRIVER = 'agent-boards';
const ATTRIBUTES = '.gitattributes';
const ATTRIBUTE = ` merge=${DRIVER}`;

/** `agent-boards merge-driver %O %A %B [%P]`: git calls it for boards; the result stands in %A. */
export const mergeDriver: Command = {
  name: 'merge-driver',
  anywhere: true,
  takes: 'BASE OURS THEIRS [PATH]',
  says: 'merges a board for git, which calls it; agent-boards connect git sets it up',
  options: {},
  async run({ words }, _, { cwd }) {
    const [base = '', ours = '', theirs = '', path = ours] = words.map((word, at) =>
      at < 3 ? resolve(cwd, word) : word,
    );
    const texts = await Promise.all(
      [base, ours, theirs].map((file) =>
        readFile(file).catch((error: unknown) => {
          throw storeError(file, error);
        }),
      ),
    );
    const [was, own, other] = texts.map(decodeUtf8);
    const merged =
      was === undefined || own === undefined || other === undefined
        ? undefined
        : mergeBoards({ base: was, ours: own, theirs: other });
    if (merged === undefined) {
      const files = [ours, base, theirs];
      const labels = ['ours', 'base', 'theirs'].flatMap((name) => ['-L', name]);
      const { code, err } = await git(cwd, 'merge-file', ...labels, ...files);
      const done =
        code !== undefined && code < 128
          ? 'so git merged the lines. Look for conflict marks.'
          : `and git did not merge its lines: ${err.trim()} Ours stands, theirs is not in it.`;
      const message = `${path}: one of its versions can't be read as a board, ${done}`;
      return { ...refused({ code: 'broken_note', message }), code: 1 };
    }
    await writeFile(ours, merged.text);
    const told = [
      ...merged.conflicts.map(({ line, title, theirs: text }) =>
        line === 0
          ? `${path}: both sides changed "${title}". Ours stands; theirs was "${text.trim()}".`
          : `${path}:${line}: both sides changed "${title}". Ours stands, theirs is this line. Keep one of them, and take [conflict:: theirs] away.`,
      ),
      ...merged.renumbered.map(
        ({ from, to }) => `${path}: both sides added a task ${from}. That of theirs is ${to} now.`,
      ),
    ];
    return { code: 0, out: '', err: told.map((line) => `agent-boards: ${line}\n`).join('') };
  },
};

/** `agent-boards connect git`: has git merge the boards of a vault, in this clone. */
export const connectClient: Command = {
  name: 'connect',
  takes: 'git',
  says: 'has git merge boards by task: writes .gitattributes and the configuration of this clone',
  options: {
    remove: { says: 'takes it back' },
    'dry-run': { says: 'only shows what would change' },
  },
  async run(given, vault) {
    const [client] = given.words;
    if (client !== 'git') return usage(`connect takes git, not ${client ?? ''}.`);
    const { code, err } = await git(vault.folder, 'rev-parse', '--git-dir');
    if (code !== 0) {
      const none = `${vault.folder} is in no git repository. Run git init there, then try again.`;
      const other = `git does not work in ${vault.folder}: ${err.trim()}`;
      const message = /not a git repository/.test(err) ? none : other;
      return refused({ code: 'no_repository', message });
    }
    return connectGit(vault, await realpath(process.argv[1] ?? ''), {
      remove: given.flag('remove'),
      dry: given.flag('dry-run'),
      json: given.json,
    });
  },
};

async function connectGit(
  { folder, store, root }: OpenVault,
  program: string,
  { remove, dry, json }: { readonly remove: boolean; readonly dry: boolean; json: boolean },
): Promise<Exit> {
  const line = `${attributePattern(root)}${ATTRIBUTE}`;
  const before = (await store.read(ATTRIBUTES)) ?? '';
  const after = withAttribute(before, remove ? undefined : line);
  const [node = '', file = ''] = [process.execPath, program].map(
    (word) => `'${word.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`,
  );
  const settings = {
    name: 'Boards of agents, merged by task',
    // Where the program is gone, git's own marks say so; a driver that does not start would leave ours alone.
    driver: `if test -x ${node} && test -f ${file}; then ${node} ${file} merge-driver -- %O %A %B %P; else git merge-file %A %O %B; exit 1; fi`,
  };
  const changes: string[] = [];
  for (const [sign, from, to] of [
    ['-', before, after],
    ['+', after, before],
  ] as const) {
    const lines = new Set(to.split(/\r?\n/));
    changes.push(
      ...from
        .split(/\r?\n/)
        .flatMap((one) => (lines.has(one) ? [] : [`${ATTRIBUTES}: ${sign} ${one}`])),
    );
  }
  for (const [key, value] of Object.entries(settings)) {
    const name = `merge.${DRIVER}.${key}`;
    const now = (await git(folder, 'config', '--local', name)).out.trimEnd();
    if (now === (remove ? '' : value)) continue;
    if (now !== '') changes.push(`git config: - ${name} = ${now}`);
    if (!remove) changes.push(`git config: + ${name} = ${value}`);
    if (dry) continue;
    const given = remove ? ['--unset-all', name] : [name, value];
    const { code, err } = await git(folder, 'config', '--local', ...given);
    if (code !== 0) return refused({ code: 'git', message: `git config: ${err.trim()}` });
  }
  if (!dry && after !== before) {
    await store.update(ATTRIBUTES, (now = '') => withAttribute(now, remove ? undefined : line));
  }
  const nothing = remove ? 'git does not merge boards here.' : 'git merges boards here already.';
  const text = changes.length === 0 ? nothing : changes.join('\n');
  return answered({ json }, 0, { ok: true, dryRun: dry, changes }, text);
}

/** The boards and archives below `root`, as git reads patterns: quoted where they hold blanks. */
function attributePattern(root: string): string {
  const pattern = `${root.replace(/[[\]*?\\]/g, '\\$&')}/**/*-tasks*.md`;
  // A comment begins with `#`, what git refuses with `!`.
  const plain = pattern.replace(/^[#!]/, '\\$&');
  return /[\s"\\]/.test(plain) ? JSON.stringify(plain) : plain;
}

/** The file with our line as given, or without it; all else stays byte for byte. */
function withAttribute(text: string, line: string | undefined): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (line !== undefined && lines.some((one) => one.trimEnd() === line)) return text;
  const kept = lines.filter((one) => !asksForDriver(one)).join('');
  if (line === undefined) return kept;
  const eol = kept.includes('\r\n') ? '\r\n' : '\n';
  return kept + (kept === '' || kept.endsWith('\n') ? '' : eol) + line + eol;
}

/** Whether a line of attributes names our driver; a comment does not. */
function asksForDriver(line: string): boolean {
  return !line.trimStart().startsWith('#') && line.trimEnd().endsWith(ATTRIBUTE);
}

/** What git leaves to the person: lines that a merge kept beside others, and a clone without our driver. */
export async function gitFindings(
  folder: string,
  store: NoteStore,
  boards: readonly Pick<Board, 'path'>[],
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const { path } of boards) {
    for (const line of conflictLines((await store.read(path)) ?? '')) {
      const text =
        'A merge kept this line beside another: both sides had changed it. Keep one of them, and take [conflict:: theirs] away.';
      found.push({ kind: 'two-versions', path, line, text });
    }
  }
  // One that is a folder, or a link out of the vault, is none for git either.
  const attributes = await store.read(ATTRIBUTES).catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    return undefined;
  });
  if (!(attributes ?? '').split(/\r?\n/).some(asksForDriver)) return found;
  if ((await git(folder, 'rev-parse', '--git-dir')).code !== 0) return found;
  const { code } = await git(folder, 'config', `merge.${DRIVER}.driver`);
  if (code !== 1) return found;
  const text =
    'git is to merge boards by task, but this clone does not know how. Run agent-boards connect git.';
  return [...found, { kind: 'no-merge-driver', path: ATTRIBUTES, line: 0, text }];
}

interface GitRun {
  /** undefined where there is no git to run */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

function git(folder: string, ...args: readonly string[]): Promise<GitRun> {
  return new Promise((done) => {
    execFile('git', ['-C', folder, ...args], (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      done({ code, out, err: err === '' && error !== null ? error.message : err });
    });
  });
}
