import {
  findings,
  findArchivesAndCopies,
  type Finding,
  type FoundFile,
} from '../core/board/board-findings';
import { stateFindings } from './state-findings';
import { auditFindings } from './audit/verify';
import { bridgeFaults } from './bridge-faults';
import { gitFindings } from './connect/git';
import { settingsFindings } from './settings-finding';
import { unwritableFolder } from './open-vault';
import { PRODUCT_VERSION } from '../core/version';
import { textExit, type CliEnvironment, type Command, type OpenVault } from './command';
import { loadVaultConfig } from './config';
import { errorLog } from './error-log';
import type { ConfigProblem } from '../core/config/config-problem';
import { faultLines, toldSettings } from '../core/diagnostics';
import { defaultSettings, readSharedSettings, unreadSettings } from '../core/shared-settings';
import { stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { JOURNAL_FOLDER, KEPT_FOLDER, readEntry } from '../core/board/journal';
import { PERSON } from '../core/board/history/actor';
import type { DecideOperations } from '../core/board/op';
import { fault } from '../core/fault';
import type { Task, TaskTarget } from '../core/board/task';
import { StoreError } from '../core/ports';
import {
  isAbandoned,
  keyLockFile,
  LOCK_FOLDER,
  readLock,
  thisProcess,
  withLock,
} from '../node/lock';
import { entriesIn, misplacedFiles } from './misplaced-files';
import { ifMissing } from '../node/store-error';
import { readNoteText } from '../node/read-file';
import { NAMING_JOURNAL, NO_RENAMES } from '../core/board/names/named-store';
import { MOVES_JOURNAL, NO_MOVES } from '../core/board/pending-moves';
import { STATE_ROOT } from '../core/board/todo-manager';
import { RUN_FOLDER } from '../protocol/run-file';
import { isTemporary } from '../node/whole-file';

/**
 * `agent-boards doctor`: reports what a person should know about the boards. `--fix` makes only
 * safe repairs.
 */
export const doctor: Command = {
  name: 'doctor',
  takes: '',
  opensAnyway: true,
  says: 'what needs repair: notes, ids, copies of sync tools, what dead processes left',
  options: {
    fix: {
      says: 'fixes what loses nothing: new numbers for duplicates, leftovers',
    },
  },
  async run(given, vault, environment) {
    const fixed: Finding[] = [];
    const failed: string[] = [];
    for (const finding of given.flag('fix') ? await collectFindings(vault) : []) {
      if (finding.fix === undefined) continue;
      const why = await fixFinding(vault, finding);
      if (why === undefined) fixed.push(finding);
      else failed.push(`${finding.path}: not fixed, ${why}`);
    }
    const left = [...(await collectFindings(vault)), ...(await auditFindings(vault.folder))];
    const code = left.some(({ kind }) => kind === 'settings') ? 1 : left.length === 0 ? 0 : 3;
    const err = failed.map((line) => `agent-boards: ${line}\n`).join('');
    const named = (one: Finding): Finding => ({ ...one, path: vault.store.fileOf(one.path) });
    const [done, open] = [fixed.map(named), left.map(named)];
    const diagnosis = await diagnose(vault, environment);
    if (given.json) {
      const found = { ok: code === 0, findings: open, fixed: done };
      return textExit(code, JSON.stringify({ ...found, ...diagnosis }), err);
    }
    const { errors } = diagnosis.config;
    const lines = [
      ...done.map(({ fix: _, ...one }) => `fixed  ${lineOf(one)}`),
      ...open.map(lineOf),
      ...diagnosis.faults,
      ...diagnosis.bridges.flatMap(({ program, bridge, faults = [] }) =>
        faults.map((line) => `${program} (bridge ${bridge}):${line.replace(/^ */, ' ')}`),
      ),
      ...(errors === 0 ? [] : [configErrors(errors)]),
    ];
    return textExit(code, lines.length === 0 ? 'All is well.' : lines.join('\n'), err);
  },
};

const configErrors = (count: number): string =>
  `OpenCode's configuration has ${count === 1 ? 'an error' : `${count} errors`}: agent-boards config check says where.`;

/** The data that a bug report needs besides the findings. Contains nothing personal. */
async function diagnose({ folder, store, manager }: OpenVault, environment: CliEnvironment) {
  const log = errorLog(() => undefined);
  const message = 'The configuration could not be read.';
  const read = log.wrap(message, { at: 'app.config' }, () => loadVaultConfig(folder, environment));
  const problems = (await read())?.problems ?? [];
  const count = (severity: ConfigProblem['severity']) =>
    problems.filter((one) => one.severity === severity).length;
  const settings = await readSharedSettings(store).catch(unreadSettings);
  return {
    versions: { agentBoards: PRODUCT_VERSION, node: process.version, platform: process.platform },
    settings: toldSettings(settings, defaultSettings()),
    caches: [manager.meter.use],
    config: { errors: count('error'), warnings: count('warning') },
    faults: faultLines(log.faults()).slice(1),
    bridges: await bridgeFaults(store),
  };
}

async function collectFindings(vault: OpenVault): Promise<readonly Finding[]> {
  const locked = await unwritableFolder(vault);
  return [
    ...(await settingsFindings(vault.store)),
    ...(locked === undefined ? [] : [locked]),
    ...(await boardFindings(vault)),
  ];
}

async function boardFindings(vault: OpenVault): Promise<readonly Finding[]> {
  const { folder, store, root, manager } = vault;
  // First, since scanning the boards completes interrupted writes.
  const fault = await manager.scan().catch(asStoreError);
  const left = await leftoverFindings(vault);
  if (fault === undefined) {
    const boards = manager.boards();
    const named = new Set(left.map(({ path }) => path));
    const beside = (await findArchivesAndCopies(store, root)).filter(
      ({ path }) => !named.has(path),
    );
    return [...findings(boards, [...beside, ...left]), ...(await gitFindings(folder, store))];
  }
  // If the boards' folder is a file, there is nothing else to check.
  if (left.some(({ path }) => path === root)) return findings([], left);
  throw fault;
}

function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  throw error;
}

