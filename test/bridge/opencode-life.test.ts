import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRunFile, RUN_FOLDER } from '../../src/protocol/run-file';
import { runFileNames, startRun, type OpencodeRun } from './opencode-run';
import { boardFile, PLAN, tasksCall } from './opencode-steps';
import { TestClient } from './test-client';

let run: OpencodeRun;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

function fileOf({ opencode }: OpencodeRun): string {
  return `${opencode.pid}.json`;
}

describe('the life of the bridge', () => {
  test('[BRIDGE12] OpenCode that ends by a signal takes its run file along, and still dies of the signal', async () => {
    expect(runFileNames(run.vault)).toEqual(['.gitignore', fileOf(run)]);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.kill(run.opencode.pid, signal);
      expect(await run.opencode.exited).toBe(`OpenCode ended (${signal}).`);
      expect(runFileNames(run.vault)).toEqual(['.gitignore']);
      run = await run.restart();
    }
  });

  test('[BRIDGE12] killed it leaves the file; the next start removes it and has another port and token', async () => {
    const before = run;
    await run.opencode.kill();
    expect(runFileNames(run.vault)).toEqual(['.gitignore', fileOf(before)]);
    run = await run.restart();
    expect(runFileNames(run.vault)).toEqual(['.gitignore', fileOf(run)]);
    expect(run.runFile.token).not.toBe(before.runFile.token);
    expect(run.runFile.folder).not.toBe(before.runFile.folder);
    const old = await TestClient.open(run.runFile.port, before.runFile.token);
    expect(await old.ended).toMatchObject({ code: 4401 });
  });

  test('[BRIDGE12] when OpenCode unloads the folder, clients are cut and the file goes; loading it makes a new one', async () => {
    const client = await TestClient.connect(run.runFile);
    await run.api('POST', '/instance/dispose');
    await client.ended;
    await run.api('GET', '/config');
    const text = readFileSync(join(run.vault, RUN_FOLDER, fileOf(run)), 'utf8');
    const fresh = parseRunFile(text);
    expect(fresh?.token).not.toBe(run.runFile.token);
    const again = await TestClient.connect(fresh ?? run.runFile);
    await again.close();
  });

  test('[BRIDGE43] OpenCode killed in the middle of a plan: the board is whole, the session is listed again', async () => {
    run = await restarted(run);
    const client = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Killed');
    run.model.play(sessionId, tasksCall(PLAN), { hang: true });
    client.send({ type: 'session.message', sessionId, payload: { text: 'plan' } });
    await client.next('tool.update', ({ payload }) => payload.status === 'completed');
    const board = readFileSync(boardFile(run, sessionId), 'utf8');
    run = await restarted(run);
    expect(readFileSync(boardFile(run, sessionId), 'utf8')).toBe(board);
    expect(board).toContain('- [ ] Second');
    const later = await TestClient.connect(run.runFile, []);
    const [listed] = (await later.next('welcome')).payload.sessions;
    expect(listed).toMatchObject({ id: sessionId, title: 'Killed', status: 'idle' });
    later.send({ type: 'session.attach', sessionId, payload: {} });
    run.model.play(sessionId, { text: 'where was I' });
    expect((await later.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
    await later.close();
  });

  test('[BRIDGE12] no token stands anywhere in the vault but in the run file', () => {
    const { token } = run.runFile;
    expect(existsSync(join(run.vault, RUN_FOLDER, fileOf(run)))).toBe(true);
    expect(run.filesWith(token)).toEqual([join(RUN_FOLDER, fileOf(run))]);
  });
});

async function restarted(before: OpencodeRun): Promise<OpencodeRun> {
  await before.opencode.kill();
  return before.restart();
}
