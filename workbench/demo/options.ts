import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run demo -- [options]

Plays a script with a real OpenCode on a scripted model: agents plan, their boards stand in a vault
and in the task sidebar. Needs no account and no network.

  --goal "TEXT"           a run instead of a script's sessions: the agent plans the goal, the plan is
                          approved, each task is carried out and checked
  --script FILE           play this script (docs/demo-scripts.md says how; with --goal, that of a run)
  --vault DIR             work in this folder, made if missing; otherwise in a throw-away vault.
                          The notes that the demo's own script reads are laid into a folder only
                          where nothing stands in it yet
  --model provider/model  a real model from your own OpenCode configuration
  --headless              no window: run in headless Chromium, print one line of JSON, exit 0 or 1
  --pictures DIR          with --headless: also write the README's pictures into this folder, and
                          each view in light, dark and on a phone
  --engine NAME           model: without OpenCode, the sessions run in agent-boards serve, on the scripted
                          model; http: an OpenCode without the bridge, acp: opencode acp, both through
                          agent-boards serve
  --client mcp            beside OpenCode a second agent plans on a board of its own, over MCP
  --no-plugin             leave the page closed: the calls run in the bridge alone
  --help                  print this
`;

/** The engine of the sessions: OpenCode with the bridge, or what `--engine` names. */
export type EngineName = 'opencode' | 'model' | 'http' | 'acp';

export interface Options {
  /** goal of the run; undefined: the script's sessions are played */
  readonly goal: string | undefined;
  readonly script: string | undefined;
  readonly vault: string | undefined;
  readonly model: string | undefined;
  readonly headless: boolean;
  readonly plugin: boolean;
  readonly pictures: string | undefined;
  /** whether a second agent works over MCP */
  readonly mcp: boolean;
  /** engine of the sessions */
  readonly engine: EngineName;
}

export type ReadOptions =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export function readOptions(args: readonly string[]): ReadOptions {
  const parsed = parse(args);
  if (typeof parsed === 'string') return { kind: 'wrong', message: parsed };
  const { values } = parsed;
  if (values.help) return { kind: 'help' };
  if (values.model !== undefined && !/^[^/\s]+\/\S+$/.test(values.model)) {
    return { kind: 'wrong', message: `"${values.model}" is no model. Write provider/model.` };
  }
  const named = ['goal', 'script', 'vault', 'pictures'] as const;
  const empty = named.find((name) => values[name]?.trim() === '');
  if (empty !== undefined) return { kind: 'wrong', message: `--${empty} names nothing.` };
  const { goal, script, vault, model, pictures, client, engine, headless = false } = values;
  const plugin = !values['no-plugin'];
  if (client !== undefined && (client !== 'mcp' || goal !== undefined)) {
    return { kind: 'wrong', message: '--client takes mcp, and plays beside a script, not a goal.' };
  }
  if (goal !== undefined && !plugin) {
    return { kind: 'wrong', message: 'The plugin carries a goal out: leave --no-plugin away.' };
  }
  const isServed = engine === 'model' || engine === 'http' || engine === 'acp';
  if (engine !== undefined && (!isServed || model !== undefined)) {
    const message = '--engine takes model, http or acp, and plays on the scripted model.';
    return { kind: 'wrong', message };
  }
  return {
    kind: 'run',
    options: {
      ...{ goal, script, vault, model, headless, plugin, pictures, mcp: client === 'mcp' },
      engine: isServed ? engine : 'opencode',
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        goal: { type: 'string' },
        script: { type: 'string' },
        vault: { type: 'string' },
        model: { type: 'string' },
        headless: { type: 'boolean' },
        pictures: { type: 'string' },
        client: { type: 'string' },
        engine: { type: 'string' },
        'no-plugin': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