function lineOf({ path, line, text, fix }: Finding): string {
  const where = line === 0 ? path : `${path}:${line}`;
  return `${where}: ${text}${fix === undefined ? '' : ' [--fix]'}`;
}

/** Carries out the safe fix of a finding. Returns the reason if that was not possible. */
async function fixFinding(vault: OpenVault, finding: Finding): Promise<string | undefined> {
  const { fix, path } = finding;
  try {
    switch (fix?.type) {
      case undefined:
        return 'only a person can decide it';
      case 'renumber':
        return await renumber(vault, path, fix.target);
      case 'remove':
        return await remove(join(vault.folder, path), finding);
      case 'finish':
        return await finish(vault, path);
    }
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

/** Works on the note's current text; a task that is no longer a duplicate stays. */
async function renumber(
  { manager }: OpenVault,
  path: string,
  { id, title }: TaskTarget,
): Promise<string | undefined> {
  const said = `gave the second ${id ?? title} a number of its own`;
  const decide: DecideOperations = (note) => {
    const isDuplicate = (task: Task) => task.id === id && task.key !== id && task.title === title;
    const task = note?.board.tasks.find(isDuplicate);
    if (task === undefined) return fault('changed_since', 'the note has changed meanwhile');
    return [{ type: 'renumber', id: task }];
  };
  const done = await manager.commit(path, PERSON, decide, { said });
  return done.ok ? undefined : done.message;
}

/**
 * Takes a lock over as any writer would and releases it, since another writer may have placed its
 * own meanwhile.
 */
async function remove(file: string, { kind }: Finding): Promise<undefined> {
  if (kind === 'stale-lock' && !file.includes('.holder')) {
    await withLock(file, () => Promise.resolve(), 0);
    return;
  }
  await unlink(file).catch(ifMissing(undefined));
}

/** Completes an interrupted write by taking the note's lock: every holder does that first. */
async function finish({ folder, store, manager }: OpenVault, path: string): Promise<undefined> {
  if (path === MOVES) return void (await manager.moves.finish());
  const text = await readNoteText(join(folder, path), path);
  const entry = text === undefined ? undefined : readEntry(text);
  if (entry !== undefined) await store.update(entry.path, (now) => now);
}

/** ms after which a leftover counts as abandoned; a write takes milliseconds. */
const ABANDONED_AFTER = 10 * 60_000;

/**
 * Problems besides the boards: leftovers of dead processes (locks, temporary files, journals), and
 * damage.
 */
async function leftoverFindings({
  folder: vault,
  root,
  store,
}: OpenVault): Promise<readonly FoundFile[]> {
  const folders = [root, STATE_ROOT, RUN_FOLDER];
  const misplaced = (
    await Promise.all(folders.map((folder) => misplacedFiles(vault, folder)))
  ).flat();
  const hasState = !misplaced.some(({ path }) => path === STATE_ROOT);
  const found = [
    ...misplaced,
    ...(await staleLocks(vault)),
    ...(await temporaries(vault, root)),
    ...(await temporaries(vault, STATE_ROOT)),
    ...(await journals(vault)),
    ...(hasState ? await stateFindings(store) : []),
  ];
  const paths = new Set<string>();
  return found.filter(({ path }) => paths.size < paths.add(path).size);
}

async function staleLocks(vault: string): Promise<readonly FoundFile[]> {
  const self = await thisProcess();
  const found: FoundFile[] = [];
  for (const name of await namesIn(join(vault, LOCK_FOLDER))) {
    const path = `${LOCK_FOLDER}/${name}`;
    const lock = readLock(join(vault, path));
    if (lock === undefined || !isAbandoned(lock, self, Date.now())) continue;
    const { holder } = lock;
    const whose = holder === undefined ? 'nobody knows' : `process ${holder.pid} on ${holder.host}`;
    const here = holder?.host === self.host;
    const text = here
      ? `A lock of ${whose}, which is gone.`
      : `A lock of ${whose}, silent for over a minute. The next program that writes the note takes it over.`;
    found.push({ kind: 'stale-lock', path, text, ...(here && { fix: 'remove' as const }) });
  }
  return found;
}

async function temporaries(vault: string, folder: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const entry of await entriesIn(join(vault, folder))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await temporaries(vault, path)));
    else if (isTemporary(entry.name) && (await isOld(join(vault, path)))) {
      const text = 'What is left of an interrupted write; the note is as it was before.';
      found.push({ kind: 'leftover-file', path, text, fix: 'remove' });
    }
  }
  return found;
}

