/**
 * `npm run install-plugin -- --vault DIR`: puts the built plugin into a vault and enables it.
 * Writes three files in `<vault>/.obsidian/plugins/agent-task-boards/` and one line in the list of enabled plugins.
 */
import { copyFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ID = 'agent-task-boards';
const SHIPPED = ['main.js', 'manifest.json', 'styles.css'] as const;
const USAGE = 'Usage: npm run install-plugin -- --vault DIR';

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function vaultArgument(): string {
  try {
    const { values } = parseArgs({
      options: { vault: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) {
      process.stdout.write(`${USAGE}\n`);
      process.exit(0);
    }
    if (!values.vault) fail(`Name the vault to install into.\n${USAGE}`);
    return resolve(values.vault);
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function enabledPlugins(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  const list = parseList(text);
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string'))
    fail(
      `${file} is no list of plugin names. Nothing was installed; mend that file, then run this again.`,
    );
  return list;
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function enable(file: string, enabled: readonly string[]): Promise<void> {
  if (enabled.includes(ID)) return;
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify([...enabled, ID], null, 2)}\n`);
  await rename(draft, file);
}

const vault = vaultArgument();
if (!(await isFolder(vault)))
  fail(`There is no folder ${vault}. Name an existing vault.\n${USAGE}`);
const config = join(vault, '.obsidian');
const listFile = join(config, 'community-plugins.json');
const enabled = await enabledPlugins(listFile);
const target = join(config, 'plugins', ID);
await mkdir(target, { recursive: true });
for (const name of SHIPPED) await copyFile(name, join(target, name));
await enable(listFile, enabled);
process.stdout.write(
  [
    `Agent Task Boards is in ${vault}.`,
    'Open or reload the vault in Obsidian; if it asks, turn on community plugins.',
    'Then run the command "Install bridge in this vault" and restart OpenCode there.',
    '',
  ].join('\n'),
);
