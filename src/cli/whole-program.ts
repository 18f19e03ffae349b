import { actionFlags } from './action-flags';
import { boardHistory, listCheckpoints, makeCheckpoint, rollBackBoard } from './board-history';
import type { Command } from './command';
import { handOff } from './handoff';
import { installBridge } from './install-bridge';
import { serveClient } from './mcp';
import { WRITE_COMMANDS } from './operation-command';
import { runProgram } from './program';
import { READ_COMMANDS } from './read-boards';
import { REVIEW_COMMANDS } from './review-commands';
import type { Commands } from './run';
import { runOperations } from './send-operations';
import { watchBoards } from './watch-boards';

/** Starts the program with all commands. */
export function startWholeProgram(): Promise<void> {
  return runProgram(COMMANDS);
}

const preloaded = (command: Command): readonly [string, () => Promise<Command>] => [
  command.name,
  () => Promise.resolve(command),
];

/** All commands by name, in the order of help. */
const byName: Commands['byName'] = new Map<string, () => Promise<Command>>([
  ...[...READ_COMMANDS, boardHistory].map(preloaded),
  ...[...WRITE_COMMANDS, ...REVIEW_COMMANDS].map(preloaded),
  ...[runOperations, handOff, makeCheckpoint, listCheckpoints, rollBackBoard].map(preloaded),
  ['import', async () => (await import('./import-plans')).importPlans],
  ['export', async () => (await import('./export-boards')).exportBoards],
  ['name-by-title', async () => (await import('./name-by-title')).nameByTitle],
  ['notes', async () => (await import('./notes')).notes],
  preloaded(installBridge),
  ['connect', async () => (await import('./connect/connect')).connectClient],
  ['merge-driver', async () => (await import('./git-merge')).mergeDriver],
  preloaded(serveClient),
  ['lsp', async () => (await import('./lsp')).serveEditor],
  ['serve', async () => (await import('./serve/serve')).serveSessions],
  ['doctor', async () => (await import('./doctor')).doctor],
  ['models', async () => (await import('./models')).models],
  ['config', async () => (await import('./config')).config],
  ['hooks', async () => (await import('./hooks')).hooks],
  preloaded(watchBoards),
  ['audit', async () => (await import('./audit/audit')).audit],
  ['stats', async () => (await import('./stats')).stats],
  ['run', async () => (await import('./runs/run-command')).runCommand],
]);

export const COMMANDS: Commands = { byName, withoutName: actionFlags };
