/** Why OpenCode did not come up: what happened, and what to do. */
export interface StartFault {
  readonly ok: false;
  readonly code: 'not_found' | 'not_started' | 'refused';
  readonly message: string;
}

export interface StartRequest {
  /** the program; absolute, outside the folder */
  readonly path: string;
  /** the folder that OpenCode works in; absolute */
  readonly folder: string;
  /** What OpenCode writes, line by line, without colours and without secrets of its environment. */
  readonly onLine: (line: string) => void;
  /** Called once, in words: how the process ended. Not where it never began. */
  readonly onExit: (how: string) => void;
}

/** An OpenCode of ours. */
export interface StartedOpenCode {
  /** Fulfilled when it listens and has loaded the plugins of the folder. */
  readonly ready: Promise<{ readonly ok: true; readonly url: string } | StartFault>;
  /** Ends it with all that it started, at once. May be called twice. */
  kill(): void;
}

/** Where programs can be run: desktop. */
export interface OpenCodeHost {
  /** The program where it is usually installed; undefined where it is not found. */
  detect(): Promise<string | undefined>;
  start(request: StartRequest): StartedOpenCode;
}
