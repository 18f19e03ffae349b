import { expect, test } from 'vitest';
import { diagnostics, MemoryLog } from '../../src/obsidian/app/diagnostics';
import { settled } from '../wire/manual-clock';
import { SeveralBridges } from '../wire/several-bridges';

test('[CONN59] diagnostics hold versions, connections, counts and log lines, and nothing of the person', async () => {
  const s = new SeveralBridges();
  const one = s.add(4001, 'a');
  await s.connect();
  s.bus.onAll(() => {
    throw new Error('Renew the passport');
  });
  one.say({ type: 'progress.update', sessionId: 'a', payload: { kind: 'busy' } });
  await settled();
  one.raw('no frame');
  await settled();
  const log = new MemoryLog(() => Date.UTC(2026, 10, 21, 9, 30));
  log.note('A frame of the bridge was refused.', { code: 'bad_json', message: 'secret-token-1' });
  log.note('A listener threw.', { error: 'TypeError: Renew the passport', path: 'Diary/May.md' });
  for (let n = 0; n < 60; n += 1) log.note('Looking for a bridge failed.', { tries: n });
  const text = diagnostics({
    versions: { plugin: '0.2.0', obsidian: '1.11.4', device: 'desktop' },
    connection: s.bridges,
    log,
    secret: 'secret-token-1',
  });
  expect(text.split('\n').slice(0, 7)).toEqual([
    'Agent Task Boards 0.2.0, Obsidian 1.11.4, desktop',
    'Connections:',
    '  bridge-1: connected, bridge 0.1.0, OpenCode 1.18.33',
    'Messages dropped: duplicate 0, gap 0, refused 1, foreign 0, endedSession 0, unknownSession 0',
    'Listeners that threw: 1',
    'Log, the last 50 of 62 lines:',
    '  2026-11-21T09:30:00.000Z Looking for a bridge failed. tries=10',
  ]);
  expect(text).not.toMatch(/passport|Diary|secret/);
  log.note('A listener threw.', { error: 'TypeError: Renew the passport', path: 'Diary/May.md' });
  log.note('The connection to secret-token-1 ended.', { code: 'secret-token-1' });
  log.note('A call failed.', { error: 'May.md has Renew the passport', code: 'ENOENT passport' });
  log.note('A call failed.', { title: 'passport', path: 'diary', board: { title: 'passport' } });
  log.note('A call was refused.', {
    code: 'bad_args',
    kind: 'note',
    type: 'tool.call',
    again: true,
  });
  const last = diagnostics({
    versions: { plugin: '0.2.0', obsidian: '1.11.4', device: 'desktop' },
    connection: s.bridges,
    log,
    secret: 'secret-token-1',
  });
  expect(last.split('\n').slice(-5)).toEqual([
    '  2026-11-21T09:30:00.000Z A listener threw. error=TypeError path=…',
    '  2026-11-21T09:30:00.000Z The connection to … ended. code=…',
    '  2026-11-21T09:30:00.000Z A call failed. error=… code=…',
    '  2026-11-21T09:30:00.000Z A call failed. title=… path=… board=…',
    '  2026-11-21T09:30:00.000Z A call was refused. code=bad_args kind=note type=tool.call again=true',
  ]);
});
