import { catchStoreError } from '../core/fault';
import type { NoteStore } from '../core/ports';
import { ClientLink } from '../core/session/client-link';
import { Connection, type Endpoint } from '../core/session/connection';
import { Discovery } from '../core/session/discovery';
import { hostOf, hostTitle } from '../core/session/session-host';
import { PRODUCT_VERSION } from '../core/version';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';
import { mayBeAlive } from '../node/may-be-alive';
import { openWebSocket } from '../node/ws-transport';
import type { FromBridgeOf } from '../protocol/from-bridge';
import { CLOSE } from '../protocol/handshake';

/** The errors that a running program of the vault reports. */
interface BridgeFaults {
  /** title for a person */
  readonly program: string;
  /** version of its bridge */
  readonly bridge: string;
  /** undefined: its bridge is too old to report them */
  readonly faults: readonly string[] | undefined;
  /** the use of its caches, one line each */
  readonly caches?: readonly string[] | undefined;
}

/** Maximum ms from connecting to the report; a working program answers in far less. */
const ANSWER_TIMEOUT = 5_000;

/**
 * The errors of all programs that run sessions in this vault now; omits programs that don't answer.
 */
export async function bridgeFaults(
  store: Pick<NoteStore, 'list' | 'read'>,
): Promise<readonly BridgeFaults[]> {
  const discovery = new Discovery(store, () => ({ address: '', token: '' }), mayBeAlive);
  // If the folder of run files is not a folder, the doctor's findings report that.
  const endpoints = await catchStoreError(
    () => discovery.all(),
    () => [],
  );
  const reports = await Promise.all(endpoints.map(requestFaults));
  return reports.filter((one) => one !== undefined);
}

function requestFaults(endpoint: Endpoint): Promise<BridgeFaults | undefined> {
  return new Promise((resolve) => {
    let self = undefined as Pick<BridgeFaults, 'program' | 'bridge'> | undefined;
    const end = (told?: FromBridgeOf<'faults'>['payload']): void => {
      undo();
      resolve(self && { ...self, faults: told?.lines, caches: told?.caches });
      connection.close(CLOSE.normal, '');
    };
    const undo = clock.after(ANSWER_TIMEOUT, () => end());
    const deps = { open: openWebSocket, clock, ids, link: new ClientLink({ clock, ids }) };
    const log = { note: () => undefined };
    const hello = { client: 'cli', version: PRODUCT_VERSION, vault: '', capabilities: [] };
    const connection = new Connection({ ...deps, log }, endpoint, hello, {
      bridgeRestarted: () => undefined,
      message: (message) => {
        if (message.type === 'welcome' && self === undefined) {
          const { bridge } = message.payload;
          self = { program: hostTitle(hostOf(message.payload)), bridge };
          connection.send({ type: 'faults.get', payload: {} });
        } else if (message.type === 'faults') end(message.payload);
        else if (message.type === 'error') end();
      },
      unreadable: () => end(),
      ended: () => end(),
    });
  });
}
