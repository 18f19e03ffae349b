import { readHookCommands, type HookCommand } from '../core/hook/hook-commands';
import { SHARED_SETTINGS_PATH } from '../core/shared-settings';
import { ConfirmedHooks } from '../node/hooks/confirmed-hooks';
import { digestOf, hookId, resolveProgram } from '../node/hooks/script-hooks';
import {
  resultExit,
  refusalExit,
  fail,
  usageExit,
  type CliEnvironment,
  type Command,
  type Exit,
  type CommandArgs,
  type OpenVault,
} from './command';

/** `agent-boards hooks`: lists the commands of hooks, and which of them this device runs. */
export const hooks: Command = {
  name: 'hooks',
  takes: 'list | allow ID... | forbid ID...',
  says: 'lists the hook commands of the vault; allows or forbids them on this device',
  rows: [
    ['list', 'the commands in the shared settings, each with its ID and whether it may run'],
    ['allow ID...', 'lets commands run on this device, after a look at each; asks on the terminal'],
    ['forbid ID...', 'revokes that'],
  ],
  options: {},
  words: { least: 1, most: 50 },
  async run(given, vault, environment) {
    const [verb, ...ids] = given.words;
    if (verb === 'list') {
      if (ids.length > 0) return usageExit('hooks list takes no ID.');
      return list(given, vault, environment);
    }
    if (verb !== 'allow' && verb !== 'forbid')
      return usageExit('hooks takes list, allow or forbid.');
    if (ids.length === 0)
      return usageExit(`hooks ${verb} takes an ID: agent-boards hooks list has it.`);
    return verb === 'allow'
      ? allow(ids, given, vault, environment)
      : forbid(ids, given, vault, environment);
  },
};

interface Row {
  readonly command: HookCommand;
  readonly digest: string;
  readonly isAllowed: boolean;
}

async function rowsOf({ settings }: OpenVault, confirmed: ConfirmedHooks): Promise<readonly Row[]> {
  const { commands } = readHookCommands(settings.hooks);
  const allowed = await readAllowed(confirmed);
  return commands.map((command) => {
    const digest = digestOf(command);
    return { command, digest, isAllowed: allowed.has(digest) };
  });
}

/** @throws EarlyExit */
function readAllowed(confirmed: ConfirmedHooks): Promise<ReadonlySet<string>> {
  return confirmed.allowed().catch((error: unknown) => fail('hooks', errorText(error)));
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function list(
  given: CommandArgs,
  vault: OpenVault,
  environment: CliEnvironment,
): Promise<Exit> {
  const confirmed = new ConfirmedHooks(vault.folder, environment.env);
  const { wrong } = readHookCommands(vault.settings.hooks);
  const rows = await Promise.all(
    (await rowsOf(vault, confirmed)).map(async ({ command, digest, isAllowed }) => {
      const place = { vault: vault.folder, folder: confirmed.folder, env: environment.env };
      const found = await resolveProgram(command, place).then(
        (program) => ({ program }),
        (error: unknown) => ({ fault: errorText(error) }),
      );
      return { id: hookId(digest), ...command, allowed: isAllowed, ...found };
    }),
  );
  const texts = rows.map((row) => {
    const { id, event, command, allowed, priority, within } = row;
    const state = allowed ? 'allowed' : 'not allowed';
    const runs = 'program' in row ? `runs ${row.program}` : row.fault;
    const rest = `priority ${priority}, within ${within} ms; ${runs}`;
    return `${id}  ${event}  ${JSON.stringify(command)}  ${state}\n              ${rest}`;
  });
  const faults = wrong.map((one) => `"${one}" is not understood: agent-boards config check.`);
  const none = texts.length + faults.length === 0 ? [`${SHARED_SETTINGS_PATH} has no hooks.`] : [];
  const result = { ok: true, hooks: rows, wrong, folder: confirmed.folder };
  return resultExit(given, 0, result, [...none, ...texts, ...faults].join('\n'));
}

async function allow(
  ids: readonly string[],
  given: CommandArgs,
  vault: OpenVault,
  environment: CliEnvironment,
): Promise<Exit> {
  const { confirm } = environment;
  if (confirm === undefined) {
    const message = 'hooks allow asks on the terminal, and there is none. Type it yourself.';
    return refusalExit({ code: 'hooks', message });
  }
  const confirmed = new ConfirmedHooks(vault.folder, environment.env);
  const chosen = selectHooks(ids, await rowsOf(vault, confirmed));
  const allowed: string[] = [];
  for (const { command, digest } of chosen) {
    const { event, within } = command;
    const what = `At each ${event}, for at most ${within} ms: ${JSON.stringify(command.command)}`;
    if (!(await confirm(`${what}\nRun this in ${vault.folder} on this device?`))) continue;
    await changeAllowed(confirmed, (before) => new Set([...before, digest]));
    allowed.push(hookId(digest));
  }
  const text = allowed.length === 0 ? 'Nothing was allowed.' : `Allowed: ${allowed.join(', ')}.`;
  return resultExit(given, allowed.length === chosen.length ? 0 : 1, { ok: true, allowed }, text);
}

async function forbid(
  ids: readonly string[],
  given: CommandArgs,
  vault: OpenVault,
  environment: CliEnvironment,
): Promise<Exit> {
  const confirmed = new ConfirmedHooks(vault.folder, environment.env);
  const digests = [...(await readAllowed(confirmed))].map((digest) => ({ digest }));
  const forbidden = new Set(selectHooks(ids, digests).map(({ digest }) => digest));
  await changeAllowed(confirmed, (before) =>
    [...before].filter((digest) => !forbidden.has(digest)),
  );
  const done = [...forbidden].map(hookId);
  return resultExit(given, 0, { ok: true, forbidden: done }, `Forbidden: ${done.join(', ')}.`);
}

async function changeAllowed(
  confirmed: ConfirmedHooks,
  edit: Parameters<ConfirmedHooks['change']>[0],
): Promise<void> {
  await confirmed.change(edit).catch((error: unknown) => fail('hooks', errorText(error)));
}

/** @throws EarlyExit if an ID matches none, or several different ones */
function selectHooks<T extends { readonly digest: string }>(
  ids: readonly string[],
  rows: readonly T[],
): readonly T[] {
  const chosen = ids.map((id) => {
    const found = rows.filter(({ digest }) => digest.startsWith(id) && id.length >= SHORTEST_ID);
    const [first] = found;
    if (first !== undefined && found.every(({ digest }) => digest === first.digest)) return first;
    return fail('hooks', `"${id}" names no hook: agent-boards hooks list has the IDs.`);
  });
  return [...new Map(chosen.map((row) => [row.digest, row])).values()];
}

const SHORTEST_ID = 12;
