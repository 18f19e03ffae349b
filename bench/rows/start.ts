import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { ratioOf, type Ratio } from '../measure.js';
import type { Row } from '../row.js';

const ROUNDS = 21;

/** What a start costs. Needs `npm run build`. */
export function startRows(): Row[] {
  return [
    {
      name: 'load',
      against: 'compiling the same file',
      target: 0.15,
      measure: () => ratioOf(Array.from({ length: ROUNDS }, evaluatedOverCompiled)),
    },
    {
      name: 'cli.start',
      against: 'node -e 0',
      target: 2,
      measure: listOverNode,
    },
  ];
}

const GIVEN = ['require', 'module', 'exports', 'window'];

/** Of `main.js` as the app loads it, as text that V8 has not seen before. */
function evaluatedOverCompiled(_: unknown, round: number): number {
  const code = `${readFileSync('main.js', 'utf8')}\n// ${round}`;
  let load: ((...given: unknown[]) => void) | undefined;
  const compiled = processorTime(() => {
    load = compileFunction(code, GIVEN) as (...given: unknown[]) => void;
  });
  const module = { exports: {} };
  const evaluated = processorTime(() => load?.(appModule, module, module.exports, {}));
  return evaluated / compiled;
}

const installed = createRequire(resolve('package.json'));
const obsidian = new Proxy({}, { get: () => class {} });

/** The app has its own modules loaded before any plugin. */
function appModule(name: string): unknown {
  return name === 'obsidian' ? obsidian : installed(name);
}

/** ms */
function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function listOverNode(): Ratio {
  const vault = mkdtempSync(join(tmpdir(), 'atb-start-'));
  mkdirSync(join(vault, '.opencode'));
  const list = [resolve('dist/cli.js'), 'list', '--vault', vault];
  const add = [resolve('dist/cli.js'), 'add', 'A', '--session', 's', '--agent', 'a'];
  spawnSync(process.execPath, [...add, '--vault', vault]);
  const ratios = Array.from({ length: ROUNDS }, () => ran(list) / ran(['-e', '0']));
  rmSync(vault, { recursive: true });
  return ratioOf(ratios);
}

/** ms */
function ran(args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}.`);
  return performance.now() - start;
}