const MOVES = `${STATE_ROOT}/${MOVES_JOURNAL}`;

async function journals(vault: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const name of await namesIn(join(vault, JOURNAL_FOLDER))) {
    const path = `${JOURNAL_FOLDER}/${name}`;
    const text = name.endsWith('.json') ? await readNoteText(join(vault, path), path) : undefined;
    const entry = text === undefined ? undefined : readEntry(text);
    if (entry === undefined || (await isHeld(vault, name.replace(/\.json$/, '')))) continue;
    const told = `A write of ${entry.path} was interrupted.`;
    found.push({ kind: 'leftover-journal', path, text: told, fix: 'finish' });
  }
  for (const name of await namesIn(join(vault, KEPT_FOLDER))) {
    const text =
      'A text that was to be written when its note had changed already. Take over what is missing in the note, then delete it.';
    found.push({ kind: 'kept-text', path: `${KEPT_FOLDER}/${name}`, text });
  }
  if ((await namesIn(join(vault, STATE_ROOT))).includes('move.json')) {
    const text =
      'A move of the boards to another folder was interrupted. Run "Move boards to another folder…" in Obsidian again: it finishes the move, or undoes it.';
    found.push({ kind: 'leftover-journal', path: `${STATE_ROOT}/move.json`, text });
  }
  if (((await readNoteText(join(vault, MOVES), MOVES)) ?? NO_MOVES) !== NO_MOVES) {
    const text =
      'A move of tasks to another board was interrupted; they may be on both. Obsidian finishes it or undoes it when it starts, and so does the next move or undo.';
    found.push({ kind: 'leftover-journal', path: MOVES, text, fix: 'finish' });
  }
  const naming = `${STATE_ROOT}/${NAMING_JOURNAL}`;
  if (((await readNoteText(join(vault, naming), naming)) ?? NO_RENAMES) !== NO_RENAMES) {
    const text =
      'A renaming of board files was interrupted; every board is still found. Obsidian finishes it when it starts, and so does agent-boards name-by-title.';
    found.push({ kind: 'leftover-journal', path: naming, text });
  }
  return found;
}

/** Whether a live process holds the lock of the note with this key. */
async function isHeld(vault: string, key: string): Promise<boolean> {
  const lock = readLock(keyLockFile(vault, key));
  return lock !== undefined && !isAbandoned(lock, await thisProcess(), Date.now());
}

async function isOld(file: string): Promise<boolean> {
  const found = await stat(file).catch(ifMissing(undefined));
  return found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await entriesIn(folder);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
