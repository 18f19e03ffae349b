import type { TodoManager } from '../core/board/todo-manager';
import type { NamedStore } from '../core/board/names/named-store';
import type { SharedSettings } from '../core/shared-settings';
import type { Fault } from '../core/fault';

/** An option of a command, for parsing and for help. */
interface Option {
  /** one-letter short form */
  readonly short?: string;
  /** name of the value in help; absent for a switch */
  readonly value?: string;
  /** environment variable with the value, if the option is not given */
  readonly env?: string;
  readonly says: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The vault that a command works on. */
export interface OpenVault {
  /** absolute path */
  readonly folder: string;
  /** boards by their plain paths, whatever the file names of their notes */
  readonly store: NamedStore;
  /** root folder of the boards, relative to the vault */
  readonly root: string;
  /** as read when the vault was opened */
  readonly settings: SharedSettings;
  readonly manager: TodoManager;
}

export interface ArgumentCount {
  readonly least: number;
  readonly most: number;
}

/**
 * The number of words: `ID [RUN]` takes one or two, `[ID...]` any number up to 50. Options after
 * them don't count.
 */
export function argumentCountOf({ takes, words }: Pick<Command, 'takes' | 'words'>): ArgumentCount {
  if (words !== undefined) return words;
  const names = takes
    .replace(/--.*/, '')
    .split(' ')
    .filter((name) => name !== '');
  const least = names.filter((name) => !name.startsWith('[')).length;
  return { least, most: takes.includes('...') ? 50 : names.length };
}

export interface Command {
  readonly name: string;
  /** alias */
  readonly also?: string | undefined;
  /** whether it creates `.opencode` in the given folder, or in a vault of Obsidian without one */
  readonly makesVault?: boolean | undefined;
  /** whether it runs even if the shared settings can't be read, and reports that itself */
  readonly opensAnyway?: boolean | undefined;
  /**
   * whether it needs no vault with these options; it then runs in the current folder, whatever the
   * settings there
   */
  readonly anywhere?: ((given: CommandArgs) => boolean) | undefined;
  /** the arguments after its name, as in `TITLE [--parent ID]` */
  readonly takes: string;
  /** what it does, in one line */
  readonly says: string;
  readonly options: Options;
  /** for help: the possible first words or inputs, with what each does */
  readonly rows?: readonly (readonly [word: string, says: string])[];
  /** The subcommand of a first word, for help; undefined if `rows` lacks the word. */
  part?: (word: string) => Command | undefined;
  /** number of words without options, if `takes` does not tell */
  readonly words?: ArgumentCount;
  run(given: CommandArgs, vault: OpenVault, environment: CliEnvironment): Exit | Promise<Exit>;
}

/** The result of a run of the command line. */
export interface Exit {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  /**
   * `out` is a file's content: its bytes are kept, and control characters are made visible only on
   * a terminal
   */
  readonly raw?: boolean;
  /** the reason of a refusal, the same as in `err`; `--json` puts it into `out`, as JSON */
  readonly refusal?: Refusal;
  /**
   * for wrong usage: the command whose help to suggest, if it is another one than the command that
   * was run
   */
  readonly help?: string;
}

export type Refusal = Pick<Fault, 'code' | 'message'>;

/** 0 done, 1 an operation failed, 2 wrong usage, 3 a note needs repair, 4 busy */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** The environment of a run. */
export interface CliEnvironment {
  /** absolute path */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** reads all of standard input */
  readonly input: () => Promise<string>;
  /** the text of the `main.js` that was built with this program; undefined if there is none */
  readonly bridge: () => Promise<string | undefined>;
  /** Asks a yes-or-no question on the terminal; absent if there is no terminal. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Prints at once, for a command that keeps running. The final output is in its `Exit`. */
  readonly print: (text: string) => void;
  /**
   * For a command that keeps running: the signal is aborted when it should end (Ctrl C). Before
   * this is called, Ctrl C kills the process.
   */
  readonly untilStopped: () => AbortSignal;
}

/** Thrown to end a command early with the given `Exit`. */
export class EarlyExit extends Error {
  constructor(readonly exit: Exit) {
    super(exit.refusal?.message);
  }
}

/**
 * Ends the run with a reason.
 * @throws EarlyExit
 */
export function fail(code: string, message: string): never {
  throw new EarlyExit(refusalExit({ code, message }));
}

/** Ends the run for wrong usage. @throws EarlyExit */
export function failUsage(message: string, help?: string, code?: string): never {
  throw new EarlyExit(usageExit(message, help, code));
}

/**
 * The non-negative integer of an option; undefined if the option is not given.
 * @throws EarlyExit
 */
export function readCount(
  given: CommandArgs,
  name: string,
  most: number,
  fault: string,
): number | undefined {
  const text = given.text(name);
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= most ? Number(text) : failUsage(fault);
}

/**
 * Parses the number of a `CHECKPOINT`.
 * @throws EarlyExit
 */
export function parseCheckpointNumber(word = '', fault: string): number {
  return /^[1-9]\d{0,8}$/.test(word) ? Number(word) : failUsage(fault);
}

/** @param help the command whose help to suggest; by default the one that was run */
export function usageExit(message: string, help?: string, code = 'usage'): Exit {
  const refusal = { code, message };
  return {
    code: 2,
    out: '',
    err: `agent-boards: ${message}\n`,
    refusal,
    ...(help !== undefined && { help }),
  };
}

/**
 * Adds the hint to see a command's help to a wrong usage.
 * @param name of the command; absent: the help of all
 */
export function withHelp(exit: Exit, name?: string): Exit {
  const { code, refusal, help = name, err } = exit;
  if (code !== 2 || refusal === undefined) return exit;
  const hint = `Try agent-boards ${help === undefined ? '--help' : `${help} --help`}.`;
  const message = `${refusal.message} ${hint}`;
  return { ...exit, err: `${err}${hint}\n`, refusal: { ...refusal, message } };
}

export function exitCode(code: string | undefined): ExitCode {
  return code === 'broken_note' ? 3 : code === 'busy' ? 4 : 1;
}

/** The exit of a refused run: code 3 for a note that needs repair, 4 for another writer, else 1. */
export function refusalExit({ code, message }: Refusal): Exit {
  return {
    code: exitCode(code),
    out: '',
    err: `agent-boards: ${message}\n`,
    refusal: { code, message },
  };
}

/** The exit for programs: a refusal is JSON on standard output. */
export function toJsonExit(exit: Exit): Exit {
  const { refusal } = exit;
  if (refusal === undefined) return exit;
  return { ...exit, out: `${JSON.stringify({ ok: false, error: refusal })}\n`, err: '' };
}

/** The exit for a bug in this program, for programs; the stack is for its developers. */
export function crashExit(error: unknown): Exit {
  const description = error instanceof Error ? error.message : String(error);
  const message = `agent-boards has a fault: ${description}. Report it with what is on standard error.`;
  const { out } = toJsonExit(refusalExit({ code: 'internal', message }));
  return {
    code: 1,
    out,
    err: `${(error instanceof Error ? error.stack : undefined) ?? description}\n`,
  };
}

export function textExit(code: ExitCode, text: string, err = ''): Exit {
  return { code, out: `${text}\n`, err };
}

/** A result, as JSON for programs or as text. */
export function resultExit(
  { json }: Pick<CommandArgs, 'json'>,
  code: ExitCode,
  result: object,
  text: string,
): Exit {
  return textExit(code, json ? JSON.stringify(result, withoutTranslation) : text);
}

/** Leaves out what only the translation of a message needs; the sentences of an entry of the history stay. */
function withoutTranslation(key: string, value: unknown): unknown {
  const isTranslation = key === 'said' && typeof value === 'object' && !Array.isArray(value);
  return isTranslation ? undefined : value;
}

/** The arguments of a command: its words, and its options by name. */
export class CommandArgs {
  constructor(
    readonly words: readonly string[],
    private readonly options: Readonly<Record<string, string | boolean | undefined>>,
  ) {}

