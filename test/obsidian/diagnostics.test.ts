import { expect, test } from 'vitest';
import { CacheMeter } from '../../src/core/cache';
import { ErrorHandler } from '../../src/core/error-handler';
import { DEFAULT_PERMISSIONS } from '../../src/core/permission/permissions';
import { defaultSettings } from '../../src/core/shared-settings';
import { diagnosticsText } from '../../src/obsidian/app/diagnostics';
import { readOwnSettings } from '../../src/obsidian/settings/settings-store';
import { flushPromises } from '../wire/manual-clock';
import { SeveralBridges } from '../wire/several-bridges';

test('[CONN59] diagnostics hold versions, settings, connections, counters and faults, and nothing of the person', async () => {
  const s = new SeveralBridges();
  const one = s.add(4001, 'a');
  await s.connect();
  s.bus.onAll(() => {
    throw new Error('Renew the passport');
  });
  one.send({ type: 'progress.update', sessionId: 'a', payload: { kind: 'busy' } });
  await flushPromises();
  one.sendRaw('no frame');
  await flushPromises();
  let now = Date.UTC(2026, 10, 21, 9, 30);
  const log = new ErrorHandler({ now: () => now });
  const boards = new CacheMeter('boards', () => 7, 9);
  for (const isHit of [false, true, true]) boards.count(isHit);
  const text = (secrets: readonly string[] = ['secret-token-1']) =>
    diagnosticsText({
      versions: { plugin: '0.2.0', obsidian: '1.11.4', device: 'desktop' },
      connection: s.bridges,
      bus: s.bus.counters,
      caches: [boards],
      settings: [
        [
          readOwnSettings({
            address: 'ws://me:pass@127.0.0.1:1/',
            keepDays: 30,
            enterSends: false,
          }),
          readOwnSettings(null),
        ],
        [
          {
            ...{ ...defaultSettings(), problem: 'It is not JSON.', root: 'Diary/passport' },
            permissions: { ...DEFAULT_PERMISSIONS },
          },
          defaultSettings(),
        ],
      ],
      faults: log.faults(),
      secrets,
    });
  log.note('A frame of the bridge was refused.', {
    ...{ at: 'connection.receive', severity: 'error', code: 'bad_json', message: 'secret-token-1' },
  });
  log.note('A listener threw.', {
    ...{ at: 'connection.listener', error: 'TypeError: Renew the passport', path: 'Diary/May.md' },
  });
  for (let n = 0; n < 60; n += 1) {
    now += 1_000;
    log.note('Looking for a bridge failed.', { at: 'connection.discover', tries: n });
  }
  log.note('The connection to secret-token-1 ended.', {
    ...{
      at: 'connection.end',
      code: 'secret-token-1',
      title: 'passport',
      kind: 'note',
      again: true,
    },
    board: { title: 'passport' },
  });
  const lines = text().split('\n');
  expect(lines.slice(0, 9)).toEqual([
    'Agent Task Boards 0.2.0, Obsidian 1.11.4, desktop',
    'Connections:',
    '  bridge-1: connected, bridge 0.1.0, OpenCode 1.18.33',
    'Messages dropped: duplicate 0, gap 0, refused 1, foreign 0, endedSession 0, unknownSession 0',
    'Events delivered: 1',
    'Listeners that threw: 1',
    'Caches:',
    '  boards: 2 hits, 1 misses, 7 of 9 entries',
    'Settings:',
  ]);
  expect(lines).toEqual(
    expect.arrayContaining([
      '  address: changed',
      '  conversationFolder: default',
      '  keepDays: 30',
      '  enterSends: false',
      '  root: changed',
      '  permissions: default',
    ]),
  );
  expect(lines.slice(-5)).toEqual([
    'Faults, the last 4 of 4:',
    '  2026-11-21T09:30:00.000Z error connection.receive A frame of the bridge was refused. code=bad_json message=…',
    '  2026-11-21T09:30:00.000Z warning connection.listener A listener threw. error=TypeError path=…',
    '  2026-11-21T09:31:00.000Z warning connection.discover Looking for a bridge failed. tries=59 (60 times since 2026-11-21T09:30:01.000Z)',
    '  2026-11-21T09:31:00.000Z warning connection.end The connection to … ended. code=… title=… kind=note again=true board=…',
  ]);
  expect(text()).not.toMatch(/passport|Diary|secret|me:pass|problem/);
  expect(text([])).toMatch(/secret-token-1/);
});
