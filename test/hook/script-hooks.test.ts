import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ErrorHandler, type LoggedFault } from '../../src/core/error-handler';
import { readHookCommands } from '../../src/core/hook/hook-commands';
import { ConfirmedHooks } from '../../src/node/hooks/confirmed-hooks';
import { digestOf, openScriptHooks, type ScriptHooks } from '../../src/node/hooks/script-hooks';

let own: string;
let vault: string;
let env: Record<string, string | undefined>;
let errors: ErrorHandler;
let settings: { hooks?: unknown };
let hooks: ScriptHooks;

/** The folder that stores confirmations and in which commands run. */
const folder = (): string => join(own, 'config/agent-task-boards');

beforeEach(async () => {
  own = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-hooks-')));
  vault = join(own, 'vault');
  await fs.mkdir(vault);
  await fs.mkdir(folder(), { recursive: true });
  env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: join(own, 'config') };
  errors = new ErrorHandler({ now: () => 0 });
  settings = {};
  hooks = openScriptHooks({ vault, log: errors, env, settings: () => settings });
});
afterEach(() => fs.rm(own, { recursive: true, force: true }));

/** What stands in the working directory of hooks after a change of what is allowed. */
const OWN_FILES = ['.gitignore', 'hooks.json', 'locks'];

/** Sets the hooks of the vault, and allows them as the person would. */
async function allowed(...entries: readonly object[]): Promise<void> {
  settings = { hooks: entries };
  await confirm(entries);
}

async function confirm(entries: readonly object[]): Promise<void> {
  const digests = readHookCommands(entries).commands.map(digestOf);
  await new ConfirmedHooks(vault, env).change((before) => [...before, ...digests]);
}

/** A hook run by Node. */
const node = (script: string, more: object = {}, event = 'pre-prompt') => ({
  ...{ event, command: [process.execPath, '-e', script] },
  ...more,
});

const PROMPT = { sessionId: 's', text: 'Go', byRun: false };

const prompt = () => hooks.run('pre-prompt', PROMPT);

const faults = (): readonly LoggedFault[] => errors.faults();

const why = (): string => faults().map(({ data }) => String(data['error'] ?? data['why'])).join('\n'); // prettier-ignore

describe('what an allowed command does', () => {
  test('[HOOK10] it gets the event as JSON on standard input, and its answer is JSON on standard output', async () => {
    await allowed(
      node(`
        let text = '';
        process.stdin.on('data', (more) => (text += more)).on('end', () => {
          const { version, event, vault, data } = JSON.parse(text);
          const said = [version, event, vault, data.text, process.cwd()].join(' ');
          console.log(JSON.stringify({ change: { text: said } }));
        });`),
      node('', { priority: 101 }),
    );
    const text = `1 pre-prompt ${vault} Go ${folder()}`;
    expect(await prompt()).toEqual({ facts: { ...PROMPT, text } });
    await allowed(node(`console.log('{"cancel": "It is night."}')`));
    expect((await prompt()).cancelled).toMatchObject({ reason: 'It is night.' });
    expect(faults().map(({ severity }) => severity)).toEqual(['info']);
  });

  test('[HOOK10] no shell reads its words; priorities hold', async () => {
    const says = `console.log(JSON.stringify({ change: { text: process.argv.slice(1).join('|') } }))`;
    const words = ['$(touch x)', '; touch y', '*', '"'];
    const first = node(says, { priority: 1 });
    const second = { event: 'pre-prompt', command: [process.execPath, '-e', says, ...words] };
    await allowed(second, first);
    expect((await prompt()).facts.text).toBe(words.join('|'));
    expect(await fs.readdir(folder())).toEqual(OWN_FILES);
  });

  test('[HOOK12] it gets none of our variables, and what it calls of ours runs no hooks', async () => {
    Object.assign(env, { OPENCODE_SERVER_PASSWORD: 'p', AGENT_BOARDS_SESSION: 's', OTHER: 'o' });
    const says = `console.log(JSON.stringify({ change: { text: JSON.stringify(process.env) } }))`;
    await allowed(node(says));
    const passed = JSON.parse((await prompt()).facts.text) as Record<string, string>;
    expect(passed).toMatchObject({ OTHER: 'o', AGENT_BOARDS_HOOK: '1' });
    expect(Object.keys(passed)).not.toContain('OPENCODE_SERVER_PASSWORD');
    expect(Object.keys(passed)).not.toContain('AGENT_BOARDS_SESSION');
    const inside = { ...env, ...passed };
    hooks = openScriptHooks({ vault, log: errors, env: inside, settings: () => settings });
    expect(await prompt()).toEqual({ facts: PROMPT });
  });
});

