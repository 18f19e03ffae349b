import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOT_IGNORED } from '../../src/core/board/state-file';
import { expect, onTestFinished, test } from 'vitest';
import { removeStaleRunFiles, writeRunFile } from '../../src/bridge/server/listener';
import { newToken } from '../../src/bridge/server/socket-server';
import { parseRunFile, RUN_FOLDER } from '../../src/protocol/run-file';

test('[STORE48] pipes and folders in the place of run files are left, and nothing waits for them', async () => {
  const vault = mkdtempSync(join(tmpdir(), 'atb-run-files-'));
  onTestFinished(() => rmSync(vault, { recursive: true, force: true }));
  const at = (name: string): string => join(vault, RUN_FOLDER, name);
  mkdirSync(at('96.json'), { recursive: true });
  execFileSync('mkfifo', [at('95.json'), at('97.json')]);
  await removeStaleRunFiles(vault, 'here', () => false);
  expect(readdirSync(at('')).sort()).toEqual(['95.json', '96.json', '97.json']);
  const takeBack = await writeRunFile(
    vault,
    { note: () => undefined },
    {
      ...{ port: 4_000, pid: 97, host: 'here', directory: vault, folder: vault, token: newToken() },
      ...{ protocol: 1, bridge: '0.1.0', opencode: '1.18.33', startedAt: 1 },
    },
  );
  expect(parseRunFile(readFileSync(at('97-2.json'), 'utf8'))?.pid).toBe(97);
  takeBack();
  expect(readdirSync(at('')).sort()).toEqual(['.gitignore', '95.json', '96.json', '97.json']);
});

test('[DOC18] a folder in the place of their .gitignore keeps no run file from being written', async () => {
  const vault = mkdtempSync(join(tmpdir(), 'atb-run-files-'));
  onTestFinished(() => rmSync(vault, { recursive: true, force: true }));
  mkdirSync(join(vault, RUN_FOLDER, '.gitignore'), { recursive: true });
  const noted: string[] = [];
  const takeBack = await writeRunFile(
    vault,
    { note: (message) => void noted.push(message) },
    {
      ...{ port: 4_000, pid: 97, host: 'here', directory: vault, folder: vault, token: newToken() },
      ...{ protocol: 1, bridge: '0.1.0', opencode: '1.18.33', startedAt: 1 },
    },
  );
  expect(readdirSync(join(vault, RUN_FOLDER)).sort()).toEqual(['.gitignore', '97.json']);
  expect(noted).toEqual([NOT_IGNORED]);
  takeBack();
});
