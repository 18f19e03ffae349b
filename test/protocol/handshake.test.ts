import { describe, expect, test } from 'vitest';
import { clientProtocols, engineIn, featuresIn, offeredToken } from '../../src/protocol/handshake';
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

describe('what a bridge can do', () => {
  const rest = [
    ...['start', 'prompt', 'interrupt', 'compact', 'rename', 'remove'],
    ...['permissions', 'questions', 'catalog'],
  ];
  const engine = { name: 'mcp', version: '1' };

  test.each([
    ['OpenCode’s of 0.1.0 says nothing', { opencode: '1' }, rest],
    ['it may name what nobody knows', { opencode: '1', features: ['later'] }, rest],
    ['with keys it has these too', { opencode: '1', features: ['keys'] }, ['keys', ...rest]],
    [
      'one that names more names all',
      { opencode: '1', features: ['keys', 'start'] },
      ['keys', 'start'],
    ],
    ['one with an engine names all', { engine, features: ['keys'] }, ['keys']],
    ['which may be nothing', { engine, features: [] }, []],
    ['or nothing known', { engine, features: ['later', 'constructor'] }, []],
    ['nor anything said', { engine }, []],
  ])('[WIRE17] %s', (_, said, features) => {
    expect([...featuresIn(said)]).toEqual(features);
  });

  test('[WIRE18] its engine is OpenCode where it names none', () => {
    expect(engineIn({ engine })).toBe(engine);
    expect(engineIn({ engine, opencode: '1' })).toBe(engine);
    expect(engineIn({ opencode: '1.18.33' })).toEqual({ name: 'opencode', version: '1.18.33' });
    expect(engineIn({})).toEqual({ name: 'opencode', version: '' });
  });
});

describe('run file', () => {
  test('[WIRE12] [WIRE18] is read as it was written; what is unknown in it is ignored', () => {
    expect(parseRunFile(JSON.stringify(RUN))).toEqual(RUN);
    expect(parseRunFile(JSON.stringify({ ...RUN, later: 1 }))).toEqual(RUN);
    const { opencode: _, ...bare } = RUN;
    const other = { ...bare, engine: { name: 'mcp', version: '0.1.0' } };
    expect(parseRunFile(JSON.stringify(other))).toEqual(other);
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
    ['with an engine as text', JSON.stringify({ ...RUN, engine: 'mcp' })],
    ['with a pid as text', JSON.stringify({ ...RUN, pid: '4711' })],
  ])('[WIRE12] one that is %s is none', (_, text) => {
    expect(parseRunFile(text)).toBeUndefined();
  });
});
