import { PRODUCT_VERSION } from '../../core/version';
import {
  wallClockText,
  type Exit,
  type CommandArgs,
  type OpenVault,
  type CliEnvironment,
} from '../command';
import { bridgesLink, ExpiringRequests } from '../../core/orchestrator/drive/bridges-link';
import { Orchestrator } from '../../core/orchestrator/drive/orchestrator';
import { chosenStrategy } from '../../core/orchestrator/run-prompt';
import type { ErrorHandler } from '../../core/error-handler';
import type { Undo } from '../../core/ports';
import { followSessions } from '../../core/session/session-hooks';
import { openScriptHooks } from '../../node/hooks/script-hooks';
import { nodeClock as clock, nodeIds as ids } from '../../node/node-ports';
import { vaultLock } from '../../node/vault-lock';
import { basename } from 'node:path';
import { BridgeRuntime } from '../../core/session/bridge-runtime';
import { Bridges } from '../../core/session/bridges';
import { isFeatureAvailable, type Endpoint } from '../../core/session/connection';
import { Discovery } from '../../core/session/discovery';
import { hostTitle } from '../../core/session/session-host';
import { SessionEventBus } from '../../core/session/session-event-bus';
import type { SessionRuntime } from '../../core/session/bridge-runtime';
import { Sessions } from '../../core/session/sessions';
import { diskNotesFor } from '../../node/notes/goal-notes';
import { openWebSocket } from '../../node/ws-transport';
import { mayBeAlive } from '../../node/may-be-alive';

/** The context of a verb of `agent-boards run`. */
export interface RunContext extends ReturnType<typeof openRuns> {
  readonly vault: OpenVault;
  readonly given: CommandArgs;
  /** the arguments after the verb */
  readonly words: readonly string[];
  readonly environment: CliEnvironment;
}

/** A verb of `agent-boards run`. */
export interface RunVerb {
  readonly name: string;
  /** the arguments after its name, as in `TASK [RUN]` */
  readonly takes: string;
  /** what it does, in one line */
  readonly says: string;
  /** names of its options, besides the common ones */
  readonly options?: readonly string[];
  run(context: RunContext): Exit | Promise<Exit>;
}

/** Options of verbs that carry a run on. */
export const FOLLOW_OPTIONS: readonly string[] = ['stay'];

/** Maximum wait for a run that another program carries out, ms. */
const HELD_FOR = 500;

/** The runs of a vault. This process carries them out when a verb says so. */
export function openRuns(vault: OpenVault, log: ErrorHandler) {
  const { folder, store, manager, settings } = vault;
  const client = openCode(vault, log);
  const late = new ExpiringRequests({
    ...{ bus: client.bus, runtime: client.runtime, clock, log },
    minutes: () => settings.askMinutes,
    usesSession: (sessionId) => runs.usesSession(sessionId),
    sessions: () => client.sessions.all(),
  });
  const notesFor = diskNotesFor({ vault: folder, store, clock, log });
  const runs: Orchestrator = new Orchestrator({
    ...{ store, clock, ids, log },
    // `RunReporter` prints what a run reports.
    notify: () => undefined,
    lock: vaultLock(folder, HELD_FOR),
    bus: client.bus,
    runtime: client.runtime,
    sessions: () => client.sessions.all(),
    link: bridgesLink(client.connection),
    boards: { manager: () => manager, onChange: (listener) => manager.onChange(listener) },
    toolRequests: late,
    strategy: chosenStrategy(() => settings.runPrompts),
    findNotes: async (goal, reader) =>
      isFeatureAvailable(client.connection.state, 'notes') ? notesFor(goal, reader) : undefined,
    program: 'cli',
    formatTime: wallClockText,
  });
  return {
    runs,
    openCode: client,
    /** Stops carrying out runs here, then closes the connection. */
    close: async (): Promise<void> => {
      late.close();
      await runs.close();
      await client.close();
    },
  };
}

export type OpenCode = ReturnType<typeof openCode>;

/**
 * The OpenCode processes of a vault, not connected yet. This client answers requests for the person
 * and offers no tools: agents' calls run in Obsidian if that is connected, else in the bridge.
 */
function openCode({ folder, store, settings }: OpenVault, log: ErrorHandler) {
  const bus = new SessionEventBus();
  const discovery = new Discovery(store, () => ({ address: '', token: '' }), mayBeAlive);
  const connection = new Bridges({
    open: openWebSocket,
    discover: () => discovery.all(),
    hello: () => ({
      client: 'cli',
      version: PRODUCT_VERSION,
      vault: basename(folder),
      capabilities: ['permissions', 'questions'],
    }),
    ...{ clock, ids, bus, log },
  });
  const sessions = new Sessions(bus, connection);
  const hooks = openScriptHooks({ vault: folder, log, settings: () => settings });
  const unfollow = followSessions(hooks, bus);
  const runtime: SessionRuntime = new BridgeRuntime(connection, ids, hooks);
  const close = async (): Promise<void> => {
    connection.close();
    sessions.close();
    unfollow();
    await hooks.settled();
  };
  return { bus, connection, discovery, sessions, runtime, close };
}

/** Maximum ms from the first attempt to the welcome; a working bridge answers in far less. */
const CONNECT_TIMEOUT = 10_000;

/**
 * Connects.
 * @returns undefined once connected, else what to do about the failure
 */
export function connect(
  { openCode: { connection, discovery } }: RunContext,
  stop: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const undos: Undo[] = [];
    const end = (fault: string | undefined): void => {
      for (const undo of undos) undo();
      stop.removeEventListener('abort', stopped);
      resolve(fault);
    };
    const stopped = (): void =>
      end('It was stopped before a program that runs sessions was connected.');
    const check = (): void => {
      const { state } = connection;
      if (isFeatureAvailable(state, 'start')) end(undefined);
      else if (state.kind === 'connected') {
        // If this fails, the connection's next discovery logs it, and the timeout ends the wait.
        void discovery.all().then(endIfNoneStarts, () => undefined);
      } else if (state.kind === 'failed') end(failureWords(state.message));
      else if (state.kind === 'disconnected' && state.reason === 'no_bridge') end(NONE_RUNS);
    };
    /** Ends the wait if every discovered bridge has answered and none can start sessions. */
    const endIfNoneStarts = (found: readonly Endpoint[]): void => {
      const { all, state } = connection;
      const waits = all.some(
        (one) => one.state.kind !== 'connected' && one.state.kind !== 'failed',
      );
      if (waits || all.length < found.length || state.kind !== 'connected') return;
      if (isFeatureAvailable(state, 'start')) return;
      end(`${hostTitle(state)} is connected, and starts no sessions. ${NONE_RUNS}`);
    };
    undos.push(
      connection.onState(check),
      clock.after(CONNECT_TIMEOUT, () => end(SILENT)),
    );
    stop.addEventListener('abort', stopped);
    if (stop.aborted) stopped();
    else connection.connect();
  });
}

const NONE_RUNS =
  'No program that runs sessions is connected in this vault. Start OpenCode there (opencode, or opencode serve), or agent-boards serve, then try again. If OpenCode is running already: install the bridge from the plugin ("Install bridge in this vault"), then restart OpenCode.';

const SILENT =
  'A program that runs sessions is there, but does not answer. Restart OpenCode or agent-boards serve, then try again.';

/** Failure messages are written for the plugin; here the next step is another command. */
function failureWords(message: string): string {
  return `${message} Then try again.`;
}
