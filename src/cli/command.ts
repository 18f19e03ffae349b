import type { TodoManager } from '../core/board/todo-manager';
import type { NamedStore } from '../core/board/names/named-store';
import type { SharedSettings } from '../core/shared-settings';
import type { Fault } from '../core/fault';

/** One option of a command, as it is read and as help shows it. */
interface Option {
  /** one letter that stands for its name */
  readonly short?: string;
  /** what stands for the value in help; absent for a switch */
  readonly value?: string;
  /** the environment variable that says the value where the option is not given */
  readonly env?: string;
  readonly says: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The vault that a run works on. */
export interface OpenVault {
  /** absolute path */
  readonly folder: string;
  /** boards by their plain paths, whatever their notes are called */
  readonly store: NamedStore;
  /** of the boards, relative to the vault */
  readonly root: string;
  /** as they stood when the vault was opened */
  readonly settings: SharedSettings;
  readonly manager: TodoManager;
}

export interface WordCount {
  readonly least: number;
  readonly most: number;
}

/** Of `ID [RUN]` one or two; `[ID...]` is any number up to 50. Options that follow are no words. */
export function wordsOf({ takes, words }: Pick<Command, 'takes' | 'words'>): WordCount {
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
  /** another name for it */
  readonly also?: string | undefined;
  /** whether it makes `.opencode` in a folder that is named, or in a vault of Obsidian without it */
  readonly makesVault?: boolean | undefined;
  /** whether it runs where the shared settings can't be read: it says so itself */
  readonly opensAnyway?: boolean | undefined;
  /** whether it needs no vault, as it is given: it runs in the folder of the shell */
  readonly anywhere?: ((given: Given) => boolean) | undefined;
  /** what follows the name, as in `TITLE [--parent ID]` */
  readonly takes: string;
  /** one line, what it does */
  readonly says: string;
  readonly options: Options;
  /** what its first word, or its input, may be, and what each does; for help */
  readonly rows?: readonly (readonly [word: string, says: string])[];
  /** The command as it is behind its first word, for help; undefined for a word that is none of `rows`. */
  part?: (word: string) => Command | undefined;
  /** how many words it takes that are no options, where `takes` does not say it */
  readonly words?: WordCount;
  run(given: Given, vault: OpenVault, around: CliSurroundings): Exit | Promise<Exit>;
}

/** What a run of the command line leaves behind. */
export interface Exit {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  /** `out` is a file's content: its bytes count, and only a terminal gets it made visible */
  readonly raw?: boolean;
  /** why it was refused, as `err` says it: with `--json` that goes to `out`, as JSON */
  readonly refusal?: Refusal;
  /** of wrong usage: the command whose help says what to type, where it is not the one carried out */
  readonly help?: string;
}

export type Refusal = Pick<Fault, 'code' | 'message'>;

/** 0 done, 1 some operation failed, 2 usage, 3 a note needs repair, 4 busy */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** What a run gets from its surroundings. */
export interface CliSurroundings {
  /** absolute path */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** all of standard input */
  readonly input: () => Promise<string>;
  /** the text of the `main.js` that was built with this program; undefined where it was not */
  readonly bridge: () => Promise<string | undefined>;
  /** Asks a yes-or-no question on the terminal; absent where there is none. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Prints at once, for a command that goes on; what a run ends with is in its `Exit`. */
  readonly print: (text: string) => void;
  /** For a command that goes on: aborted where it is to end (Ctrl C); until it asks, that kills it. */
  readonly untilStopped: () => AbortSignal;
}

/** Thrown where a command can't go on: what the run ends with. */
export class EarlyExit extends Error {
  constructor(readonly exit: Exit) {
    super(exit.refusal?.message);
  }
}

/** Ends the run with why it can't be done. @throws EarlyExit */
export function stopped(code: string, message: string): never {
  throw new EarlyExit(refused({ code, message }));
}

/** Ends the run for wrong usage. @throws EarlyExit */
export function misused(message: string, help?: string, code?: string): never {
  throw new EarlyExit(usage(message, help, code));
}

/** The number that an option says, digits alone; undefined where it is not given. @throws EarlyExit */
export function countIn(
  given: Given,
  name: string,
  most: number,
  fault: string,
): number | undefined {
  const text = given.text(name);
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= most ? Number(text) : misused(fault);
}

/** What every `CHECKPOINT` is: its number. @throws EarlyExit */
export function checkpointOf(word = '', fault: string): number {
  return /^[1-9]\d{0,8}$/.test(word) ? Number(word) : misused(fault);
}

/** @param help the command whose help says what to type; the one that is carried out, if absent */
export function usage(message: string, help?: string, code = 'usage'): Exit {
  const refusal = { code, message };
  return {
    code: 2,
    out: '',
    err: `agent-boards: ${message}\n`,
    refusal,
    ...(help !== undefined && { help }),
  };
}

/** Adds to wrong usage which help says what to type. @param name of the command; all, if absent */
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

/** What a run ends with that was refused: 3 for a note to repair, 4 for another writer, else 1. */
export function refused({ code, message }: Refusal): Exit {
  return {
    code: exitCode(code),
    out: '',
    err: `agent-boards: ${message}\n`,
    refusal: { code, message },
  };
}

/** How a run ends for a program: a refusal is JSON on standard output. */
export function forPrograms(exit: Exit): Exit {
  const { refusal } = exit;
  if (refusal === undefined) return exit;
  return { ...exit, out: `${JSON.stringify({ ok: false, error: refusal })}\n`, err: '' };
}

/** A fault of the program itself, for a program; where it arose is for whoever mends it. */
export function crashed(error: unknown): Exit {
  const said = error instanceof Error ? error.message : String(error);
  const message = `agent-boards has a fault: ${said}. Report it with what is on standard error.`;
  const { out } = forPrograms(refused({ code: 'internal', message }));
  return { code: 1, out, err: `${(error instanceof Error ? error.stack : undefined) ?? said}\n` };
}

export function printed(code: ExitCode, text: string, err = ''): Exit {
  return { code, out: `${text}\n`, err };
}

/** A result: as JSON for programs, else as text. */
export function answered(
  { json }: Pick<Given, 'json'>,
  code: ExitCode,
  result: object,
  text: string,
): Exit {
  return printed(code, json ? JSON.stringify(result) : text);
}

/** What was given to a command: its words, and its options by name. */
export class Given {
  constructor(
    readonly words: readonly string[],
    private readonly options: Readonly<Record<string, string | boolean | undefined>>,
  ) {}

