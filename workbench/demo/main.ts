/** `npm run demo -- [options]`: plays a script with a real OpenCode. See `options.ts` for the options. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Cleanup } from './cleanup';
import defaultGoal from './default-goal.json';
import defaultScript from './default-script.json';
import { Faults } from './faults';
import { runGoalHeadless } from './goal-headless';
import { runGoalLive } from './goal-live';
import { readGoalScript } from './goal-script';
import { runHeadless } from './headless';
import { readOptions, USAGE, type Options } from './options';
import type { Run } from './prepare';
import type { ScriptResult } from './read-json';
import { EMPTY_RESULT, type Result } from './result';
import { NO_RUN } from './run-line';
import { readScript } from './script';
import { runLive } from './live';

const EXIT_INVALID_SCRIPT = 1;
const EXIT_INVALID_USAGE = 2;

/** The project's root, relative to `workbench/build/`. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

async function main(): Promise<number> {
  const read = readOptions(process.argv.slice(2));
  if (read.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (read.kind === 'wrong') {
    printLine(`${read.message}\n\n${USAGE}`);
    return EXIT_INVALID_USAGE;
  }
  return play(read.options);
}

async function play(options: Options): Promise<number> {
  const { goal } = options;
  if (goal === undefined) {
    const read = await loadScript(options, defaultScript, readScript);
    if (!read.ok) return reportInvalidScript(options, read.message, EMPTY_RESULT);
    const run = { ...makeRun(options), script: read.script };
    return options.headless ? printResult(await runHeadless(run)) : runLive(run);
  }
  const read = await loadScript(options, defaultGoal, readGoalScript);
  if (!read.ok) return reportInvalidScript(options, read.message, { ...EMPTY_RESULT, run: NO_RUN });
  const run = { ...makeRun(options), goal, script: read.script };
  return options.headless ? printResult(await runGoalHeadless(run)) : runGoalLive(run);
}

function makeRun(options: Options): Run {
  const cleanup = new Cleanup();
  cleanup.onSignals();
  return { options, root: ROOT, cleanup, faults: new Faults(printLine), progress: printLine };
}

function printResult(result: Result): number {
  print(result);
  return result.ok ? 0 : 1;
}

function reportInvalidScript(
  options: Options,
  message: string,
  nothing: typeof EMPTY_RESULT,
): number {
  printLine(message);
  if (options.headless) print({ ok: false, ...nothing, errors: [message] });
  return EXIT_INVALID_SCRIPT;
}

/** @param own the script to play if none is named */
async function loadScript<T>(
  { script }: Options,
  own: unknown,
  read: (text: string) => ScriptResult<T>,
): Promise<ScriptResult<T>> {
  if (script === undefined) return read(JSON.stringify(own));
  try {
    return read(await readFile(script, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The script can't be read: ${why}.` };
  }
}

/** Prints the result; standard output holds nothing else. */
function print(result: Result): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

function printLine(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

const code = await main();
// A broken run may leave timers behind, so the program exits explicitly, once the result is
// written.
process.stdout.write('', () => process.exit(code));
