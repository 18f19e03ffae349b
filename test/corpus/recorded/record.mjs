// Records what one version of the command line makes of a vault, for test/corpus/recorded.test.ts.
//
//   node test/corpus/recorded/record.mjs path/to/dist/cli.js test/corpus/0.1.0
//
// Reads `vault/` of the folder and writes `edits.json` beside it: for each scenario the exit codes
// and, byte for byte, the boards and archives that it changed. Each scenario starts from a fresh copy.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { scenarios } from './scenarios.mjs';

const [cli, folder] = process.argv.slice(2).map((path) => resolve(path));
const fixedDate = new URL('fixed-date.mjs', import.meta.url).href;

function notes(vault) {
  const root = join(vault, '.opencode/todos');
  const files = fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(vault, file), fs.readFileSync(file, 'utf8')]));
}

function recorded(scenario) {
  const home = fs.mkdtempSync(join(tmpdir(), 'atb-record-'));
  const vault = join(home, 'vault');
  fs.cpSync(join(folder, 'vault'), vault, { recursive: true });
  const before = notes(vault);
  const exits = scenario.steps.map(({ args, input = '' }) => {
    const run = spawnSync(process.execPath, ['--import', fixedDate, cli, ...args], {
      cwd: vault,
      input,
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    if (run.status !== 0) process.stderr.write(`${scenario.name}: ${args.join(' ')}\n${run.stdout}${run.stderr}\n`);
    return run.status;
  });
  const after = notes(vault);
  const files = Object.fromEntries(
    [...after].filter(([path, text]) => before.get(path) !== text).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const gone = [...before.keys()].filter((path) => !after.has(path)).sort();
  fs.rmSync(home, { recursive: true });
  return { name: scenario.name, steps: scenario.steps, exits, files, gone };
}

const edits = scenarios(notes(join(folder, 'vault'))).map(recorded);
fs.writeFileSync(join(folder, 'edits.json'), `${JSON.stringify(edits, null, 1)}\n`);
process.stdout.write(`${edits.length} scenarios\n`);
