// @vitest-environment happy-dom
import { Setting } from 'obsidian';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setup, teardown } from 'obsidian-test-mocks/setup';
import { settingRow, type SettingStorage } from '../../src/obsidian/settings/rows';

beforeAll(() => setup());
afterAll(() => teardown());

const WORDS = {
  ...{ name: 'Lists', desc: 'What becomes of lists.' },
  control: {
    kind: 'choice',
    options: [
      ['mirror', 'Bring them along'],
      ['leave', 'Leave them'],
    ],
    other: (value: unknown) => `Is ${String(value)}`,
  },
} as const;

function drawn(place: SettingStorage) {
  const setting = new Setting(document.createElement('div'));
  void settingRow(WORDS, place).draw(setting);
  const select = setting.controlEl.querySelector('select');
  if (select === null) throw new Error('no choice');
  const isOff = () => setting.components[0]?.disabled;
  return { setting, select, isOff, words: () => [...select.options].map(({ text }) => text) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a setting with choices, out of a file', () => {
  test('[SET14] offers them before the file is read, and takes one only then', async () => {
    let found: (value: string) => void = () => undefined;
    const { select, isOff, words } = drawn({
      read: () => new Promise<string>((resolve) => (found = resolve)),
      save: () => undefined,
    });
    expect(words()).toEqual(['Bring them along', 'Leave them']);
    expect(isOff()).toBe(true);
    found('leave');
    await settled();
    expect([isOff(), select.value]).toEqual([false, 'leave']);
  });

  test('[SET14] offers a value beside them that only the file has', async () => {
    const { select, words } = drawn({
      read: () => Promise.resolve('other'),
      save: () => undefined,
    });
    expect(words()).toEqual(['Bring them along', 'Leave them']);
    await settled();
    expect(words()).toEqual(['Is other', 'Bring them along', 'Leave them']);
    expect(select.value).toBe('other');
  });

  test('[SET14] stays as it is where the file can’t be read, and says why', async () => {
    const error = new Error('It is not JSON.');
    const { setting, isOff, words } = drawn({
      read: () => Promise.reject(error),
      save: () => undefined,
    });
    await settled();
    expect(words()).toEqual(['Bring them along', 'Leave them']);
    expect(isOff()).toBe(true);
    expect(setting.descEl.textContent).toBe('The settings can’t be read. It is not JSON.');
  });
});
