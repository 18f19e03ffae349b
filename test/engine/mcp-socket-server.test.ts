import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { McpSocketServer } from '../../src/acp/mcp-socket-server';

test('[ACP11] the secret of a session opens its tools, until the session is deleted', async () => {
  const asked: string[] = [];
  const services = { program: '/cli.js', vault: '/v', log: { note: () => undefined } };
  const server = await McpSocketServer.open(services, (sessionId) => {
    asked.push(sessionId);
    return { list: () => Promise.resolve([]), call: () => Promise.reject(new Error('Not here.')) };
  });
  const secretOf = (sessionId: string): string => {
    const given = server.serverFor(sessionId);
    return 'env' in given ? (given.env[0]?.value ?? '') : '';
  };
  const line = secretOf('a');
  expect(secretOf('a')).toBe(line);
  const [secret = '', path = ''] = line.split(' ');
  const closed = async (): Promise<void> => {
    const socket = connect(path);
    socket.resume();
    socket.write(`${secret}\n`);
    await once(socket, 'close');
  };
  const open = connect(path);
  open.write(`${secret}\n`);
  await expect.poll(() => asked).toEqual(['a']);
  server.forget('a');
  await closed();
  expect(asked).toEqual(['a']);
  expect(secretOf('a')).not.toBe(line);
  open.destroy();
  await server.close();
});