  text(name: string): string | undefined {
    const value = this.options[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** names of the given options */
  get names(): readonly string[] {
    return Object.keys(this.options).filter((name) => this.options[name] !== undefined);
  }

  flag(name: string): boolean {
    return this.options[name] === true;
  }

  /** Splits `1,3`; undefined if the option is not given. */
  list(name: string): readonly string[] | undefined {
    return this.text(name)
      ?.split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }

  get session(): string | undefined {
    return this.text('session');
  }

  get agent(): string | undefined {
    return this.text('agent');
  }

  get json(): boolean {
    return this.flag('json');
  }
}

export const SESSION_VARIABLE = 'AGENT_BOARDS_SESSION';

export const AGENT_VARIABLE = 'AGENT_BOARDS_AGENT';

/** Options of every command. */
export const COMMON_OPTIONS: Options = {
  vault: {
    value: 'DIR',
    env: 'AGENT_BOARDS_VAULT',
    says: 'the vault; else the nearest folder above with .opencode',
  },
  wait: {
    value: 'S',
    says: 'seconds to wait for another program that writes the note (15)',
  },
  json: { says: 'prints the result as JSON' },
  help: { says: 'shows this help' },
};

/** Options that select boards. */
export const BOARD_OPTIONS: Options = {
  session: { value: 'S', env: SESSION_VARIABLE, says: 'the session' },
  agent: {
    value: 'A',
    env: AGENT_VARIABLE,
    says: 'the agent whose board it is',
  },
};

/** Options that select who acts. */
export const CALLER_OPTIONS: Options = {
  session: {
    value: 'S',
    env: SESSION_VARIABLE,
    says: 'the session; else the only one there is',
  },
  agent: {
    value: 'A',
    env: AGENT_VARIABLE,
    says: "the agent to act as, on its own board; else that of the session's newest board",
  },
};

export const BRIEF_OPTION: Options = {
  brief: { says: 'prints only what changed, not the whole board' },
};

/**
 * Time as wall-clock text.
 * @param at ms since the epoch
 */
export function wallClockText(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
