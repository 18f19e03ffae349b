import { parseArgs } from 'node:util';
import { nearest } from '../core/board/nearest-titles';
import type { Command } from './command';
import { COMMON } from './common-options';
import { Given } from './given';

export type CommandLine =
  | { readonly kind: 'run'; readonly command: Command; readonly given: Given }
  | { readonly kind: 'help'; readonly command: Command | undefined }
  | { readonly kind: 'version' }
  /** `command`: its help says what to type */
  | { readonly kind: 'fault'; readonly message: string; readonly command?: string };

/**
 * The command that the arguments name, and what they give it. The command stands first; options may
 * stand anywhere behind it.
 */
export function readCommandLine(
  args: readonly string[],
  commands: ReadonlyMap<string, Command>,
): CommandLine {
  const [first] = args;
  if (first === undefined) return fault('which command?');
  if (first === '--help' || first === '-h' || first === 'help')
    return helpOn(args.slice(1), commands);
  if (first === '--version') return { kind: 'version' };
  const command = commands.get(first);
  if (command === undefined) return unknownCommand(first, commands);
  return readFlags(command, args.slice(1));
}

function helpOn(
  [name, word]: readonly string[],
  commands: ReadonlyMap<string, Command>,
): CommandLine {
  if (name === undefined) return { kind: 'help', command: undefined };
  const command = commands.get(name);
  return command === undefined
    ? unknownCommand(name, commands)
    : { kind: 'help', command: partOf(command, word) };
}

/** What its first word leads to, where that is one of its own; else all of it. */
function partOf(command: Command, word: string | undefined): Command {
  return (word === undefined ? undefined : command.part?.(word)) ?? command;
}

function unknownCommand(name: string, commands: ReadonlyMap<string, Command>): CommandLine {
  if (name.startsWith('-')) {
    return fault(`the command comes first, before ${name}.`);
  }
  return fault(`no command "${name}".${meant(name, [...commands.keys()])}`);
}

/** What is given to one command; `args` is what stands behind its name. */
export function readFlags(command: Command, args: readonly string[]): CommandLine {
  const options = { ...COMMON, ...command.options };
  const shape = Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      { type, ...(short !== undefined && { short }) },
    ]),
  );
  const known = { ...shape, help: { type: 'boolean', short: 'h' } } as const;
  let read;
  try {
    read = parseArgs({ args: [...args], allowPositionals: true, options: known });
  } catch (error) {
    return { ...fault(misfit(error, command, Object.keys(options))), ...helpFor(command) };
  }
  const values: Readonly<Record<string, string | boolean | undefined>> = read.values;
  if (values['help'] === true)
    return { kind: 'help', command: partOf(command, read.positionals[0]) };
  const given = new Given(read.positionals, values);
  const message = wordFault(command, given.words) ?? valueFault(given);
  if (message === undefined) return { kind: 'run', command, given };
  return { ...fault(message), ...helpFor(command) };
}

/** The flags without a command have the help of all. */
function helpFor({ name }: Command): { readonly command?: string } {
  return name.startsWith('-') ? {} : { command: name };
}

/** What Node says of the arguments, with the option that may have been meant. */
function misfit(error: unknown, { name }: Command, options: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '(-[^'\s]*)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  const near = meant(unknown.replace(/^-+/, ''), options, (option) => `--${option}`);
  return `${name} has no option ${unknown}.${near}`;
}

function meant(
  given: string,
  known: readonly string[],
  shown = (name: string): string => `"${name}"`,
): string {
  const [near] = nearest(
    given,
    known.map((title) => ({ title })),
    1,
  );
  return near === undefined ? '' : ` Did you mean ${shown(near.title)}?`;
}

function wordFault({ name, takes, words }: Command, given: readonly string[]): string | undefined {
  if (given.length < words.least) return `${name} takes ${takes}.`;
  if (given.length <= words.most) return undefined;
  const more = given.slice(words.most).join(' ');
  return `"${more}" is not understood: ${name} takes ${takes === '' ? 'options only' : takes}.`;
}

function valueFault(given: Given): string | undefined {
  for (const name of ['vault', 'session', 'agent']) {
    if (given.text(name) === '') return `--${name} is empty.`;
  }
  const wait = given.text('wait');
  if (wait === undefined || /^\d{1,4}(\.\d+)?$/.test(wait)) return undefined;
  return '--wait takes a number of seconds.';
}

function fault(message: string): Extract<CommandLine, { kind: 'fault' }> {
  return { kind: 'fault', message };
}
