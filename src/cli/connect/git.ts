import { execFile } from 'node:child_process';
import type { Finding } from '../../core/board/board-findings';
import { StoreError, type NoteStore } from '../../core/ports';
import { resultExit, refusalExit, type Exit, type OpenVault } from '../command';

const DRIVER = 'agent-boards';
const ATTRIBUTES = '.gitattributes';
const ATTRIBUTE = ` merge=${DRIVER}`;

/** The options of `connect`. */
export interface ConnectOptions {
  readonly remove: boolean;
  /** only shows what would change */
  readonly dry: boolean;
  readonly json: boolean;
}

/**
 * `agent-boards connect git`: has git merge the boards of a vault in this clone.
 * @param program absolute path of the command line that git runs
 */
export async function connectGit(
  { folder, store, root }: OpenVault,
  program: string,
  { remove, dry, json }: ConnectOptions,
): Promise<Exit> {
  const { code: found, err: words } = await git(folder, 'rev-parse', '--git-dir');
  if (found !== 0) {
    const none = `${folder} is in no git repository. Run git init there, then try again.`;
    const other = `git does not work in ${folder}: ${words.trim()}`;
    const message = /not a git repository/.test(words) ? none : other;
    return refusalExit({ code: 'no_repository', message });
  }
  const line = `${attributePattern(root)}${ATTRIBUTE}`;
  const before = (await store.read(ATTRIBUTES)) ?? '';
  const after = withAttribute(before, remove ? undefined : line);
  const [node = '', file = ''] = [process.execPath, program].map(
    (word) => `'${word.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`,
  );
  const settings = {
    name: 'Boards of agents, merged by task',
    // If the program is gone, git merges with its own conflict markers: a driver that fails to
    // start would keep only our side.
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
    if (code !== 0) return refusalExit({ code: 'git', message: `git config: ${err.trim()}` });
  }
  if (!dry && after === '' && before !== '') await store.remove(ATTRIBUTES);
  else if (!dry && after !== before) {
    await store.update(ATTRIBUTES, (now = '') => withAttribute(now, remove ? undefined : line));
  }
  const nothing = remove ? 'git does not merge boards here.' : 'git merges boards here already.';
  const text = changes.length === 0 ? nothing : changes.join('\n');
  return resultExit({ json }, 0, { ok: true, dryRun: dry, changes }, text);
}

/** The attributes pattern for boards and archives below `root`; quoted if it contains blanks. */
function attributePattern(root: string): string {
  const pattern = `${root.replace(/[[\]*?\\]/g, '\\$&')}/**/*-tasks*.md`;
  // A leading `#` starts a comment, and git refuses a leading `!`.
  const plain = pattern.replace(/^[#!]/, '\\$&');
  return /[\s"\\]/.test(plain) ? JSON.stringify(plain) : plain;
}

/** The file with our line added, or removed if `line` is undefined. All other bytes are kept. */
function withAttribute(text: string, line: string | undefined): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (line !== undefined && lines.some((one) => one.trimEnd() === line)) return text;
  const kept = lines.filter((one) => !isOwnLine(one)).join('');
  if (line === undefined) return kept;
  const eol = kept.includes('\r\n') ? '\r\n' : '\n';
  return kept + (kept === '' || kept.endsWith('\n') ? '' : eol) + line + eol;
}

/** Whether a line is one that `connect git` writes, for this or another folder of boards. */
function isOwnLine(line: string): boolean {
  return assignsDriver(line) && /^\S.*\/\*\*\/\*-tasks\*\.md"? merge=/.test(line);
}

/** Whether a line assigns our merge driver; a comment does not. */
function assignsDriver(line: string): boolean {
  return !line.trimStart().startsWith('#') && line.trimEnd().endsWith(ATTRIBUTE);
}

/** A finding if git is told to merge boards but this clone lacks the merge driver. */
export async function gitFindings(folder: string, store: NoteStore): Promise<readonly Finding[]> {
  // A folder, or a link out of the vault, counts as no attributes file for git either.
  const attributes = await store.read(ATTRIBUTES).catch((error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    return undefined;
  });
  if (!(attributes ?? '').split(/\r?\n/).some(assignsDriver)) return [];
  if ((await git(folder, 'rev-parse', '--git-dir')).code !== 0) return [];
  const { code } = await git(folder, 'config', `merge.${DRIVER}.driver`);
  if (code !== 1) return [];
  const text =
    'git is to merge boards by task, but this clone does not know how. Run agent-boards connect git.';
  return [{ kind: 'no-merge-driver', path: ATTRIBUTES, line: 0, text }];
}

interface GitRun {
  /** undefined if git can't be run */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs git in a folder; never rejects. */
export function git(folder: string, ...args: readonly string[]): Promise<GitRun> {
  return new Promise((done) => {
    execFile('git', ['-C', folder, ...args], (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      done({ code, out, err: err === '' && error !== null ? error.message : err });
    });
  });
}
