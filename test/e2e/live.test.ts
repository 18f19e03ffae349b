import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../workbench/demo/wait-until';
import { openBrowser } from '../workbench/browser';
import { removeFolders, ROOT, temporaryFolder } from './run-demo';
import { add, operations, session } from './script-parts';

afterAll(removeFolders);

const bash = { name: 'bash', args: { command: 'echo x', description: 'Says so' } };
const SCRIPT = {
  sessions: [session('Beta', { turns: [operations(add('Publish the beta')), { tools: [bash] }] })],
};

describe('npm run demo, for a person who watches', () => {
  test('[DEMO27] plays in the page that the person opens, and Ctrl C leaves nothing behind', async () => {
    const script = join(temporaryFolder('live'), 'script.json');
    writeFileSync(script, JSON.stringify(SCRIPT));
    const program = join(ROOT, 'workbench', 'build', 'demo.js');
    const demo = spawn(process.execPath, [program, '--script', script]);
    let said = '';
    demo.stderr.on('data', (data: Buffer) => (said += data.toString('utf8')));
    const ended = new Promise<number | null>((resolve) => demo.once('close', resolve));
    const found = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? '';
    await waitUntil(() => Promise.resolve(found(/Open (http\S+)/) !== ''), 60_000);
    const vault = found(/Starting OpenCode in (.+)\.\n/);
    expect(existsSync(vault)).toBe(true);

    const page = await (await openBrowser()).newPage();
    try {
      await page.goto(found(/Open (http\S+)/));
      const row = page.locator('[data-row="task"]', { hasText: 'Publish the beta' });
      await row.waitFor({ timeout: 120_000 });
      await page.locator('.atb-permission button[data-reply="once"]').click();
      await page.locator('.atb-permission').waitFor({ state: 'detached' });
    } finally {
      await page.close();
    }
    demo.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(existsSync(vault)).toBe(false);
  });
});
