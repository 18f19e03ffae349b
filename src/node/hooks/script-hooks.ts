import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { env as ownEnv, platform } from 'node:process';
import { confirmedText, readHookCommands, type HookCommand } from '../../core/hook/hook-commands';
import type { HookAnswer, HookEvent, HookEvents } from '../../core/hook/hook-events';
import { Hooks, type HookResult, type HookRunner } from '../../core/hook/hooks';
import type { ErrorHandler } from '../../core/error-handler';
import { parseJson } from '../../core/json';
import type { Undo } from '../../core/ports';
import { cutLongAnswers } from '../../core/tool/long-answers';
import { followFaults } from '../../core/session/session-hooks';
import { SHARED_SETTINGS_PATH, type SharedSettings } from '../../core/shared-settings';
import type { Environment } from '../config-files';
import { nodeClock as clock } from '../node-ports';
import { isProgram, programFolders, thisMachine } from '../programs/find-program';
import { isOutside } from '../file-locator';
import { ConfirmedHooks } from './confirmed-hooks';
import { runHook } from './run-hook';

/**
 * Set for running commands: if they call our programs, those run no hooks, which prevents
 * recursion.
 */
const INSIDE_HOOK_VAR = 'AGENT_BOARDS_HOOK';

/** Our variables and OpenCode's, which include passwords. Commands don't get them. */
const EXCLUDED_VARS = /^(?:OPENCODE|AGENT_BOARDS)_/i;

interface ScriptHooksDeps {
  /** absolute */
  readonly vault: string;
  readonly hooks: Hooks;
  readonly log: ErrorHandler;
  /** the current settings; never rejects */
  readonly settings: () => Pick<SharedSettings, 'hooks'> | Promise<Pick<SharedSettings, 'hooks'>>;
  readonly env?: Environment;
}

/** The hooks of a program without Obsidian. Also reports the program's faults to them. */
export function openScriptHooks({ log, ...deps }: Omit<ScriptHooksDeps, 'hooks'>): ScriptHooks {
  const hooks = new Hooks({ clock, log });
  cutLongAnswers(hooks);
  const all = new ScriptHooks({ ...deps, log, hooks });
  followFaults(all, log);
  return all;
}

/**
 * Runs hooks, including the commands in the shared settings that the person allowed on this device.
 * A command runs exactly as it was read and compared with the allowed ones, even if the file
 * changes.
 */
export class ScriptHooks implements HookRunner {
  private registered: { readonly key: string; readonly undos: readonly Undo[] } | undefined;
  private readonly reported = new Set<string>();
  private readonly running = new Set<Promise<unknown>>();
  private readonly confirmed: ConfirmedHooks;
  private readonly env: Environment;

  constructor(private readonly deps: ScriptHooksDeps) {
    this.env = deps.env ?? ownEnv;
    this.confirmed = new ConfirmedHooks(deps.vault, this.env);
  }

  async run<E extends HookEvent>(event: E, facts: HookEvents[E]): Promise<HookResult<E>> {
    const run = this.registerCommands().then(() => this.deps.hooks.run(event, facts));
    this.running.add(run);
    return run.finally(() => this.running.delete(run));
  }

  /** Resolves when the hooks that are running now have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Registers the commands of the current settings. */
  private async registerCommands(): Promise<void> {
    if (this.env[INSIDE_HOOK_VAR] !== undefined) return;
    const { hooks } = await this.deps.settings();
    const key = JSON.stringify([hooks]);
    if (this.registered?.key === key) return;
    for (const undo of this.registered?.undos ?? []) undo();
    const { commands, wrong } = readHookCommands(hooks);
    const undos = commands.map((one) =>
      this.deps.hooks.on(one.event, nameOf(one), (facts) => this.call(one, facts), {
        priority: one.priority,
        // The command has a timeout of its own, after which it is killed.
        within: Infinity,
      }),
    );
    this.registered = { key, undos };
    for (const where of wrong) {
      this.reportOnce(
        `${SHARED_SETTINGS_PATH}: "${where}" is not understood, so this hook does not run.`,
        {
          why: 'See agent-boards config check.',
        },
      );
    }
  }

