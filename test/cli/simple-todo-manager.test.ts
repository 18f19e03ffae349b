import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json';

const run = promisify(execFile);
let project = '';

/** Installed as other programs find it: in their node_modules, by its name in `exports`. */
beforeAll(async () => {
  project = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'atb-simple-')));
  const home = join(project, 'node_modules', packageJson.name);
  const { default: file } = packageJson.exports['./simple-todo-manager'];
  await build({
    entryPoints: [join(import.meta.dirname, '../../src/cli/simple-todo-manager.ts')],
    outfile: join(home, file),
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const { name, type, exports } = packageJson;
  await fs.writeFile(join(home, 'package.json'), JSON.stringify({ name, type, exports }));
});
afterAll(() => fs.rm(project, { recursive: true, force: true }));

/** Runs lines of a program in a folder of the project. @returns what it passed to `print` */
async function program(folder: string, ...lines: string[]): Promise<unknown[]> {
  const cwd = join(project, folder);
  await fs.mkdir(cwd, { recursive: true });
  const file = join(cwd, 'program.mjs');
  const head = `import { SimpleTodoManager, SimpleTodoError } from '${packageJson.name}/simple-todo-manager';
const print = (value) => process.stdout.write(JSON.stringify(value ?? null) + '\\n');`;
  await fs.writeFile(file, [head, ...lines].join('\n'));
  const { stdout } = await run(process.execPath, [file], { cwd });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

describe('SimpleTodoManager', () => {
  test('[CLI11] adds, updates and lists the todos of one agent, by the package from outside', async () => {
    await fs.mkdir(join(project, 'vault/.opencode'), { recursive: true });
    const told = await program(
      'vault/src/deep',
      "const todos = new SimpleTodoManager('build', 'abc123');",
      "const id = await todos.addTodo('Write the tests', 'high');",
      "await todos.addTodo('Run them');",
      'print(await todos.updateStatus(id, "completed"));',
      'print(await todos.updateStatus("zz-9", "completed"));',
      'print((await todos.listTodos()).map(({ content, priority, status }) => [content, priority, status]));',
      'print((await todos.listTodos("pending")).length);',
      'const { total_todos, pending, completed, project_root } = await todos.getSessionInfo();',
      'print([total_todos, pending, completed, project_root]);',
    );
    expect(told).toEqual([
      true,
      false,
      [
        ['Write the tests', 'high', 'completed'],
        ['Run them', 'medium', 'pending'],
      ],
      1,
      [2, 1, 1, join(project, 'vault')],
    ]);
    const note = join(project, 'vault/.opencode/todos/abc123/build-tasks.md');
    expect(await fs.readFile(note, 'utf8')).toContain('- [x] Write the tests');
  });

  test('[CLI11] the same session in two processes is one board; another agent has its own', async () => {
    await fs.mkdir(join(project, 'two/.opencode'), { recursive: true });
    const add = (agent: string, content: string) =>
      program(
        `two/${agent}-${content}`,
        `await new SimpleTodoManager('${agent}', 's').addTodo('${content}');`,
      );
    await Promise.all([add('a', 'A1'), add('a', 'A2'), add('b', 'B1')]);
    const [a, b] = await program(
      'two/read',
      "const of = async (agent) => (await new SimpleTodoManager(agent, 's').listTodos()).map(({ content }) => content);",
      "print((await of('a')).sort());",
      "print(await of('b'));",
    );
    expect([a, b]).toEqual([['A1', 'A2'], ['B1']]);
  });

  test('[CLI11] what can not be done is an error with a code', async () => {
    const code =
      "const code = (promise) => promise.then(() => 'done', (error) => [error instanceof SimpleTodoError, error.code]);";
    await fs.mkdir(join(project, 'faults/.opencode'), { recursive: true });
    const told = await program(
      'faults',
      code,
      "print(await code(new SimpleTodoManager('a', '').listTodos()));",
      "print(await code(new SimpleTodoManager('a', 's', { vault: 'nowhere' }).listTodos()));",
      "print(await code(new SimpleTodoManager('a', 's').addTodo('')));",
      "print(await code(new SimpleTodoManager('a', 's').listTodos('flying')));",
    );
    expect(told).toEqual([
      [true, 'bad_session'],
      [true, 'no_vault'],
      [true, 'bad_title'],
      [true, 'bad_field'],
    ]);
  });

  test('[CLI12] the session id ../evil writes inside the vault only', async () => {
    await fs.mkdir(join(project, 'evil/vault/.opencode'), { recursive: true });
    await program(
      'evil/vault',
      "await new SimpleTodoManager('../evil', '../../evil').addTodo('A');",
    );
    expect(await fs.readdir(join(project, 'evil'))).toEqual(['vault']);
    const [folder = ''] = await fs.readdir(join(project, 'evil/vault/.opencode/todos'));
    expect(dirname(folder)).toBe('.');
    expect(folder).toMatch(/evil$/);
  });
});
