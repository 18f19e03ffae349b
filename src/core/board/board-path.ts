/** Path of a board: `<root>/<session>/<agent>-tasks.md`, relative to the vault. `taken` are the names that stand there now. */
export function boardPath(
  root: string,
  session: string,
  agent: string,
  taken?: { readonly sessions?: readonly string[]; readonly boards?: readonly string[] },
): string {
  throw new Error(root + session + agent + String(taken));
}

/** Session and agent of a board's path, undefined for any other file (archives, copies of sync tools). */
export function readBoardPath(
  root: string,
  path: string,
): { session: string; agent: string } | undefined {
  throw new Error(root + path);
}

/** Whether a session id can name a folder: 1 to 72 bytes of well-formed text without control characters. */
export function validSessionId(id: string): boolean {
  throw new Error(id);
}

/** The same for an agent's name. */
export function validAgentName(name: string): boolean {
  throw new Error(name);
}
