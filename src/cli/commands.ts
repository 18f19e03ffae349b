import { analyzeBoards } from './analyze-boards';
import { getOne, readyOnes } from './board-readings';
import type { Command } from './command';
import { listBoards } from './list-boards';
import { writeCommand } from './operation-command';
import { WRITES } from './operation-kinds';
import { runOperations } from './run-operations';

/** All commands by name, in the order in which help shows them. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [listBoards, getOne, readyOnes, analyzeBoards, ...WRITES.map(writeCommand), runOperations].map(
    (command) => [command.name, command],
  ),
);
