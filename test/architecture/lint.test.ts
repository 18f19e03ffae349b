import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import obsidianmd from 'eslint-plugin-obsidianmd';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** Third-party or generated files. */
const NOT_OURS = /(^|\/)(node_modules|build|dist|corpus)\//;
const files = ['src', 'test', 'workbench', 'bench', 'soak', 'scripts', '.']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) =>
      join(folder, name).replaceAll('\\', '/'),
    ),
  )
  .filter((name) => /\.[cm]?tsx?$/.test(name) && !NOT_OURS.test(name));

interface Config {
  readonly languageOptions: { readonly parserOptions?: { readonly projectService?: boolean } };
  readonly rules: Readonly<Record<string, readonly [severity: number]>>;
}

const eslint = new ESLint({ cwd: ROOT });
const configOf = (file: string) => eslint.calculateConfigForFile(file) as Promise<Config>;
const isOn = (config: Config, rule: string): boolean => (config.rules[rule]?.[0] ?? 0) > 0;

/** Rules against running text as code and against bypassing the app's requests. */
const NO_CODE_OF_TEXT = [
  ...['no-eval', 'no-implied-eval', 'no-unsanitized/property', 'no-unsanitized/method'],
  ...['@microsoft/sdl/no-inner-html', '@microsoft/sdl/no-document-write'],
];

/** Rules that are off for code outside the app; eslint.config.mjs gives the reason for each. */
const NOT_IN_BRIDGE = [
  'obsidianmd/no-nodejs-modules',
  'obsidianmd/prefer-window-timers',
  'obsidianmd/no-global-this',
  'obsidianmd/hardcoded-config-path',
];

describe('the lint', () => {
  test('[ARCH15] reads every file of TypeScript, with its types', async () => {
    expect(files.length).toBeGreaterThan(1000);
    const unread: string[] = [];
    for (const file of files) {
      const config = (await eslint.isPathIgnored(file)) ? undefined : await configOf(file);
      if (config?.languageOptions.parserOptions?.projectService !== true) unread.push(file);
    }
    expect(unread).toEqual([]);
  });

  test('[ARCH15] has the rules of the store for all that reaches main.js', async () => {
    const recommended = obsidianmd.configs['recommended'] as unknown as readonly {
      readonly rules?: Readonly<Record<string, unknown>>;
    }[];
    const store = recommended
      .flatMap(({ rules = {} }) => Object.entries(rules))
      .flatMap(([name, level]) => (name.startsWith('obsidianmd/') && level !== 'off' ? name : []));
    expect(store.length).toBeGreaterThan(25);
    const off = async (file: string) => {
      const config = await configOf(file);
      const rules = [...new Set([...store, ...NO_CODE_OF_TEXT])];
      return rules
        .filter((rule) => !isOn(config, rule) && !/manifest|license/.test(rule))
        .toSorted();
    };
    for (const file of ['src/main.ts', 'src/obsidian/app/services.ts', 'src/core/json.ts'])
      expect([file, await off(file)]).toEqual([file, []]);
    for (const file of ['src/obsidian/x.tsx', 'src/core/x.ts', 'src/protocol/x.ts'])
      expect([file, isOn(await configOf(file), 'no-restricted-globals')]).toEqual([file, true]);
    for (const file of ['src/bridge/plugin.ts', 'src/node/lock.ts'])
      expect([file, await off(file)]).toEqual([file, NOT_IN_BRIDGE.toSorted()]);
  });
});