describe('what a command may do wrong', () => {
  const BAD: readonly (readonly [string, string, RegExp])[] = [
    ['ends with another exit code', `console.error('no\\u001b[31m disk'); process.exit(3)`, /exit code 3\. no disk/],
    ['prints no JSON', `console.log('ok')`, /something else than JSON/],
    ['prints no UTF-8', `process.stdout.write(Buffer.from([34, 255, 34]))`, /something else than UTF-8/],
    ['prints an answer of another form', `console.log('[1]')`, /Answer with nothing/],
    ['reaches for a prototype', `console.log('{"__proto__": {"hurt": 1}}')`, /Answer with nothing/],
    ['reaches for one in its change', `console.log('{"change": {"__proto__": {"hurt": 1}}}')`, /can't change "__proto__"/],
    ['prints very deep JSON', `console.log('{"change": {"text": ' + '['.repeat(4e5) + ']'.repeat(4e5) + '}}')`, /./],
    ['prints 100 MB', `const all = Buffer.alloc(1e6, 97); const more = () => process.stdout.write(all, more); more()`, /more than 1 MB/],
    ['dies of a signal', `process.kill(process.pid, 'SIGKILL')`, /SIGKILL/],
    ['never ends', `setInterval(() => undefined, 1e6)`, /did not answer within 300 ms/],
  ]; // prettier-ignore

  test.each(BAD)(
    '[HOOK3] [HOOK12] one that %s is passed over and told',
    async (_, script, said) => {
      const within = script.startsWith('setInterval') ? 300 : 20_000;
      await allowed(node(script, { within }));
      expect(await prompt()).toEqual({ facts: PROMPT });
      expect(faults()).toMatchObject([{ severity: 'error', module: 'hook' }]);
      expect(why()).toMatch(said);
      expect(({} as { hurt?: unknown }).hurt).toBeUndefined();
    },
  );

  test('[HOOK12] one that never reads what it gets is none the worse for it', async () => {
    await allowed(
      node(`process.stdin.destroy(); console.log('{"change": {"text": "read nothing"}}')`),
    );
    const large = { ...PROMPT, text: 'x'.repeat(5_000_000) };
    expect((await hooks.run('pre-prompt', large)).facts.text).toBe('read nothing');
    expect(faults()).toEqual([]);
  });

  /** Starts a process that keeps the output open, and writes its id to a file. */
  const starts = (detached: boolean): string => `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e6)'], {
      stdio: ['ignore', 'inherit', 'inherit'], detached: ${detached},
    });
    child.unref();
    require('node:fs').writeFileSync('pid', String(child.pid));
    console.log('{"change": {"text": "done"}}');`;

  test('[HOOK12] what it left in its group ends with it', async () => {
    await allowed(node(starts(false), { within: 20_000 }));
    expect((await prompt()).facts.text).toBe('done');
    const pid = Number(await fs.readFile(join(folder(), 'pid'), 'utf8'));
    await expect.poll(() => isThere(pid)).toBe(false);
  });

  test('[HOOK12] one that left it with the output open is not waited for', async () => {
    await allowed(node(starts(true), { within: 20_000 }));
    expect((await prompt()).facts.text).toBe('done');
    const pid = Number(await fs.readFile(join(folder(), 'pid'), 'utf8'));
    expect(isThere(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  test('[HOOK12] a late one is killed with what it started', async () => {
    const holds = starts(false).replace('child.unref();', '');
    await allowed(node(holds, { within: 1_500 }));
    expect(await prompt()).toEqual({ facts: PROMPT });
    expect(why()).toContain('did not answer within 1500 ms');
    const pid = Number(await fs.readFile(join(folder(), 'pid'), 'utf8'));
    await expect.poll(() => isThere(pid)).toBe(false);
  });

  test.each([
    ['is not there', 'none-such-program'],
    ['is not there as a path', './none-such'],
    ['may not be run', './plain.txt'],
    ['is a folder', '..'],
  ])('[HOOK12] a program that %s is told', async (_, program) => {
    await fs.writeFile(join(folder(), 'plain.txt'), 'words');
    await allowed({ event: 'pre-prompt', command: [program] });
    expect(await prompt()).toEqual({ facts: PROMPT });
    expect(why()).toContain(`There is no program "${program}"`);
  });
});

describe('what is allowed', () => {
  const marks = { event: 'pre-prompt', command: [process.execPath, '-e', `require('node:fs').writeFileSync('ran', '')`] }; // prettier-ignore

  const hasRun = async (): Promise<boolean> => (await fs.readdir(folder())).includes('ran');

  test('[HOOK11] what came with a vault never runs before the person allowed it here; that is said once', async () => {
    settings = { hooks: [marks] };
    for (let n = 0; n < 3; n += 1) expect(await prompt()).toEqual({ facts: PROMPT });
    expect(await hasRun()).toBe(false);
    const id = digestOf(readHookCommands([marks]).commands[0] as never).slice(0, 12);
    expect(faults()).toMatchObject([{ count: 1, severity: 'error' }]);
    expect(why()).toBe(
      `Look at it: agent-boards hooks list. Then allow it: agent-boards hooks allow ${id}.`,
    );
    await confirm([marks]);
    await prompt();
    expect(await hasRun()).toBe(true);
  });

  test.each([
    ['another event', { event: 'post-prompt' }],
    ['another argument', { command: [...marks.command, 'x'] }],
    ['another priority', { priority: 99 }],
    ['another time', { within: 4_999 }],
  ])('[HOOK11] with %s it has to be allowed anew', async (_, change) => {
    await confirm([marks]);
    settings = { hooks: [{ ...marks, ...change }] };
    await prompt();
    await hooks.run('post-prompt', PROMPT);
    expect(await hasRun()).toBe(false);
    expect(why()).toContain('agent-boards hooks allow');
  });

  test('[HOOK11] what stands in another vault, or was allowed for one, is not allowed in this one', async () => {
    const other = join(own, 'other');
    await fs.mkdir(other);
    const [command] = readHookCommands([marks]).commands;
    await new ConfirmedHooks(other, env).change(() => [digestOf(command as never)]);
    settings = { hooks: [marks] };
    await prompt();
    expect(await hasRun()).toBe(false);
    // A link to that vault counts as that vault.
    await fs.symlink(other, join(own, 'link'));
    const linked = { vault: join(own, 'link'), log: errors, env, settings: () => settings };
    await openScriptHooks(linked).run('pre-prompt', PROMPT);
    expect(await hasRun()).toBe(true);
  });

  test('[HOOK11] what is allowed and forbidden at the same time is all kept', async () => {
    const digests = Array.from({ length: 8 }, (_, at) => String(at).repeat(64));
    await Promise.all(
      digests.map((one) => new ConfirmedHooks(vault, env).change((before) => [...before, one])),
    );
    expect([...(await new ConfirmedHooks(vault, env).allowed())].sort()).toEqual(digests);
  });

  test('[HOOK11] the file may be changed at any moment: what runs is what was read and compared', async () => {
    const evil = { event: 'pre-prompt', command: ['sh', '-c', 'touch evil'] };
    await confirm([marks]);
    let reads = 0;
    hooks = openScriptHooks({
      ...{ vault, log: errors, env },
      settings: () => ({ hooks: (reads += 1) % 2 === 1 ? [marks] : [evil] }),
    });
    for (let n = 0; n < 4; n += 1) await prompt();
    await Promise.all(Array.from({ length: 8 }, prompt));
    expect(reads).toBe(12);
    expect(await fs.readdir(folder())).toEqual([...OWN_FILES, 'ran']);
  });

  test('[HOOK11] confirmations that others could have written count for nothing', async () => {
    await allowed(marks);
    const file = join(folder(), 'hooks.json');
    for (const [place, mode] of [
      [file, 0o666],
      [folder(), 0o777],
    ] as const) {
      // prettier-ignore
      const { mode: before } = await fs.stat(place);
      await fs.chmod(place, mode);
      await prompt();
      await fs.chmod(place, before & 0o777);
    }
    expect(await hasRun()).toBe(false);
    expect(why()).toContain('can be written by others');
    await fs.writeFile(file, '{"vaults": 1}');
    await prompt();
    expect(await hasRun()).toBe(false);
  });

  test('[HOOK11] confirmations inside of the vault count for nothing', async () => {
    env = { ...env, XDG_CONFIG_HOME: join(vault, '.config') };
    await fs.mkdir(join(vault, '.config/agent-task-boards'), { recursive: true });
    await expect(confirm([marks])).rejects.toThrow('lies in the vault');
    const root = await fs.realpath(vault);
    const digests = readHookCommands([marks]).commands.map(digestOf);
    await fs.writeFile(
      join(vault, '.config/agent-task-boards/hooks.json'),
      JSON.stringify({ vaults: [{ vault: root, allowed: digests }] }),
    );
    settings = { hooks: [marks] };
    hooks = openScriptHooks({ vault, log: errors, env, settings: () => settings });
    await prompt();
    expect(await fs.readdir(join(vault, '.config/agent-task-boards'))).toEqual(['hooks.json']);
    expect(why()).toContain('lies in the vault');
  });

  test('[HOOK11] a program in the vault is not run, however it is named, nor a file of it as an argument', async () => {
    const script = join(vault, 'hook.sh');
    await fs.writeFile(script, '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
    await fs.symlink(script, join(folder(), 'linked.sh'));
    await fs.symlink(vault, join(own, 'way'));
    env['PATH'] = `${vault}:${env['PATH']}`;
    const ways = [
      [script],
      ['./linked.sh'],
      ['../../vault/hook.sh'],
      ['../../way/hook.sh'],
      ['hook.sh'],
      ['sh', script],
      ['sh', 'linked.sh'],
      [process.execPath, `--require=${script}`],
      ['git', '-C', vault, 'status'],
    ];
    await allowed(...ways.map((command) => ({ event: 'pre-prompt', command })));
    await prompt();
    expect(await hasRun()).toBe(false);
    expect(faults().reduce((sum, { count }) => sum + count, 0)).toBe(ways.length);
    for (const { data } of faults()) expect(String(data['error'])).toContain('lies in the vault');
  });

  test('[HOOK10] a link outside of the vault may name a program', async () => {
    await fs.symlink(process.execPath, join(folder(), 'engine'));
    await allowed({ ...marks, command: ['./engine', ...marks.command.slice(1)] });
    await prompt();
    expect(await hasRun()).toBe(true);
  });
});

describe('the settings', () => {
  test('[HOOK10] an entry that is wrong does not run, and spares the others', async () => {
    const good = node(`console.log('{"change": {"text": "good"}}')`);
    settings = { hooks: [{ event: 'pre-promt', command: ['x'] }, 7, good] };
    await confirm([good]);
    expect((await prompt()).facts.text).toBe('good');
    expect(faults().map(({ message }) => message)).toEqual([
      '.opencode/agent-task-boards.json: "hooks.1" is not understood, so this hook does not run.',
    ]);
    settings = { hooks: { event: 'pre-prompt', command: ['x'] } };
    expect((await prompt()).facts.text).toBe('Go');
  });

  test('[HOOK10] commands are taken anew where the settings change', async () => {
    const says = (word: string) => node(`console.log('{"change": {"text": "${word}"}}')`);
    await allowed(says('one'));
    expect((await prompt()).facts.text).toBe('one');
    await allowed(says('two'));
    expect((await prompt()).facts.text).toBe('two');
    settings = {};
    expect((await prompt()).facts.text).toBe('Go');
  });

  test('[HOOK7] [HOOK10] a fault of the program runs the hooks of errors', async () => {
    await allowed(
      node(`process.stdin.on('data', (text) => require('node:fs').writeFileSync('told', text))`, {}, 'on-error'), // prettier-ignore
    );
    errors.note('A file could not be read.', { at: 'store.read', severity: 'error' });
    await hooks.settled();
    expect(JSON.parse(await fs.readFile(join(folder(), 'told'), 'utf8'))).toMatchObject({
      event: 'on-error',
      data: { message: 'A file could not be read.', at: 'store.read' },
    });
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
