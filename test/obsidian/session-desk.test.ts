import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Plugin } from 'obsidian';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import type { CoreServices } from '../../src/obsidian/app/core-services';
import { SessionHistory } from '../../src/obsidian/session/session-history';
import { ManualClock } from '../bridge/manual-clock';
import { created } from '../session/events';
import { MemoryStore } from '../store/memory-store';

const CONNECTED = { kind: 'connected' } as const;

let bus: SessionEventBus;
let asked: string[];
let connection: { state: { kind: string }; onState: (listener: Listener) => () => void };
let tell: Listener;
let services: SessionHistory;

type Listener = (state: { kind: string }) => void;

beforeEach(async () => {
  vi.stubGlobal('activeDocument', { hidden: false });
  vi.stubGlobal('window', {});
  bus = new SessionEventBus();
  asked = [];
  connection = {
    state: { kind: 'searching' },
    onState: (listener) => {
      tell = listener;
      return () => undefined;
    },
  };
  const sessions = new Sessions(bus, { onWelcome: () => () => undefined });
  const history = (id: string) => {
    asked.push(id);
    return Promise.resolve([]);
  };
  const parts = { bus, sessions, connection, runtime: { history }, clock: new ManualClock() };
  const rest = { store: new MemoryStore(), settings: { current: { keepDays: 7 } } };
  const all: unknown = { ...parts, ...rest, log: { note: () => undefined } };
  const notify = () => undefined;
  services = new SessionHistory(all as CoreServices, notify, notify);
  const plugin: unknown = { registerDomEvent: () => undefined };
  await services.start(plugin as Plugin);
});

afterEach(() => {
  services.close();
  vi.unstubAllGlobals();
});

function connect(): void {
  connection.state = CONNECTED;
  tell(CONNECTED);
}

test.each([
  ['the connection', [connect, () => bus.emit(created('ses_1'))]],
  ['its session', [() => bus.emit(created('ses_1')), connect]],
] as const)(
  '[TALK8] what was said unheard is asked for in a view that opened before %s',
  async (_, steps) => {
    services.viewTranscripts.onChange('ses_1', () => undefined);
    await services.sessionStore.flush();
    expect(asked).toEqual([]);
    for (const step of steps) {
      step();
      await services.sessionStore.flush();
    }
    await expect.poll(() => asked).toEqual(['ses_1']);
  },
);

test('[TALK8] nothing is asked for once no view shows it', async () => {
  services.viewTranscripts.onChange('ses_1', () => undefined)();
  await services.sessionStore.flush();
  bus.emit(created('ses_1'));
  connect();
  await services.sessionStore.flush();
  await services.sessionStore.flush();
  expect(asked).toEqual([]);
});
