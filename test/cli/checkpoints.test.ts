import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const here = inProcessCli();

async function planned(): Promise<void> {
  await here.runAsAgent('add', 'A');
  await here.runAsAgent('add', 'B');
}

describe('agent-boards checkpoint, checkpoints, rollback', () => {
  test('[CHECK8] keep a board, show what going back would change, and go back, as the history tells', async () => {
    await planned();
    const made = await here.runAsAgent('checkpoint', '--label', 'before');
    expect([made.code, made.out]).toEqual([
      0,
      expect.stringMatching(
        /^Checkpoint 1 "before" {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}by a person, rev 2\n$/,
      ),
    ]);
    await here.runAsAgent('complete', '1');
    await here.runAsAgent('add', 'C');
    const file = here.board();
    await here.write(file, `${await here.read(file)}\nMy words.\n`);
    const before = await here.read(file);

    const dry = await here.runAsAgent('rollback', '1', '--dry-run');
    expect(dry.out.split('\n').slice(1)).toEqual([
      'Would make 2 changes; nothing was written.',
      '- #1 A: pending, was completed',
      '- removed #3 C',
      '',
    ]);
    expect(await here.read(file)).toBe(before);

    const done = await here.runAsAgent('rollback', '1', '--json');
    expect(parseOutput(done)).toMatchObject({
      ok: true,
      dryRun: false,
      path: file,
      checkpoint: { n: 1, by: 'user', label: 'before' },
      changes: [{ field: 'status', after: 'pending' }, { field: 'removed' }],
      left: [],
    });
    const after = await here.read(file);
    expect(after).toContain('- [ ] A ');
    expect(after).toContain('\nMy words.\n');
    expect(after).not.toContain('C 🆔');
    expect(parseOutput(await here.runAsAgent('history', '--limit', '1', '--json'))).toMatchObject({
      history: [{ by: { kind: 'person' }, said: ['rolled back to checkpoint 1 "before"'] }],
    });
  });

  test('[CHECK8] the list is for reading or for programs; a checkpoint is asked for by its number', async () => {
    await planned();
    expect((await here.runAsAgent('checkpoints')).out).toBe('No checkpoints.\n');
    await here.runAsAgent('checkpoint', '--json');
    await here.runAsAgent('checkpoint');
    expect(parseOutput(await here.runAsAgent('checkpoints', '--json'))).toMatchObject({
      path: here.board(),
      checkpoints: [
        { n: 2, label: null },
        { n: 1, label: null },
      ],
    });
    const unknown = await here.runAsAgent('rollback', '7', '--json');
    expect([unknown.code, parseOutput(unknown)]).toMatchObject([
      1,
      { ok: false, error: { code: 'unknown_checkpoint' } },
    ]);
    expect((await here.runAsAgent('rollback', '../1')).code).toBe(2);
    expect((await here.run(['checkpoint', '--session', 'none'])).code).toBe(2);
    const file = here.board();
    await here.write(file, (await here.read(file)).replace('board: 1', 'board: 2'));
    expect((await here.runAsAgent('checkpoint')).code).toBe(3);
    expect((await here.runAsAgent('rollback', '1')).code).toBe(3);
  });
});
