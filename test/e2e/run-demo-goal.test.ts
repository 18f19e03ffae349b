import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runDemo } from './run-demo';
import type { Result } from '../../workbench/demo/result';

test('[DEMO33] npm run demo with a goal: planned, approved, a check that fails once, parts at the same time, a question answered', async () => {
  const { code, out, err } = await runDemo(['--headless', '--goal', 'Make search work offline']);
  const result = JSON.parse(out) as Result;
  expect(result.errors, err).toEqual([]);
  expect(code).toBe(0);
  const { run, screenshots } = result;
  expect(run).toMatchObject({ state: 'completed', attempts: 6 });
  expect(run?.steps).toEqual([
    { task: 'Choose the tokeniser', status: 'completed', attempts: 2 },
    { task: 'Build the index', status: 'completed', attempts: 1 },
    { task: 'Read the notes in batches', status: 'completed', attempts: 1 },
    { task: 'Keep the index across restarts', status: 'completed', attempts: 1 },
    { task: 'Write down the index format', status: 'completed', attempts: 1 },
  ]);
  expect(run?.transitions.slice(0, 3)).toEqual(['planning', 'approving', 'executing']);
  expect(run?.transitions).toEqual(expect.arrayContaining(['validating', 'retrying']));
  expect(run?.transitions.at(-1)).toBe('completed');
  expect(screenshots.length).toBeGreaterThanOrEqual(3);
  expect(screenshots.filter((path) => !existsSync(path))).toEqual([]);
}, 360_000);