  text(name: string): string | undefined {
    const value = this.options[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** of the options that are given */
  get names(): readonly string[] {
    return Object.keys(this.options).filter((name) => this.options[name] !== undefined);
  }

  flag(name: string): boolean {
    return this.options[name] === true;
  }

  /** `1,3` as its parts; undefined where the option is not given. */
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

/** What every command takes. */
export const COMMON: Options = {
  vault: {
    value: 'DIR',
    env: 'AGENT_BOARDS_VAULT',
    says: 'the vault; else the nearest folder above with .opencode',
  },
  wait: {
    value: 'S',
    says: 'seconds to wait for another program that writes the note (15)',
  },
  json: { says: 'the result for programs' },
  help: { says: 'what the command takes' },
};

/** Which boards a command is about. */
export const CHOICE: Options = {
  session: { value: 'S', env: SESSION_VARIABLE, says: 'the session' },
  agent: {
    value: 'A',
    env: AGENT_VARIABLE,
    says: 'the agent whose board it is',
  },
};

/** As whom a command acts. */
export const CALLER: Options = {
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

export const BRIEF: Options = {
  brief: { says: 'tells only what changed, not the whole board' },
};

/** As the clock on the wall shows it. @param at ms since the epoch */
export function timeOf(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Control characters, and marks that turn the direction of what follows; line ends and tabs stay. */
const STEERING = /(?![\n\t])\p{Cc}|[\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text for a terminal: what would steer it is shown as `\u001b`. In JSON that is an escape of the
 * same character, so a result for programs reads the same.
 */
export function visible(text: string): string {
  return text.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
