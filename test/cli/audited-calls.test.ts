import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseRecord } from '../../src/core/permission/audit/audit-chain';
import { inProcessCli } from './in-process-cli';

const here = inProcessCli();

function audited(): unknown[] {
  const folder = join(here.vault, AUDIT_FOLDER);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => parseRecord(line));
}

const rules = (...given: unknown[]): Promise<void> =>
  here.write('.opencode/agent-task-boards.json', JSON.stringify({ permissions: { rules: given } }));

describe('calls in an agent’s name', () => {
  test('[CLI20] each stands in the audit, of a writer of the command line', async () => {
    await here.runAsAgent('init', 'Plan');
    await here.runAsAgent('add', 'First');
    await here.runAsAgent('list');
    expect(audited()).toMatchObject([
      { kind: 'intent', agent: 'build', sessionId: 's1', tool: 'tasks', verdict: 'allow' },
      { kind: 'outcome', result: 'done' },
      { kind: 'intent' },
      { kind: 'outcome', result: 'done' },
    ]);
    expect(await here.run(['audit', 'verify'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^cli-[0-9a-f]{6}-1: 4 entries/) as string,
    });
  });

  test('[TOOL31] a call names the task that its agent has in progress', async () => {
    await here.runAsAgent('init', 'Plan');
    await here.runAsAgent('add', 'First');
    await here.runAsAgent('claim', '1');
    await here.runAsAgent('add', 'Second');
    const id = / 🆔 (\S+)/u.exec(await here.read(here.board()))?.[1];
    expect(id).toMatch(/-1$/);
    expect(audited()).toContainEqual(expect.objectContaining({ kind: 'intent', task: id }));
  });

  test('[CLI20] what the rules deny an agent is refused, and the person is not held back', async () => {
    await here.runAsAgent('init', 'Plan');
    await rules({ permission: 'tasks', action: 'deny', agent: 'build' });
    const denied = await here.runAsAgent('add', 'First');
    expect(denied.code).toBe(1);
    expect(denied.err).toMatch(/Nothing was done.*Rule 1 decides: tasks, deny \(build\)/);
    const args = ['ops', '--session', 's1', '--agent', 'build', '--json'];
    const sent = await here.run(args, '{"operations": [{"type": "add", "title": "First"}]}');
    expect(sent.code).toBe(1);
    expect(JSON.parse(sent.out)).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(await here.read(here.board())).not.toContain('First');
    expect((await here.runAsAgent('add', 'Mine', '--as-person')).code).toBe(0);
    expect((await here.run(['add', 'x', '--session', 's1', '--agent', 'plan'])).code).toBe(0);
    expect(audited()).toContainEqual(expect.objectContaining({ result: 'denied' }));
  });

  test('[CLI20] what the rules ask about is refused: nobody can be asked here', async () => {
    await rules({ permission: 'tasks', action: 'ask' });
    const asked = await here.runAsAgent('init', 'Plan');
    expect(asked.code).toBe(1);
    expect(asked.err).toContain('a person has to allow this');
  });
});
