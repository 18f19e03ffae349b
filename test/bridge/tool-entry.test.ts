import { Server } from 'node:net';
import { expect, test, vi } from 'vitest';
import { ToolEntry } from '../../src/bridge/opencode-http/tool-entry';
import { MCP_ENTRY, OpencodeApi, type ApiRequest } from '../../src/bridge/opencode/opencode-api';
import { nodeClock } from '../../src/node/node-ports';

function scene() {
  const asked: ApiRequest[] = [];
  const api = new OpencodeApi((request) => {
    asked.push(request);
    return Promise.resolve({ status: 200, body: { [MCP_ENTRY]: { status: 'connected' } } });
  }, '/v');
  const log = { note: () => undefined };
  type Services = ConstructorParameters<typeof ToolEntry>[0];
  const entry = new ToolEntry({ api, log, clock: nodeClock } as unknown as Services);
  return { entry, asked };
}

/** The next address that is opened is refused. */
function refuseToListen(): void {
  vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
    this.emit('error', new Error('EMFILE'));
    return this;
  });
}

test('[OCHTTP6] an address that could not be opened is opened anew before the next prompt', async () => {
  const { entry, asked } = scene();
  refuseToListen();
  await entry.ensureAdded();
  expect(asked).toEqual([]);
  await entry.ensureAdded();
  expect(asked.map(({ path }) => path)).toEqual(['/mcp']);
  await entry.close();
});

test('[OCHTTP6] what could not be opened keeps nothing from ending', async () => {
  const { entry } = scene();
  refuseToListen();
  await entry.ensureAdded();
  await expect(entry.close()).resolves.toBeUndefined();
});
