import {
  addressOf,
  isLoopback,
  OpencodeServer,
  ServerError,
} from '../../bridge/opencode-http/opencode-server';
import { openOpencode } from '../../bridge/opencode-http/served-opencode';
import { nodeHttp } from '../../node/http-client';
import { stopped } from '../command';
import type { ServeEngine } from './engines';

/** The default address of `opencode serve`. */
const DEFAULT = 'http://127.0.0.1:4096';

const PASSWORD = 'OPENCODE_SERVER_PASSWORD';

/** `--engine opencode`: uses an unmodified `opencode serve`, on this machine or another. */
export const serveOpencode: ServeEngine = async (given, around, warn, vault) => {
  const password = around.env[PASSWORD] === '' ? undefined : around.env[PASSWORD];
  try {
    const address = addressOf(given.text('url') ?? DEFAULT);
    const isNear = isLoopback(address);
    const asked = given.text('directory') ?? vault.folder;
    const options = { address, password, http: nodeHttp() };
    const asking = new OpencodeServer({ ...options, directory: asked });
    const { hasBridge, ...found } = await asking.check();
    const { version, directory } = found;
    if (hasBridge) return stopped('has_bridge', HAS_BRIDGE);
    const server = new OpencodeServer({ ...options, directory });
    const isOpen = !isNear && address.protocol === 'http:' && password !== undefined;
    if (!isNear) warn(FAR);
    if (isOpen) warn(OPEN);
    return {
      kind: 'opencode',
      on: `OpenCode ${version} at ${server.name}, folder ${directory}`,
      secrets: password === undefined ? [] : [password],
      open: (host) =>
        openOpencode({ server, ...found, isNear, title: given.text('name') }, host).catch(
          (error: unknown) => {
            if (!host.stop.aborted) return told(error);
            return stopped('stopped', `Ended before the OpenCode at ${server.name} was ready.`);
          },
        ),
    };
  } catch (error) {
    return told(error);
  }
};

/** @throws EarlyExit for a problem of the server; rethrows any other error */
function told(error: unknown): never {
  if (error instanceof ServerError) stopped(error.trouble, error.message);
  throw error;
}

const HAS_BRIDGE =
  'That OpenCode has the bridge in this folder: Obsidian finds it, and its agents have their tools, without this program.';

const FAR =
  'That OpenCode is on another machine, which can’t reach this one’s boards: its agents have no tools for tasks and notes.';

const OPEN = 'The password goes there unencrypted: use an https address, or a tunnel.';
