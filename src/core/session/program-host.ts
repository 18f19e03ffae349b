/** Why a program did not come up: what happened, and what to do. */
export interface StartFault {
  readonly ok: false;
  readonly code: 'not_found' | 'not_started' | 'refused';
  readonly message: string;
}

export interface StartRequest {
  /** the program; absolute, outside the folder */
  readonly path: string;
  /** the folder that it works in; absolute */
  readonly folder: string;
  /** What it writes, line by line, without colours and without secrets of its environment. */
  readonly onLine: (line: string) => void;
  /** Called once, in words: how the process ended. Not where it never began. */
  readonly onExit: (how: string) => void;
}

/** A program of ours. */
export interface StartedProgram {
  /** Fulfilled when it takes sessions. `url`: where, if it is asked by HTTP. */
  readonly ready: Promise<{ readonly ok: true; readonly url?: string } | StartFault>;
  /** Ends it with all that it started, at once. May be called twice. */
  kill(): void;
}

/** Where programs can be run: desktop. */
export interface ProgramHost {
  /** The program of that name where programs are usually installed; undefined where it is not found. */
  find(name: string): Promise<string | undefined>;
  /** `opencode serve`: ready when it has loaded the plugins of the folder. */
  openCode(request: StartRequest): StartedProgram;
  /** `agent-boards serve` for the folder as its vault: ready when clients find it. */
  agent(request: StartRequest & { readonly agent: AgentProgram }): StartedProgram;
}

/** What runs sessions for `agent-boards serve`, as the person named it. */
export type AgentProgram =
  | {
      readonly kind: 'acp';
      /** for a person */
      readonly name: string;
      /** a program that speaks the Agent Client Protocol; absolute, outside the folder */
      readonly command: string;
      readonly args: readonly string[];
    }
  | {
      readonly kind: 'opencode';
      readonly name: string;
      /** of the server of an OpenCode */
      readonly url: string;
      /** empty: it has none */
      readonly password: string;
    };
