/** What a run of the command line leaves behind. */
export interface Exit {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  /** `out` is a file's content: its bytes count, and only a terminal gets it made visible */
  readonly raw?: boolean;
}

/** 0 done, 1 some operation failed, 2 usage, 3 a note needs repair, 4 busy */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** What a run gets from its surroundings. */
export interface Surroundings {
  /** absolute path */
  readonly cwd: string;
  /** all of standard input */
  readonly input: () => Promise<string>;
  /** Prints at once, for a command that goes on; what a run ends with is in its `Exit`. */
  readonly print: (text: string) => void;
  /** For a command that goes on: aborted where it is to end (Ctrl C); until it asks, that kills it. */
  readonly untilStopped: () => AbortSignal;
}

/** @param command whose help says what to type; that of all, if absent */
export function usage(message: string, command?: string): Exit {
  const help = command === undefined ? '--help' : `${command} --help`;
  return { code: 2, out: '', err: `agent-boards: ${message}\nTry agent-boards ${help}.\n` };
}

export function printed(code: ExitCode, text: string, err = ''): Exit {
  return { code, out: `${text}\n`, err };
}
