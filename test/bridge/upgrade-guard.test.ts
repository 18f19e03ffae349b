import { describe, expect, test } from 'vitest';
import { mayUpgrade } from '../../src/bridge/server/socket-server';

const PORT = 4711;

function ask(
  origins: readonly string[],
  hosts: readonly string[] = [`127.0.0.1:${PORT}`],
  extra?: string,
) {
  const rawHeaders = [
    ...hosts.flatMap((host) => ['Host', host]),
    'Upgrade',
    'websocket',
    ...origins.flatMap((origin) => ['oRiGiN', origin]),
  ];
  return mayUpgrade({ rawHeaders }, PORT, extra);
}

describe('who may upgrade', () => {
  test('[BRIDGE10] Obsidian and a client that is no page', () => {
    expect(ask(['app://obsidian.md'])).toBe(true);
    expect(ask([])).toBe(true);
    expect(ask([], [`localhost:${PORT}`])).toBe(true);
    expect(ask([], [`[::1]:${PORT}`])).toBe(true);
  });

  test('[BRIDGE10] no other origin', () => {
    const origins = [
      'null',
      '',
      'app://obsidian.md/',
      'APP://obsidian.md',
      'app://obsidian.md.evil.com',
      'app://obsidian',
      'http://obsidian.md',
      'https://obsidian.md',
      'capacitor://localhost',
      'http://localhost',
      'http://127.0.0.1',
      `http://127.0.0.1:${PORT}`,
      `http://localhost:${PORT}`,
      'https://evil.example',
      'http://evil.example:4711',
      'file://',
      'chrome-extension://abcdefghijklmnop',
      'vscode-webview://abc',
      'moz-extension://abc',
      'app://obsidian.md, https://evil.example',
    ];
    expect(origins.filter((origin) => ask([origin]))).toEqual([]);
  });

  test('[BRIDGE10] the one more origin is let in exactly as given, and never an empty or opaque one', () => {
    const page = 'http://127.0.0.1:5000';
    expect(ask([page])).toBe(false);
    expect(ask([page], undefined, page)).toBe(true);
    expect(ask([`${page}/`], undefined, page)).toBe(false);
    expect(ask(['http://127.0.0.1:5001'], undefined, page)).toBe(false);
    expect(ask([''], undefined, '')).toBe(false);
    expect(ask(['null'], undefined, 'null')).toBe(false);
  });

  test('[BRIDGE10] no other host, none, and no header twice', () => {
    const hosts = [
      '127.0.0.1',
      '127.0.0.1:4712',
      'localhost',
      'evil.example:4711',
      'localhost.evil.example:4711',
      '127.0.0.1:4711.evil.example',
      '0.0.0.0:4711',
      '127.1:4711',
      '2130706433:4711',
      '[::ffff:127.0.0.1]:4711',
      'LOCALHOST:4711',
      'user@127.0.0.1:4711',
      '',
    ];
    expect(hosts.filter((host) => ask([], [host]))).toEqual([]);
    expect(ask([], [])).toBe(false);
    expect(ask([], [`127.0.0.1:${PORT}`, 'evil.example:4711'])).toBe(false);
    expect(ask(['https://evil.example', 'app://obsidian.md'])).toBe(false);
    expect(ask(['app://obsidian.md', 'app://obsidian.md'])).toBe(false);
  });
});
