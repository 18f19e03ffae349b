import {
  addressOf,
  isLoopback,
  OpencodeServer,
  ServerError,
} from '../../bridge/opencode-http/opencode-server';
import { openOpencode } from '../../bridge/opencode-http/served-opencode';
import { nodeHttp } from '../../node/http-client';
import { fail } from '../command';
import type { DescribeEngine } from './engines';

/** The default address of `opencode serve`. */
const DEFAULT = 'http://127.0.0.1:4096';

const PASSWORD = 'OPENCODE_SERVER_PASSWORD';

/** `--engine opencode`: uses an unmodified `opencode serve`, on this machine or another. */
export const describeOpencodeEngine: DescribeEngine = async (given, environment, warn, vault) => {
  const password = environment.env[PASSWORD] === '' ? undefined : environment.env[PASSWORD];
  try {
    const address = addressOf(given.text('url') ?? DEFAULT);
    const isNear = isLoopback(address);
    const wantedDirectory = given.text('directory') ?? vault.folder;
    const options = { address, password, http: nodeHttp() };
    const probe = new OpencodeServer({ ...options, directory: wantedDirectory });
    const { hasBridge, ...found } = await probe.check();
    const { version, directory } = found;
    if (hasBridge) return fail('has_bridge', HAS_BRIDGE);
    const server = new OpencodeServer({ ...options, directory });
    const isOpen = !isNear && address.protocol === 'http:' && password !== undefined;
    if (!isNear) warn(REMOTE_WARNING);
    if (isOpen) warn(UNENCRYPTED_WARNING);
    return {
      kind: 'opencode',
      on: `OpenCode ${version} at ${server.name}, folder ${directory}`,
      secrets: password === undefined ? [] : [password],
      open: (host) =>
        openOpencode(
          { server, ...found, reachesLoopback: isNear, title: given.text('name') },
          host,
        ).catch((error: unknown) => {
          if (!host.stop.aborted) return rethrow(error);
          return fail('stopped', `Ended before the OpenCode at ${server.name} was ready.`);
        }),
    };
  } catch (error) {
    return rethrow(error);
  }
};

/** @throws EarlyExit for a problem of the server; rethrows any other error */
function rethrow(error: unknown): never {
  if (error instanceof ServerError) fail(error.trouble, error.message);
  throw error;
}

const HAS_BRIDGE =
  'That OpenCode has the bridge in this folder: Obsidian finds it, and its agents have their tools, without this program.';

const REMOTE_WARNING =
  'That OpenCode is on another machine, which can’t reach this one’s boards: its agents have no tools for tasks and notes.';

const UNENCRYPTED_WARNING =
  'The password goes there unencrypted: use an https address, or a tunnel.';
