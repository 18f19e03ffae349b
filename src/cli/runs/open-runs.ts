import type { Tidings } from '../../core/orchestrator/command';
import { bridgesLink } from '../../core/orchestrator/drive/bridges-link';
import { LateAsks } from '../../core/orchestrator/drive/late-asks';
import { Orchestrator } from '../../core/orchestrator/drive/orchestrator';
import { chosenStrategy } from '../../core/orchestrator/prompt/chosen-strategy';
import type { Clock, Log } from '../../core/ports';
import { nodeIds as ids } from '../../node/node-ids';
import { vaultLock } from '../../node/vault-lock';
import type { OpenVault } from '../command';
import { timeOf } from '../time-of';
import { openCode, type OpenCode } from './open-code';

/** How long to wait for a run that another program carries out, ms. */
const HELD_FOR = 500;

export interface CliRuns {
  readonly runs: Orchestrator;
  readonly openCode: OpenCode;
  /** Rests what is carried out here, then ends the connection. */
  close(): Promise<void>;
}

/** The runs of a vault, to be carried out by this process where it is told to. */
export function openRuns(
  vault: OpenVault,
  clock: Clock,
  log: Log,
  tell: (run: string, what: Tidings) => void,
): CliRuns {
  const { folder, store, manager, settings } = vault;
  const code = openCode(vault, clock, log);
  const late = new LateAsks({
    ...{ bus: code.bus, runtime: code.runtime, clock, log },
    minutes: () => settings.askMinutes,
    holds: (sessionId) => runs.holds(sessionId),
    sessions: () => code.sessions.all(),
  });
  const runs: Orchestrator = new Orchestrator({
    ...{ store, clock, ids, log, tell },
    lock: vaultLock(folder, HELD_FOR),
    bus: code.bus,
    runtime: code.runtime,
    sessions: () => code.sessions.all(),
    link: bridgesLink(code.connection),
    boards: { manager: () => manager, onChange: (listener) => manager.onChange(listener) },
    asks: late,
    strategy: chosenStrategy(() => settings.runPrompts),
    program: 'cli',
    time: timeOf,
  });
  return {
    runs,
    openCode: code,
    close: async () => {
      late.close();
      await runs.close();
      code.close();
    },
  };
}
