import { describe, expect, test } from 'vitest';
import { clientProtocols, offeredToken } from '../../src/protocol/handshake';
import { parseRunFile, type RunFile } from '../../src/protocol/run-file';

const TOKEN = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-AbCdE';

const RUN: RunFile = {
  port: 43123,
  token: TOKEN,
  pid: 4711,
  host: 'ada',
  directory: '/home/ada/Vault',
  folder: 'f0ld3r',
  startedAt: 1763726400000,
  protocol: 1,
  bridge: '0.1.0',
  opencode: '1.18.33',
};

describe('handshake', () => {
  test('[WIRE11] the token travels in the second subprotocol, behind our own', () => {
    expect(clientProtocols(TOKEN)).toEqual(['agent-task-boards.v1', `token.${TOKEN}`]);
    expect(offeredToken(clientProtocols(TOKEN))).toBe(TOKEN);
  });

  test.each([
    [[]],
    [['agent-task-boards.v1']],
    [[`token.${TOKEN}`]],
    [[`token.${TOKEN}`, 'agent-task-boards.v1']],
    [['agent-task-boards.v2', `token.${TOKEN}`]],
    [['agent-task-boards.v1', `token.${TOKEN}`, 'token.another']],
  ])('[WIRE11] %j offers no token', (protocols) => {
    expect(offeredToken(protocols)).toBeUndefined();
  });
});

describe('run file', () => {
  test('[WIRE12] is read as it was written; what is unknown in it is ignored', () => {
    expect(parseRunFile(JSON.stringify(RUN))).toEqual(RUN);
    expect(parseRunFile(JSON.stringify({ ...RUN, later: 1 }))).toEqual(RUN);
    expect(parseRunFile(JSON.stringify({ ...RUN, protocol: 2 }))?.protocol).toBe(2);
  });

  test.each([
    ['half-written', JSON.stringify(RUN).slice(0, 80)],
    ['empty', ''],
    ['a list', '[]'],
    ['without a token', JSON.stringify({ ...RUN, token: undefined })],
    ['with a token that is none', JSON.stringify({ ...RUN, token: 'a b' })],
    ['with a short token', JSON.stringify({ ...RUN, token: 'abc' })],
    ['with port 0', JSON.stringify({ ...RUN, port: 0 })],
    ['with a port too high', JSON.stringify({ ...RUN, port: 65536 })],
    ['with a pid as text', JSON.stringify({ ...RUN, pid: '4711' })],
  ])('[WIRE12] one that is %s is none', (_, text) => {
    expect(parseRunFile(text)).toBeUndefined();
  });
});
