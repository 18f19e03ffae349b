/** `npm run demo -- [options]`: plays a script with a real OpenCode. See `options.ts` for the options. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Cleanup } from './cleanup';
import defaultScript from './default-script.json';
import { Faults } from './faults';
import { runHeadless } from './headless';
import { readOptions, USAGE, type Options } from './options';
import type { Run } from './prepare';
import { NOTHING, type Result } from './result';
import { readScript, type ReadScript } from './script';
import { runLive } from './live';

const SCRIPT_WRONG = 1;
const USAGE_WRONG = 2;

/** The project's root, seen from `workbench/build/`. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

async function main(): Promise<number> {
  const read = readOptions(process.argv.slice(2));
  if (read.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (read.kind === 'wrong') {
    say(`${read.message}\n\n${USAGE}`);
    return USAGE_WRONG;
  }
  return play(read.options);
}

async function play(options: Options): Promise<number> {
  const script = await scriptOf(options);
  if (!script.ok) {
    say(script.message);
    if (options.headless) print({ ok: false, ...NOTHING, errors: [script.message] });
    return SCRIPT_WRONG;
  }
  const cleanup = new Cleanup();
  cleanup.onSignals();
  const faults = new Faults(say);
  const run: Run = { options, script: script.script, root: ROOT, cleanup, faults, progress: say };
  if (!options.headless) return runLive(run);
  const result = await runHeadless(run);
  print(result);
  return result.ok ? 0 : 1;
}

async function scriptOf({ script }: Options): Promise<ReadScript> {
  if (script === undefined) return readScript(JSON.stringify(defaultScript));
  try {
    return readScript(await readFile(script, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The script can't be read: ${why}.` };
  }
}

/** Standard output holds the result and nothing else. */
function print(result: Result): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

const code = await main();
// Timers of what a broken run still waits for must not keep the program; the result must be out.
process.stdout.write('', () => process.exit(code));
