import { parseArgs } from 'node:util';
import {
  COMMON_OPTIONS,
  CommandArgs,
  argumentCountOf,
  type Command,
  type Options,
} from './command';
import { nearest } from '../core/board/find-task';

type Environment = Readonly<Record<string, string | undefined>>;

type Values = Readonly<Record<string, string | boolean | undefined>>;

type CommandLine =
  | { readonly kind: 'run'; readonly command: Command; readonly given: CommandArgs }
  | { readonly kind: 'help'; readonly command: Command | undefined }
  | { readonly kind: 'version' }
  /** `command`: its help says what to type */
  | { readonly kind: 'fault'; readonly message: string; readonly command?: string };

/**
 * Parses the command and its arguments. The command comes first; options can be anywhere after it.
 */
export function readCommandLine(
  args: readonly string[],
  commands: ReadonlyMap<string, Command>,
  env: Environment,
): CommandLine {
  const [first] = args;
  if (first === undefined) return fault('which command?');
  if (first === '--help' || first === '-h' || first === 'help')
    return helpOn(args.slice(1), commands);
  if (first === '--version') return { kind: 'version' };
  const command = findCommand(first, commands);
  if (command === undefined) return unknownCommand(first, commands);
  return readFlags(command, args.slice(1), env);
}

function helpOn(
  [name, word]: readonly string[],
  commands: ReadonlyMap<string, Command>,
): CommandLine {
  if (name === undefined) return { kind: 'help', command: undefined };
  const command = findCommand(name, commands);
  return command === undefined
    ? unknownCommand(name, commands)
    : { kind: 'help', command: subcommandOf(command, word) };
}

function findCommand(name: string, commands: ReadonlyMap<string, Command>): Command | undefined {
  return commands.get(name) ?? [...commands.values()].find(({ also }) => also === name);
}

/** The subcommand of the first word if it is one, else the whole command. */
function subcommandOf(command: Command, word: string | undefined): Command {
  return (word === undefined ? undefined : command.part?.(word)) ?? command;
}

function unknownCommand(name: string, commands: ReadonlyMap<string, Command>): CommandLine {
  if (name.startsWith('-')) {
    return fault(`the command comes first, before ${name}.`);
  }
  return fault(`no command "${name}".${didYouMean(name, [...commands.keys()])}`);
}

/** Parses the arguments of a command; `args` is everything after its name. */
export function readFlags(
  command: Command,
  args: readonly string[],
  env: Environment,
): CommandLine {
  const options = { ...COMMON_OPTIONS, ...command.options };
  const shape = Object.fromEntries(
    Object.entries(options).map(
      ([name, { value, short }]) =>
        [
          name,
          {
            type: value === undefined ? 'boolean' : 'string',
            ...(short !== undefined && { short }),
          },
        ] as const,
    ),
  );
  const known = { ...shape, help: { type: 'boolean', short: 'h' } } as const;
  let read;
  try {
    read = parseArgs({ args: [...args], allowPositionals: true, options: known });
  } catch (error) {
    return { ...fault(parseFault(error, command, Object.keys(options))), ...helpFor(command) };
  }
  const values = { ...defaults(options, env), ...read.values };
  if (values['help'] === true)
    return { kind: 'help', command: subcommandOf(command, read.positionals[0]) };
  const given = new CommandArgs(read.positionals, values);
  const message = wordFault(command, given.words) ?? valueFault(given);
  if (message === undefined) return { kind: 'run', command, given };
  return { ...fault(message), ...helpFor(command) };
}

/** Option values from the environment; an empty variable counts as unset. */
function defaults(options: Options, env: Environment): Values {
  const given = Object.entries(options).flatMap(([name, { env: variable }]) => {
    const value = variable === undefined ? '' : (env[variable] ?? '');
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** The command whose help to suggest; undefined for the flags without a command. */
export function helpName({ name }: Command): string | undefined {
  return name.startsWith('-') ? undefined : name;
}

function helpFor(command: Command): { readonly command?: string } {
  const name = helpName(command);
  return name === undefined ? {} : { command: name };
}

/** Node's message about the arguments, with a suggestion for an unknown option. */
function parseFault(error: unknown, { name }: Command, options: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /^Unknown option '(-[^'\s]*)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  const near = didYouMean(unknown.replace(/^-+/, ''), options, (option) => `--${option}`);
  return `${name} has no option ${unknown}.${near}`;
}

function wordFault(command: Command, given: readonly string[]): string | undefined {
  const { name, takes } = command;
  const words = argumentCountOf(command);
  if (given.length < words.least) return endSentence(`${name} takes ${takes}`);
  if (given.length <= words.most) return undefined;
  const more = given.slice(words.most).join(' ');
  return endSentence(
    `"${more}" is not understood: ${name} takes ${takes === '' ? 'options only' : takes}`,
  );
}

/**
 * Ends a text with a full stop.
 * @param text may end with the dots of a repeatable argument
 */
function endSentence(text: string): string {
  return text.endsWith('...') ? text : `${text}.`;
}

function valueFault(given: CommandArgs): string | undefined {
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

/** All commands, one per line. */
export function overview(commands: ReadonlyMap<string, Command>): string {
  const rows = [...commands.values()].map(({ name, also, says }): Row => [
    also === undefined ? name : `${name}, ${also}`,
    says,
  ]);
  return [
    'agent-boards: the task boards of a vault, from the command line',
    '',
    ...columns(rows),
    '',
    'Every command takes:',
    ...columns(optionRows(COMMON_OPTIONS)),
    '',
    'agent-boards add --help says what a single command takes. Without a command,',
    '--action add|update|list|info works as simple_todo did: agent-boards --action list --help.',
    'agent-boards --version prints its version.',
    '',
    EXIT_CODES,
  ].join('\n');
}

/** The help of a command with its options. */
export function helpOf({ name, takes, says, options, rows = [] }: Command): string {
  const own = optionRows(options);
  return [
    `agent-boards ${[name, takes].filter((part) => part !== '').join(' ')}`,
    '',
    `  ${says}`,
    '',
    ...(rows.length === 0 ? [] : [...columns(rows), '']),
    ...(own.length === 0 ? [] : [...columns(own), '']),
    ...columns(optionRows(COMMON_OPTIONS)),
    '',
    EXIT_CODES,
  ].join('\n');
}

const EXIT_CODES =
  'Exit codes: 0 done, 1 some operation failed, 2 usage, 3 a note needs repair, 4 busy';

type Row = readonly [left: string, right: string];

function optionRows(options: Options): readonly Row[] {
  return Object.entries(options).map(([name, { short, value, env, says }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    env === undefined ? says : `${says} (or ${env})`,
  ]);
}

function columns(rows: readonly Row[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

/** Commands and options that destroy or complete something: never suggested for a typo. */
const NEVER_SUGGESTED: ReadonlySet<string> = new Set([
  ...['complete', 'remove', 'archive', 'undo', 'rollback'],
  ...['force', 'cascade', 'promote', 'fix', 'yes'],
]);

/** ` Did you mean "list"?` with the nearest candidate; empty if none is near. */
export function didYouMean(
  given: string,
  known: readonly string[],
  shown = (name: string): string => `"${name}"`,
): string {
  const letters = (name: string): string => [...name].sort().join('');
  const titles = known.map((title) => ({ title }));
  // With less than half in common, "result" would be near "vault" and "delete" near "depend".
  const near =
    titles.find(({ title }) => letters(title) === letters(given)) ??
    nearest(given, titles, 1, 0.49)[0];
  return near === undefined || NEVER_SUGGESTED.has(near.title)
    ? ''
    : ` Did you mean ${shown(near.title)}?`;
}