  private async call<E extends HookEvent>(
    command: HookCommand,
    facts: HookEvents[E],
  ): Promise<HookAnswer<never>> {
    const { vault } = this.deps;
    if (!(await this.isAllowed(command))) return undefined;
    const place = { vault, folder: this.confirmed.folder, env: this.env };
    const file = await resolveProgram(command, place);
    const { event, within } = command;
    const printed = await runHook({
      ...{ file, within, args: command.command.slice(1), folder: place.folder },
      env: commandEnvironment(this.env),
      input: `${JSON.stringify({ version: 1, event, vault, data: facts })}\n`,
    });
    if (printed.trim() === '') return undefined;
    const answer = parseJson(printed);
    if (answer === undefined) throw new Error('It printed something else than JSON.');
    return answer as HookAnswer<never>;
  }

  private async isAllowed(command: HookCommand): Promise<boolean> {
    const digest = digestOf(command);
    let why = `Look at it: agent-boards hooks list. Then allow it: agent-boards hooks allow ${hookId(digest)}.`;
    try {
      if ((await this.confirmed.allowed()).has(digest)) return true;
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
    const message = `The hook ${command.event} of ${nameOf(command)} does not run: it is not allowed on this device.`;
    this.reportOnce(message, { why }, digest);
    return false;
  }

  private reportOnce(message: string, data: { readonly why: string }, key = message): void {
    if (this.reported.has(key)) return;
    this.reported.add(key);
    this.deps.log.note(message, { at: 'hook.command', severity: 'error', ...data });
  }
}

/** SHA-256 of everything in a command, as hex; the person confirms this digest. */
export function digestOf(command: HookCommand): string {
  return createHash('sha256').update(confirmedText(command)).digest('hex');
}

/** The short form of a digest, for the person to type. */
export function hookId(digest: string): string {
  return digest.slice(0, 12);
}

/** The command's name, for the person. */
function nameOf({ command: [program = ''] }: HookCommand): string {
  return basename(program);
}

interface CommandContext {
  readonly vault: string;
  /** its working directory */
  readonly folder: string;
  readonly env: Environment;
}

/**
 * Finds a command's program: a bare name in the PATH folders, a path relative to the folder of
 * confirmations. Refuses programs and arguments in the vault, since anyone who can write there
 * could change what runs.
 * @returns absolute path
 * @throws Error with a sentence
 */
export async function resolveProgram(
  { command: [name = '', ...args] }: Pick<HookCommand, 'command'>,
  { vault, folder, env }: CommandContext,
): Promise<string> {
  const isName = basename(name) === name;
  const names = platform === 'win32' ? [name, `${name}.exe`] : [name];
  const folders = isName ? programFolders({ ...thisMachine(), env }) : [folder];
  const files = folders.flatMap((each) => names.map((one) => resolve(each, one)));
  let file: string | undefined;
  for (const one of files) if (file === undefined && (await isProgram(one))) file = one;
  if (file === undefined) {
    const where = isName ? 'in the folders of PATH' : `at ${resolve(folder, name)}`;
    throw new Error(`There is no program "${name}" ${where} that may be run.`);
  }
  const root = await realpath(vault);
  for (const one of [file, ...args.flatMap(pathsIn).map((path) => resolve(folder, path))]) {
    const real = await realpath(one).catch(() => undefined);
    if (real === undefined || isOutside(relative(root, real))) continue;
    throw new Error(
      `${one} lies in the vault, where others may change what runs. Put it into ${folder}.`,
    );
  }
  return file;
}

/** The argument, and its part after `=`. */
function pathsIn(arg: string): readonly string[] {
  const at = arg.indexOf('=');
  return at < 0 ? [arg] : [arg, arg.slice(at + 1)];
}

function commandEnvironment(env: Environment): Record<string, string> {
  const passed: Record<string, string> = { [INSIDE_HOOK_VAR]: '1' };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !EXCLUDED_VARS.test(name)) passed[name] = value;
  }
  return passed;
}
