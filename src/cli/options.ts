import { parseArgs } from 'node:util';

export interface Options {
  readonly command: string | undefined;
  readonly vault: string | undefined;
  readonly session: string | undefined;
  readonly agent: string | undefined;
  /** how long to wait for another program that writes the note, ms; undefined: as long as usual */
  readonly waitMs: number | undefined;
  readonly json: boolean;
  readonly help: boolean;
}

export type ReadOptions =
  | { readonly ok: true; readonly options: Options }
  | { readonly ok: false; readonly message: string };

export function readOptions(args: readonly string[]): ReadOptions {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        vault: { type: 'string' },
        session: { type: 'string' },
        agent: { type: 'string' },
        wait: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const [command, ...more] = positionals;
    if (more.length > 0) return { ok: false, message: `"${more.join(' ')}" is not understood.` };
    const { vault, session, agent, wait, json = false, help = false } = values;
    if (wait !== undefined && !/^\d{1,4}(\.\d+)?$/.test(wait)) {
      return { ok: false, message: '--wait takes a number of seconds.' };
    }
    const waitMs = wait === undefined ? undefined : Number(wait) * 1000;
    return { ok: true, options: { command, vault, session, agent, waitMs, json, help } };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

export const HELP = `agent-boards: the task boards of a vault, from the command line

  agent-boards list [--session S] [--agent A]   the boards of a session, or of all
  agent-boards analyze [--session S] [--agent A]  their plans as graphs: critical path, what can
                                                run at the same time, bottlenecks, risk
  agent-boards ops --session S --agent A        reads {"operations": [...]} from standard input,
                                                carries it out as the tool "tasks" does

  --vault DIR   the vault; else the nearest folder above with .opencode
  --wait S      seconds to wait for another program that writes the note (15)
  --json        the result for programs
  --help        this text

Exit codes: 0 done, 1 some operation failed, 2 usage, 3 a note needs repair, 4 busy`;
