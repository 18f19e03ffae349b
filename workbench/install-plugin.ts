/**
 * `npm run install-plugin -- --vault DIR [--force]`: puts the built plugin into a vault and enables it.
 * Writes three files in `<vault>/.obsidian/plugins/agent-task-boards/` and one line in the list of enabled plugins.
 */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StoreError } from '../src/core/ports';
import { isNewerVersion } from '../src/core/version';
import { FileLocator } from '../src/node/file-locator';
import { linkGuard, readNoteText } from '../src/node/read-file';
import { storeError, systemCode } from '../src/node/store-error';
import { replaceIfUnchanged } from '../src/node/whole-file';

const ID = 'agent-task-boards';
/** The manifest is written last, since it tells Obsidian and the next install the version. */
const PLUGIN_FILES = ['main.js', 'styles.css', 'manifest.json'] as const;
const ENABLED_LIST = '.obsidian/community-plugins.json';
const PLUGIN_FOLDER = `.obsidian/plugins/${ID}`;
const USAGE = 'Usage: npm run install-plugin -- --vault DIR [--force]';

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

function readArguments(): { readonly vault: string; readonly force: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        vault: { type: 'string' },
        force: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) {
      process.stdout.write(`${USAGE}\n`);
      process.exit(0);
    }
    if (!values.vault) fail(`Name the vault to install into.\n${USAGE}`);
    return { vault: resolve(values.vault), force: values.force };
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

/** Files of the vault; links that lead out of it are refused. */
class VaultFolder {
  private readonly places: FileLocator;

  constructor(vault: string) {
    this.places = new FileLocator(vault);
  }

  read(path: string): Promise<string | undefined> {
    return this.at(path, () =>
      this.places.file(path, async ({ file, check }) =>
        file === undefined ? undefined : readNoteText(file, path, linkGuard(check)),
      ),
    );
  }

  /** Writes atomically, and only if the file still holds what was read before. */
  async write(path: string, before: string | undefined, after: string): Promise<void> {
    if (after === before) return;
    const written = await this.at(path, () =>
      this.places.file(path, (place) => {
        const replacement = { before, after, lasting: true };
        return replaceIfUnchanged(place.makeParents(), path, replacement, linkGuard(place.check));
      }),
    );
    if (!written) throw new StoreError('busy', `${path} was changed meanwhile. Try again.`);
  }

  private async at<T>(path: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      throw storeError(path, error);
    }
  }
}

function withPluginEnabled(text: string): string {
  const list = parse(text);
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) {
    throw new StoreError('io', `${ENABLED_LIST} is not a list of plugin names; repair that file.`);
  }
  return list.includes(ID) ? text : `${JSON.stringify([...list, ID], null, 2)}\n`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function versionOf(manifest: string): string {
  const read = parse(manifest);
  return typeof read === 'object' && read !== null && 'version' in read ? String(read.version) : '';
}

/**
 * Reads everything before it writes the first file.
 * @returns a sentence with the reason if nothing was done
 */
async function install(vault: string, force: boolean): Promise<string | undefined> {
  const target = new VaultFolder(vault);
  const list = await target.read(ENABLED_LIST);
  const enabled = withPluginEnabled(list ?? '[]');
  const files = await Promise.all(
    PLUGIN_FILES.map(async (name) => ({
      path: `${PLUGIN_FOLDER}/${name}`,
      before: await target.read(`${PLUGIN_FOLDER}/${name}`),
      after: await readFile(name, 'utf8'),
    })),
  );
  const manifest = files[files.length - 1];
  const [there, own] = [versionOf(manifest?.before ?? ''), versionOf(manifest?.after ?? '')];
  if (!force && isNewerVersion(there, own)) {
    return `The vault has version ${there}, which is newer than ${own}. --force replaces it.`;
  }
  for (const { path, before, after } of files) await target.write(path, before, after);
  await target.write(ENABLED_LIST, list, enabled);
  return undefined;
}

const { vault, force } = readArguments();
if (!(await isFolder(vault)))
  fail(`There is no folder ${vault}. Name an existing vault.\n${USAGE}`);
const refused = await install(vault, force).catch((error: unknown) => {
  if (error instanceof StoreError) return error.message;
  throw error;
});
if (refused !== undefined) fail(`The plugin was not installed. ${refused}`);
process.stdout.write(
  [
    `Agent Task Boards is in ${vault}.`,
    'Open or reload the vault in Obsidian; if it asks, turn on community plugins.',
    'Then run the command "Install bridge in this vault" and restart OpenCode there.',
    '',
  ].join('\n'),
);
