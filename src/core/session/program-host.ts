/** Why a program did not start: what happened, and what to do. */
export interface StartFault {
  readonly ok: false;
  readonly code: 'not_found' | 'not_started' | 'refused';
  readonly message: string;
  /** see `StartRequest.onExit` */
  readonly lastError?: string | undefined;
}

export interface StartRequest {
  /** the program; absolute, outside the folder */
  readonly path: string;
  /** its working directory; absolute */
  readonly folder: string;
  /**
   * Called with each line of its output, without colours and without secrets of its environment.
   */
  readonly onLine: (line: string) => void;
  /**
   * Called once, with a description of how the process ended; not called if it never started.
   * @param lastError what it wrote last to its standard error; undefined if it wrote nothing there,
   *   or was ended from outside, so that its output does not tell why
   */
  readonly onExit: (how: string, lastError?: string) => void;
}

/** A program that the plugin started. */
export interface StartedProgram {
  /** Resolves when it accepts sessions. `url`: its address, if it is called by HTTP. */
  readonly ready: Promise<{ readonly ok: true; readonly url?: string } | StartFault>;
  /** Ends it and all its child processes, at once. May be called twice. */
  kill(): void;
}

/** Runs programs; desktop only. */
export interface ProgramHost {
  /** Path of the program in the usual install locations; undefined if it is not found. */
  find(name: string): Promise<string | undefined>;
  /** `opencode serve`: ready when it has loaded the plugins of the folder. */
  openCode(request: StartRequest): StartedProgram;
  /** `agent-boards serve` with the folder as its vault: ready when clients can find it. */
  agent(request: StartRequest & { readonly agent: AgentProgram }): StartedProgram;
}

/** The agent that runs sessions for `agent-boards serve`, as configured by the person. */
export type AgentProgram =
  | {
      readonly kind: 'acp';
      /** shown to the person */
      readonly name: string;
      /** a program that speaks the Agent Client Protocol; absolute, outside the folder */
      readonly command: string;
      readonly args: readonly string[];
    }
  | {
      readonly kind: 'opencode';
      readonly name: string;
      /** address of a running OpenCode server */
      readonly url: string;
      /** empty if it has none */
      readonly password: string;
      /** the folder of its sessions, as that machine calls it; undefined: the vault's */
      readonly directory?: string | undefined;
    };

/** The arguments with which `agent-boards` serves an agent in a vault. */
export function serveArgs(folder: string, agent: AgentProgram): readonly string[] {
  const { kind, name } = agent;
  const args = ['serve', '--vault', folder, '--engine', kind, '--name', name];
  if (agent.kind === 'acp') return [...args, '--', agent.command, ...agent.args];
  const { url, directory } = agent;
  return [...args, '--url', url, ...(directory === undefined ? [] : ['--directory', directory])];
}
