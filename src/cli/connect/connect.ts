import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { BRIDGE_PATH } from '../../core/bridge-file';
import {
  findClient,
  CLIENTS,
  type AgentClient,
  type ClientFiles,
  type ClientMachine,
  type McpServer,
} from '../../core/connect/clients';
import { INSTRUCTIONS } from '../../core/connect/plan-instructions';
import { StoreError } from '../../core/ports';
import { removeTemporaries } from '../../node/whole-file';
import {
  resultExit,
  failUsage,
  fail,
  usageExit,
  type CliEnvironment,
  type Command,
  type Exit,
  type OpenVault,
} from '../command';
import { vaultWarnings } from '../open-vault';
import { withoutServer, withServer } from './config-edit';
import { applyChange, planChange, type FileChange } from './file-change';
import { connectGit, type ConnectOptions } from './git';
import { INSTRUCTION_MARKS, updateToolNames } from './instructions';
import { withBlock, withoutBlock } from './marked-block';
import { npxServer } from './npx-server';
import { unifiedDiff } from './unified-diff';

const NAMES = [...CLIENTS.map(({ name }) => name), 'git'];

/** `agent-boards connect`: connects an agent to the boards of the vault, or has git merge them. */
export const connectClient: Command = {
  name: 'connect',
  makesVault: true,
  // Removes our entry from a client's configuration even if its vault no longer exists.
  anywhere: (given) => given.flag('remove') && given.words[0] !== 'git',
  takes: 'CLIENT',
  says: 'connects an agent to the boards of the vault over MCP, or has git merge boards by task',
  options: {
    project: { value: 'DIR', says: 'in the configuration of this project, not of the user' },
    remove: { says: 'undoes it' },
    'dry-run': { says: 'only shows what would change' },
    npx: { says: 'has npx start this version, if the registry has it as it runs here' },
  },
  rows: [
    ...CLIENTS.map(({ name, label }) => [name, label] as const),
    ['git', 'merges boards by task: writes .gitattributes and the configuration of this clone'],
  ],
  async run(given, vault, environment) {
    const [name = ''] = given.words;
    const options = {
      remove: given.flag('remove'),
      dry: given.flag('dry-run'),
      json: given.json,
    };
    const program = await realpath(process.argv[1] ?? '');
    const project = given.text('project');
    if (name === 'git') {
      if (project !== undefined || given.flag('npx'))
        failUsage('git takes no --project and no --npx.');
      return connectGit(vault, program, options);
    }
    const client = findClient(name);
    if (client === undefined) return usageExit(`connect takes ${NAMES.join(', ')}, not ${name}.`);
    if (!options.remove) refuseSecondServer(client, vault);
    const args = ['mcp', '--vault', vault.folder];
    const server: McpServer =
      given.flag('npx') && !options.remove
        ? await npxServer(program, args, environment.env)
        : { command: process.execPath, args: [program, ...args] };
    const files =
      project === undefined
        ? client.user(thisMachine(environment))
        : inFolder(client.project, await projectFolder(environment, project));
    const scope = project === undefined ? 'user' : 'project';
    const planned = await planChanges(client, files, { server, vault, ...options });
    if (!options.dry) await Promise.all(planned.map(({ file }) => removeTemporaries(file)));
    const changes = planned.filter(({ before, after }) => before !== after);
    if (options.remove && changes.length === 0) return nothingToRemove(client, files, options.json);
    const warnings = options.remove ? [] : await vaultWarnings(vault);
    return applyChanges(client, changes, scope, { ...options, warnings, print: environment.print });
  },
};

/** Refuses a second server with the same tools: each session would have two boards. */
function refuseSecondServer(client: AgentClient, { folder }: OpenVault): void {
  if (client.name !== 'opencode') return;
  const places = [BRIDGE_PATH, BRIDGE_PATH.replace('/plugin/', '/plugins/')];
  const bridge = places.map((path) => join(folder, path)).find((file) => existsSync(file));
  if (bridge === undefined) return;
  const why = 'and by it OpenCode has the tasks tools already, with a board for each session';
  const how = 'For OpenCode in another folder see docs/opencode-outside-the-vault.md';
  fail('has_bridge', `this vault has the bridge (${bridge}), ${why}. ${how}.`);
}

function thisMachine({ env }: CliEnvironment): ClientMachine {
  const { platform } = process;
  const home = (platform === 'win32' ? env.USERPROFILE : env.HOME) ?? homedir();
  return { platform, env, home };
}

