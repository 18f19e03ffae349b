import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  boardFile,
  LIST,
  newestContent,
  PLAN,
  promptByHttp,
  requestsOf,
  sessionByHttp,
  tasksCall,
} from './opencode-steps';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');
const COMPLETE = { operations: [{ type: 'complete', id: '1' }] };
const WORDS = 'umlauts are lost';

let run: OpencodeRun;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

test('[REVIEW2] [REVIEW8] an agent in OpenCode is told that its task waits, what was missing, once, and that it was accepted', async () => {
  const sessionId = await sessionByHttp(run, 'Reviewed');
  const person = (...args: string[]) =>
    promisify(execFile)(
      process.execPath,
      [PROGRAM, ...args, '--session', sessionId, '--as-person'],
      { cwd: run.vault },
    );
  const note = () => readFileSync(boardFile(run, sessionId), 'utf8');
  const prompt = async (...calls: object[]) => {
    const before = requestsOf(run, sessionId).length;
    run.model.play(sessionId, ...calls.map(tasksCall), { text: 'so far' });
    await promptByHttp(run, sessionId, 'go on');
    const [asked, ...answers] = requestsOf(run, sessionId).slice(before);
    return {
      asked: newestContent(asked, 'user'),
      answers: answers.map((one) => newestContent(one, 'tool')),
    };
  };

  await prompt(PLAN);
  await person('review', 'all');
  const held = await prompt(COMPLETE);
  expect(held.answers[0]).toContain("waits for the person's review");
  expect(note()).toMatch(/- \[\/\] First \[review:: \d{4}-\d{2}-\d{2}\]/);

  await person('send-back', '1', WORDS);
  const back = await prompt(LIST, LIST, COMPLETE);
  expect(back.asked).toContain(`back to you: \\"${WORDS}\\"`);
  const told = back.answers.map((answer) => answer.includes(`#1 First back to you`));
  expect(told).toEqual([true, false, false]);
  expect(back.answers[2]).toContain("waits for the person's review");
  expect(note()).toMatch(/- \[\/\] First \[review:: .*\n\tSent back: umlauts are lost\n/);

  await person('accept', '1');
  const accepted = await prompt(LIST);
  expect(accepted.answers[0]).toContain('accepted #1 First');
  expect(note()).toMatch(/- \[x\] First (?!\[review)/);
});
