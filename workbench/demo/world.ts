import { readFileSync } from 'node:fs';
import { TodoManager } from '../../src/core/board/todo-manager';
import { NOTE_TOOLS } from '../../src/core/tool/note/definitions';
import { readSharedSettings } from '../../src/core/shared-settings';
import { DiskStore } from '../../src/node/disk-store';
import { CallTracker } from './call-tracker';
import type { Cleanup } from './cleanup';
import { findOpencode, thisMachine } from './find-opencode';
import { launchOpencode, type OpencodeProcess } from './launch-opencode';
import { OpencodeClient } from './opencode-client';
import { OpencodeEvents } from './opencode-events';
import type { EngineName } from './options';
import type { Reaper } from './reaper';
import { TurnTracker } from './turn-tracker';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';

export interface WorldOptions {
  /** the project's root, where binaries and built files are looked for */
  readonly root: string;
  readonly vault: string;
  readonly env: Readonly<Record<string, string>>;
  readonly reaper: Reaper;
  readonly cleanup: Cleanup;
  /** called with each line of OpenCode's standard output and error */
  readonly onLine?: (line: string) => void;
}

/** What a run without the plugin needs from the engine of the sessions. */
export type SessionClient = Pick<
  OpencodeClient,
  'createSession' | 'prompt' | 'replyPermission' | 'replyQuestion'
>;

/** The engine of the sessions in a vault, and everything that observes it from outside. */
export interface World {
  readonly engine: EngineName;
  readonly opencode: Pick<OpencodeProcess, 'version' | 'exited' | 'stop' | 'kill'>;
  readonly client: SessionClient;
  readonly events: Pick<OpencodeEvents, 'on' | 'stirredAt'>;
  readonly turns: TurnTracker;
  readonly calls: CallTracker;
  /** the notes on disk, read with the same core as everywhere */
  readonly manager: TodoManager;
  /** rejects when the engine exits unexpectedly */
  readonly broken: Promise<never>;
}

/** A real OpenCode. */
export interface OpencodeWorld extends World {
  readonly opencode: OpencodeProcess;
  readonly client: OpencodeClient;
}

/** @throws Error with a sentence if OpenCode is not installed or does not come up */
export async function startWorld(options: WorldOptions): Promise<OpencodeWorld> {
  const { vault, cleanup } = options;
  const opencode = await launchInstalledOpencode(options);
  let stopping = false;
  cleanup.add(async () => {
    stopping = true;
    await opencode.stop();
  });
  const client = new OpencodeClient(opencode.url, vault);
  const events = new OpencodeEvents();
  const turns = new TurnTracker();
  const calls = new CallTracker(isOurTool);
  events.on((event) => turns.handleEvent(event));
  events.on((event) => calls.handleEvent(event));
  await events.start(client);
  cleanup.add(() => events.stop());
  const manager = await openBoards(vault);
  const broken = opencode.exited.then((how) => {
    if (stopping) return new Promise<never>(() => {});
    throw new Error(how);
  });
  broken.catch(() => undefined);
  return { engine: 'opencode', opencode, client, events, turns, calls, manager, broken };
}

/** Starts the installed OpenCode. @throws Error with a sentence */
export function launchInstalledOpencode(options: WorldOptions): Promise<OpencodeProcess> {
  const { root, vault, env, reaper, onLine = () => {} } = options;
  return launchOpencode({ vault, env, reaper, onLine, binary: installedOpencode(root), port: 0 });
}

/** Path of the installed OpenCode. @throws Error with a sentence */
export function installedOpencode(root: string): string {
  const found = findOpencode(root, thisMachine(readTextIfExists));
  if (!found.ok) throw new Error(found.message);
  return found.path;
}

/** The boards of a vault on disk. */
export async function openBoards(vault: string): Promise<TodoManager> {
  const store = new DiskStore(vault);
  const { root, defaultSession } = await readSharedSettings(store);
  return new TodoManager({ store, clock, ids, root, defaultSession });
}

const OUR_TOOLS: ReadonlySet<string> = new Set([
  'tasks',
  ...NOTE_TOOLS.map(({ openCodeName }) => openCodeName),
]);

export function isOurTool(tool: string): boolean {
  return OUR_TOOLS.has(tool);
}

function readTextIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