async function projectFolder({ cwd }: CliEnvironment, given: string): Promise<string> {
  const folder = resolve(cwd, given);
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() === true ? folder : failUsage(`there is no folder ${folder}.`);
}

function inFolder(files: ClientFiles, folder: string): ClientFiles {
  const placed = (paths: readonly string[]) => paths.map((path) => join(folder, path));
  return { config: placed(files.config), instructions: placed(files.instructions) };
}

/** Computes all changes before any of them is made, including those that change nothing. */
async function planChanges(
  client: AgentClient,
  { config, instructions }: ClientFiles,
  { server, vault, remove }: { server: McpServer; vault: OpenVault; remove: boolean },
): Promise<readonly FileChange[]> {
  const { head } = client;
  const changes: FileChange[] = [];
  if (remove) {
    // Checks all of them, since another file may have been the effective one when we wrote.
    for (const path of config) {
      changes.push(await planChange([path], (...file) => withoutServer(client, ...file)));
    }
    for (const path of instructions) {
      const edit = (name: string, text: string | undefined): string | undefined =>
        text && withoutBlock(name, text, INSTRUCTION_MARKS, head);
      changes.push(await planChange([path], edit));
    }
  } else {
    changes.push(await planChange(config, (...file) => withServer(client, ...file, server)));
    if (instructions.length > 0) {
      const boards = join(vault.folder, vault.root);
      const edit = (path: string, text: string | undefined): string => {
        const words = text === undefined ? undefined : updateToolNames(text, boards);
        return withBlock(path, words, INSTRUCTION_MARKS, INSTRUCTIONS, head);
      };
      changes.push(await planChange(instructions, edit));
    }
  }
  // Two paths may lead to the same file.
  return [...new Map(changes.map((change) => [change.file, change])).values()];
}

function nothingToRemove(
  { name, label }: AgentClient,
  { config }: ClientFiles,
  json: boolean,
): Exit {
  const places = config.join(' or ');
  const result = { ok: true, client: name, dryRun: false, changes: [], hints: [] };
  const text = `Nothing to remove: ${label} is not connected by ${places}. --project DIR takes it out of a project.`;
  return resultExit({ json }, 0, result, text);
}

async function applyChanges(
  { label, name, hints }: AgentClient,
  changes: readonly FileChange[],
  scope: 'user' | 'project',
  {
    dry,
    remove,
    json,
    warnings,
    print,
  }: ConnectOptions & Pick<CliEnvironment, 'print'> & { readonly warnings: readonly string[] },
): Promise<Exit> {
  const wantsText = !dry && !json;
  if (wantsText) print(changes.map(diffOf).join(''));
  const written = dry ? changes : await writeAll(changes, (text) => wantsText && print(text));
  const state = remove
    ? `${label} is ${changes.length === 0 ? 'not' : 'no longer'} connected.`
    : `${label} is connected to this vault${changes.length === 0 ? ' already' : ''}.`;
  const shownHints = remove
    ? []
    : [...warnings, hints.always, hints[scope]].filter((hint) => hint !== undefined);
  if (!dry && changes.length > 0) shownHints.push(`Start ${label} again, so that it reads this.`);
  const shown = written.map((change) => ({ path: change.path, diff: diffOf(change) }));
  const result = { ok: true, client: name, dryRun: dry, changes: shown, hints: shownHints };
  const text = dry && changes.length > 0 ? changes.map(diffOf).join('').trimEnd() : state;
  const exit = resultExit({ json }, 0, result, text);
  return json
    ? exit
    : { ...exit, err: shownHints.map((hint) => `agent-boards: ${hint}\n`).join('') };
}

function diffOf({ path, before, after }: FileChange): string {
  return unifiedDiff(path, before, after);
}

/**
 * @param print called with the new diff before a change that had to be computed again is written
 */
async function writeAll(
  changes: readonly FileChange[],
  print: (difference: string) => void,
): Promise<readonly FileChange[]> {
  const written: FileChange[] = [];
  for (const change of changes) {
    try {
      written.push(await applyChange(change, (newer) => print(diffOf(newer))));
    } catch (error) {
      if (!(error instanceof StoreError) || written.length === 0) throw error;
      const paths = written.map(({ path }) => path).join(' and ');
      const why = `${error.message} ${paths} was written. Run it again once that is fixed.`;
      throw new StoreError(error.code, why, { cause: error });
    }
  }
  return written;
}
