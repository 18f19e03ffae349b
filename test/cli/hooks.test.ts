import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openRuns } from '../../src/cli/runs/open-runs';
import { openVault } from '../../src/cli/open-vault';
import { errorLog } from '../../src/cli/error-log';
import { created, turnEnd } from '../session/events';
import { inProcessCli } from './in-process-cli';

const here = inProcessCli();

const SETTINGS = '.opencode/agent-task-boards.json';

const home = (): string => join(here.vault, '../home');

const folder = (): string => join(home(), '.config/agent-task-boards');

let said = '';

beforeEach(() => {
  // As in the process of the command.
  vi.stubEnv('HOME', home());
  vi.stubEnv('USERPROFILE', home());
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((said += String(text)), true));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** @param answers of the person on the terminal, in order; undefined: there is no terminal */
async function hooks(args: readonly string[], answers?: readonly boolean[]) {
  const asked: string[] = [];
  const confirm = (question: string): Promise<boolean> =>
    Promise.resolve(answers?.[asked.push(question) - 1] ?? false);
  const exit = await here.run(['hooks', ...args], '', {
    ...{ env: process.env },
    ...(answers && { confirm }),
  });
  return { ...exit, asked };
}

const settings = (...entries: readonly object[]): Promise<void> =>
  here.write(SETTINGS, JSON.stringify({ hooks: entries }));

/** A hook run by Node. */
const node = (event: string, script: string) => ({
  ...{ event, command: [process.execPath, '-e', script], within: 20_000 },
});

async function ids(): Promise<readonly string[]> {
  const { out } = await hooks(['list', '--json']);
  return (JSON.parse(out) as { hooks: { id: string }[] }).hooks.map(({ id }) => id);
}

async function allowAll(): Promise<void> {
  const all = await ids();
  expect(
    await hooks(
      ['allow', ...all],
      all.map(() => true),
    ),
  ).toMatchObject({ code: 0 });
}

describe('agent-boards hooks', () => {
  test('[HOOK13] list names each command, its ID, and whether it may run here', async () => {
    expect(await hooks(['list'])).toMatchObject({ code: 0, out: `${SETTINGS} has no hooks.\n` });
    await settings(
      { event: 'on-stop', command: [process.execPath, '--version'] },
      { event: 'on-stop', command: ['./none'], priority: 5, within: 10 },
      { event: 'on-stp', command: ['x'] },
    );
    const [one = '', two = ''] = await ids();
    expect([one, two].every((id) => /^[0-9a-f]{12}$/.test(id))).toBe(true);
    await hooks(['allow', one], [true]);
    expect((await hooks(['list'])).out.split('\n')).toEqual([
      `${one}  on-stop  ["${process.execPath}","--version"]  allowed`,
      `              priority 100, within 5000 ms; runs ${process.execPath}`,
      `${two}  on-stop  ["./none"]  not allowed`,
      `              priority 5, within 10 ms; There is no program "./none" at ${folder()}/none that may be run.`,
      '"hooks.2.event" is not understood: agent-boards config check.',
      '',
    ]);
  });

  test('[HOOK13] allow shows the command and asks on the terminal, where there is one', async () => {
    await settings({ event: 'on-stop', command: ['\u001b[2Jls', '/'] });
    const [id = ''] = await ids();
    expect(await hooks(['allow', id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('asks on the terminal') as string,
    });
    const no = await hooks(['allow', id], [false]);
    expect(no).toMatchObject({ code: 1, out: 'Nothing was allowed.\n' });
    expect(no.asked).toEqual([
      `At each on-stop, for at most 5000 ms: ["\\u001b[2Jls","/"]\nRun this in ${here.vault} on this device?`,
    ]);
    await expect(fs.stat(folder())).rejects.toThrow();
    expect(await hooks(['allow', id], [true])).toMatchObject({ code: 0, out: `Allowed: ${id}.\n` });
    const { mode } = await fs.stat(join(folder(), 'hooks.json'));
    expect(mode & 0o777).toBe(0o600);
    expect(await fs.readdir(here.vault)).toEqual(['.opencode']);
  });

  test('[HOOK13] an ID is of the whole entry: one that was edited meanwhile has another', async () => {
    await settings({ event: 'on-stop', command: ['ls'] });
    const [id = ''] = await ids();
    await settings({ event: 'on-stop', command: ['rm'] });
    const { code, err } = await hooks(['allow', id], [true]);
    expect([code, err]).toEqual([
      1,
      `agent-boards: "${id}" names no hook: agent-boards hooks list has the IDs.\n`,
    ]);
  });

  test('[HOOK13] forbid takes it back, also of a command that is no longer there', async () => {
    await settings({ event: 'on-stop', command: ['ls'] });
    const [id = ''] = await ids();
    await allowAll();
    await settings();
    expect(await hooks(['forbid', id])).toMatchObject({ code: 0, out: `Forbidden: ${id}.\n` });
    expect(await hooks(['forbid', id])).toMatchObject({ code: 1 });
    await settings({ event: 'on-stop', command: ['ls'] });
    expect((await hooks(['list'])).out).toContain('not allowed');
  });

  test('[HOOK13] wrong usage exits with 2', async () => {
    for (const args of [[], ['lst'], ['list', 'x'], ['allow'], ['forbid']]) {
      expect(await hooks(args, [true])).toMatchObject({ code: 2, out: '' });
    }
  });

  test('[HOOK14] config check names what is wrong with a hook, and where', async () => {
    await here.write(
      SETTINGS,
      [
        '{"hooks": [',
        '{"event": "pre-tool-us", "command": ["x"]},',
        '{"event": "on-stop", "command": [], "witin": 3},',
        '{"event": "on-stop", "command": ["x"], "within": 0},',
        '{"event": "on-context-full", "command": ["x"]}]}',
      ].join('\n'),
    );
    const { code, out } = await here.run(['config', 'check'], '', { env: process.env });
    expect(code).toBe(1);
    expect(out.split('\n').map((line) => line.replace(/has to be .*? not/, '… not'))).toEqual([
      `${SETTINGS}:2: error in hooks.0.event: "event" … not "pre-tool-us". Write "pre-tool-use".`,
      `${SETTINGS}:3: warning in hooks.1.witin: "witin" is not a key here. Write "within".`,
      `${SETTINGS}:3: error in hooks.1.command: "command" has to be a program and at most 63 arguments, as in ["notify", "--now"]. Write a program and at most 63 arguments, as in ["notify", "--now"].`,
      `${SETTINGS}:4: error in hooks.2.within: "within" has to be a number of at least 1. Write a number of at least 1.`,
      `${SETTINGS}:5: warning in hooks.3.event: Only Obsidian notices a full context, and runs no commands: this one is never called. Remove the entry.`,
      '',
    ]);
    await here.write(SETTINGS, '{"hooks": "ls"}');
    expect((await here.run(['config', 'check'], '', { env: process.env })).out).toContain(
      'error in hooks: "hooks" has to be a list of at most 50 commands.',
    );
  });
});

describe('which program runs which events', () => {
  const READ = `process.stdin.on('data', (text) => { const { data } = JSON.parse(text);`;

  test('[HOOK15] tools for notes run the hooks before and after a call', async () => {
    await here.write('Open.md', 'words');
    await settings(
      node(
        'pre-tool-use',
        `${READ} if (data.args.path === 'Secret.md') console.log('{"cancel": "Not that."}') })`,
      ),
      node(
        'post-tool-use',
        `${READ} console.log(JSON.stringify({ change: { output: data.output.toUpperCase() } })) })`,
      ),
    );
    const read = (path: string) => here.run(['notes', 'read', path, '--as-person']);
    expect((await read('Open.md')).out).toBe('Open.md, lines 1–1 of 1\n\nwords\n');
    expect(said).toContain('does not run: it is not allowed on this device.');
    await allowAll();
    expect((await read('Open.md')).out).toBe('OPEN.MD, LINES 1–1 OF 1\n\nWORDS\n');
    const refused = await read('Secret.md');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/cancelled the call. Not that\./i);
  });

  test('[HOOK15] so do the commands for tasks; what a hook cancels is not done', async () => {
    await settings(
      node(
        'pre-tool-use',
        `${READ} if (JSON.stringify(data.args).includes('Never')) console.log('{"cancel": "Never that."}') })`,
      ),
      node(
        'post-tool-use',
        `${READ} if (data.ok) console.log('{"change": {"output": "Well."}}') })`,
      ),
    );
    await here.runAsAgent('init', 'Plan');
    await allowAll();
    const { code, err } = await here.runAsAgent('add', 'Never');
    expect(code).toBe(1);
    expect(err).toMatch(/^agent-boards: Nothing was done: .* cancelled the call\. Never that\.\n$/);
    expect(said).not.toContain('cancelled');
    expect(await here.runAsAgent('add', 'Now')).toMatchObject({ code: 0, out: 'Well.\n' });
    const board = await here.read(here.board());
    expect(board).toContain('Now');
    expect(board).not.toContain('Never');
  });

  test('[HOOK3] one that fails is told in plain sentences', async () => {
    await settings(node('post-tool-use', `console.log('ok')`));
    await here.runAsAgent('init', 'Plan');
    await allowAll();
    said = '';
    await here.runAsAgent('add', 'Now');
    expect(said).toMatch(/^agent-boards: .* failed\. It printed something else than JSON\.\n$/);
  });

  test('[HOOK15] agent-boards run runs those of sessions, and waits for them at its end', async () => {
    await settings(
      node('on-stop', `${READ} require('node:fs').writeFileSync('stopped', data.sessionId) })`),
    );
    await allowAll();
    const open = openRuns(
      await openVault(here.vault, undefined),
      errorLog(() => undefined),
    );
    open.openCode.bus.emit(created('ses_1'));
    open.openCode.bus.emit(turnEnd('ses_1', { messageId: 'm', reason: 'completed' }));
    await open.close();
    expect(await fs.readFile(join(folder(), 'stopped'), 'utf8')).toBe('ses_1');
  });
});
