// Measures the source and the programs built from it.
// `npm run house` prints a table, `-- --json` one line, `-- --list` also the items behind the
// counts; `-- --check` fails if imports are circular, an export is unused or declared twice, or a
// measure exceeds its limit.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { plugin, programs } from '../esbuild.config.mjs';
import {
  circles,
  codeLines,
  doubleExports,
  functions,
  readModule,
  readModules,
  unusedExports,
} from './source.mjs';

const root = join(import.meta.dirname, '..');

/** Each room with its paths below src; a module belongs to the first room that matches. */
const ROOMS = {
  protocol: ['protocol/'],
  'core/board': ['core/board/'],
  'core/exchange': ['core/exchange/'],
  'core/config': ['core/config/'],
  'core/orchestrator': ['core/orchestrator/'],
  'core/permission+audit': ['core/permission/', 'core/audit/'],
  'core/session+link': ['core/session/', 'core/link/'],
  'core/tool': ['core/tool/'],
  bridge: ['bridge/'],
  mcp: ['mcp/'],
  lsp: ['lsp/'],
  cli: ['cli/'],
  node: ['node/'],
  'obsidian+main': ['obsidian/', 'main.ts', 'program.cts'],
  others: [''],
};

const modules = readModules(root, 'src');
const found = {
  functions: modules.flatMap(functions).sort((a, b) => b.lines - a.lines),
  circles: circles(modules),
  doubleExports: doubleExports(modules),
};
const built = await buildPrograms();
const languages = otherLanguages();
const inPrograms = reached(built.inputs);
/** Imported by other plugins. */
const API = 'src/obsidian/api/api.ts';
found.unused = unusedExports(
  modules.filter(({ path }) => path !== API),
  inPrograms,
);
const house = {
  src: {
    ...size(modules),
    median: median(modules.map(linesOf)),
    longest: Math.max(...modules.map(linesOf)),
    longestFunction: found.functions[0].lines,
  },
  code: inPrograms.reduce((sum, module) => sum + codeLines(module), 0),
  rooms: rooms(),
  circles: found.circles.length,
  doubleExports: found.doubleExports.length,
  unused: found.unused.length,
  main: {
    bytes: built.main.length - languages.length,
    gzip: gzipSync(built.main).length - gzipSync(languages).length,
  },
};

/** The upper limit of each measure: see docs/adr/0023-how-large-the-house-is.md. */
const { 'core/board': board, 'core/exchange': exchange } = house.rooms;
const LIMITS = [
  ['lines of code', house.code, 103_600],
  ['lines of src', house.src.lines, 138_600],
  ['files of src', house.src.files, 794],
  ['lines of core/board', board.lines, 19_190],
  ['files of core/board', board.files, 90],
  ['lines of core/exchange', exchange.lines, 5_310],
  ['bytes of main.js', house.main.bytes, 2_037_000],
  ['bytes of main.js, gzipped', house.main.gzip, 715_500],
];

if (process.argv.includes('--check')) {
  const faults = [
    ...LIMITS.filter(([, now, most]) => now > most).map(
      ([what, now, most]) =>
        `${what}: ${now}, at most ${most}. See docs/adr/0023-how-large-the-house-is.md`,
    ),
    ...found.circles.map((paths) => `circle of imports: ${paths.join(' ')}`),
    ...found.unused.map((one) => `used by no program: ${unusedLine(one)}`),
    ...found.doubleExports.map(({ name, paths }) => `declared twice: ${name} ${paths.join(' ')}`),
  ];
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exitCode = 1;
  }
} else if (process.argv.includes('--json')) console.log(JSON.stringify(house));
else console.log(process.argv.includes('--list') ? `${table()}\n\n${list()}` : table());

/** Counts line ends, as `wc -l` does. */
function linesOf({ text }) {
  return text.split('\n').length - 1;
}

function size(some) {
  return { lines: some.reduce((sum, one) => sum + linesOf(one), 0), files: some.length };
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function rooms() {
  const roomOf = ({ path }) =>
    Object.keys(ROOMS).find((room) => ROOMS[room].some((start) => path.startsWith(`src/${start}`)));
  return Object.fromEntries(
    Object.keys(ROOMS).map((room) => [room, size(modules.filter((one) => roomOf(one) === room))]),
  );
}

/** Whether a file holds the texts of a language other than English. */
function isLanguage(path) {
  return /^src\/obsidian\/language\/.*\.json$/.test(path);
}

/** The size in `main.js` of the texts in other languages, which is not counted. */
function otherLanguages() {
  const folder = join(root, 'src/obsidian/language');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.stringify(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
  return Buffer.from(texts.join(''));
}

/** Builds all programs without writing them. */
async function buildPrograms() {
  const inputs = new Set();
  let main;
  for (const options of programs) {
    const result = await build({ ...options, write: false, metafile: true });
    for (const input of Object.keys(result.metafile.inputs)) inputs.add(input);
    if (options === plugin) main = result.outputFiles[0].contents;
  }
  return { inputs, main };
}

/**
 * The project's own modules that the programs consist of. Modules of types vanish from a bundle and
 * still count as code if they are imported.
 */
function reached(inputs) {
  const all = new Map();
  const add = (path) => {
    if (all.has(path) || isLanguage(path) || !/\.(?:[cm]?[jt]sx?|json)$/.test(path)) return;
    const module = readModule(root, join(root, path));
    all.set(path, module);
    module.imports.forEach(add);
  };
  for (const path of inputs) if (!/(?:^|\/)node_modules\/|^virtual:/.test(path)) add(path);
  return [...all.values()];
}

function table() {
  const rows = [
    ['', 'lines', 'files'],
    ['src', house.src.lines, house.src.files],
    ...Object.entries(house.rooms).map(([room, { lines, files }]) => [`  ${room}`, lines, files]),
    [],
    ['lines of code in the programs', house.code],
    ['median, longest file', house.src.median, house.src.longest],
    ['longest function', house.src.longestFunction],
    ['import circles', house.circles],
    ['names exported twice', house.doubleExports],
    ['exports that no program uses', house.unused],
    ['main.js, gzipped (bytes)', house.main.bytes, house.main.gzip],
  ];
  return rows
    .map(([name = '', ...numbers]) =>
      [name.padEnd(30), ...numbers.map((one) => one.toLocaleString('en').padStart(10))]
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

function unusedLine({ path, name }) {
  return `${path} ${name}`;
}

function list() {
  return [
    'Longest functions',
    ...found.functions.slice(0, 10).map(({ path, line, lines }) => `  ${path}:${line} ${lines}`),
    'Import circles',
    ...found.circles.map((paths) => `  ${paths.join(' ')}`),
    'Names exported twice',
    ...found.doubleExports.map(({ name, paths }) => `  ${name} ${paths.join(' ')}`),
    'Exports that no program uses',
    ...found.unused.map((one) => `  ${unusedLine(one)}`),
  ].join('\n');
}
