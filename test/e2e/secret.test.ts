import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parseRunFile, RUN_FOLDER } from '../../src/protocol/run-file';
import { openTestApp, type TestApp } from './test-app';
import { filesBelow, textsBelow } from './files-below';

let theatre: TestApp | undefined;
afterEach(async () => {
  await theatre?.close();
  theatre = undefined;
});

describe('the token', () => {
  test('[DEMO25] stands in the run file and nowhere else that a full run writes', async () => {
    theatre = await openTestApp();
    const { vault, home, plugin, wire, model, page, said } = theatre;
    const world = await theatre.startOpencode();
    await wire.welcomed();
    const runFiles = filesBelow(join(vault, RUN_FOLDER)).filter((name) => name.endsWith('.json'));
    expect(runFiles).toHaveLength(1);
    const runPath = join(vault, RUN_FOLDER, runFiles[0] ?? '');
    const token = parseRunFile(readFileSync(runPath, 'utf8'))?.token ?? '';
    expect(token.length).toBeGreaterThanOrEqual(32);

    const session = await plugin.startSession('Secret');
    model.play(session, [
      { tools: [{ name: 'tasks', args: { operations: [{ type: 'add', title: 'A' }] } }] },
      { tools: [{ name: 'tasks', args: { operations: 'wrong' } }] },
      { text: 'Done' },
    ]);
    const ended = [wire.nextTurnEnd(session), world.turns.next(session)];
    await plugin.send(session, 'go');
    await Promise.all(ended);
    await plugin.command('disconnect');

    const stored = await page.evaluate(() =>
      JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        location.href,
        document.body.innerText,
      ]),
    );
    const places = new Map<string, string>([
      ['what was said', said.join('\n')],
      ['the page', stored],
      ["the model's requests", JSON.stringify(model.requests)],
      ['messages on the wire', wire.texts.join('\n')],
    ]);
    for (const root of [vault, home]) {
      for (const [name, text] of textsBelow(root)) {
        const path = join(root, name);
        if (path !== runPath) places.set(path, text);
      }
    }
    expect(places.size).toBeGreaterThan(10);
    expect(wire.texts.length).toBeGreaterThan(5);
    const leaks = [...places].filter(([, text]) => text.includes(token)).map(([place]) => place);
    expect(leaks).toEqual([]);
    expect(world.calls.ended).toBe(2);
  });
});
