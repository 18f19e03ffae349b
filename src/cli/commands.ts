import { analyzeBoards } from './analyze-boards';
import { audit } from './audit/audit';
import { boardHistory } from './board-history';
import { getOne, readyOnes } from './board-readings';
import type { Command } from './command';
import { doctor } from './doctor';
import { exportBoards } from './export-boards';
import { importPlans } from './import-plans';
import { listBoards } from './list-boards';
import { listCheckpoints } from './list-checkpoints';
import { makeCheckpoint } from './make-checkpoint';
import { writeCommand } from './operation-command';
import { WRITES } from './operation-kinds';
import { rollBackBoard } from './roll-back-board';
import { runOperations } from './run-operations';
import { runCommand } from './runs/run-command';
import { watchBoards } from './watch-boards';

/** All commands by name, in the order in which help shows them. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [
    listBoards,
    getOne,
    readyOnes,
    analyzeBoards,
    boardHistory,
    ...WRITES.map(writeCommand),
    runOperations,
    makeCheckpoint,
    listCheckpoints,
    rollBackBoard,
    importPlans,
    exportBoards,
    doctor,
    watchBoards,
    audit,
    runCommand,
  ].map((command) => [command.name, command]),
);
