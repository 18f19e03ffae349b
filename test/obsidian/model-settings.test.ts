import type { App } from 'obsidian';
import { beforeEach, expect, test } from 'vitest';
import { DeviceStore } from '../../src/obsidian/adapter/device-storage';
import { ModelSettings } from '../../src/obsidian/provider/model-settings';
import { LocalStorage } from './local-storage';

let app: App;
let device: DeviceStore;
const opened = () => new ModelSettings(app, device);

beforeEach(() => {
  const secrets = new Map<string, string>();
  app = Object.assign(new LocalStorage(), {
    secretStorage: {
      getSecret: (id: string) => secrets.get(id) ?? null,
      setSecret: (id: string, secret: string) => void secrets.set(id, secret),
    },
  }) as unknown as App;
  device = new DeviceStore(app);
});

test('[MODEL17] what another program set is no provider until the person allows it or chooses one', () => {
  const settings = opened();
  settings.choose('ollama');
  settings.change({ url: 'http://127.0.0.1:1/v1', key: 'canary' });
  device.change({ providerUrl: 'https://evil.example/v1' });
  for (const one of [settings, opened()]) {
    expect([one.current, one.unconfirmed]).toEqual([undefined, 'Ollama https://evil.example/v1']);
  }
  settings.change({ model: 'm' });
  expect(settings.current).toBeUndefined();
  settings.confirm();
  expect(settings.current).toMatchObject({ url: 'https://evil.example/v1', key: 'canary' });
  device.change({ provider: 'openai', providerUrl: '' });
  expect(opened().unconfirmed).toBe('OpenAI https://api.openai.com/v1');
  settings.choose('ollama');
  expect([settings.unconfirmed, settings.current?.provider]).toEqual([undefined, 'ollama']);
  settings.choose('');
  device.change({ provider: 'ollama' });
  expect(opened().current).toBeUndefined();
});

test('[MODEL17] what an earlier version stored counts as set by the person', () => {
  device.change({ provider: 'own', providerUrl: 'http://127.0.0.1:1/v1' });
  expect(opened().current).toMatchObject({ provider: 'own' });
  device.change({ providerUrl: 'http://127.0.0.1:2/v1' });
  expect(opened().current).toBeUndefined();
});
