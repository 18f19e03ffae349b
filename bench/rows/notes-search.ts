import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock } from '../../src/node/node-ports';
import { DiskNotes } from '../../src/node/notes/disk-notes';
import { realPaths } from '../../src/node/real-paths';
import { ratioOf } from '../measure';
import type { Measured, Row } from '../row';
import { callTool, startMcpClient } from '../wire/mcp-caller';

const NOTES = 10_000;
const WORDS = 250;
const VOCABULARY = 30_000;
const ROUNDS = 11;
const WARM_ROUNDS = 41;
const WARM_UP = 5;
const QUERY = 'balobe mamo';
/** as installed by npm; searches the text of the notes without Obsidian and without an index */
const PEER = 'bench/node_modules/@bitbonsai/mcpvault/dist/server.js';
const INDEX = '.opencode/agent-task-boards/index/words';

/** A search on disk in a vault of 10,000 notes of 250 words. Needs `npm run build`. */
export function notesSearchRows(): Row[] {
  const unit = 'ms';
  return [
    {
      ...{ name: 'notes.search.fresh', unit, target: 2_000 },
      against: 'the start of Node, taken off',
      measure: () => withVault(measureFresh),
    },
    {
      ...{ name: 'notes.search.warm', unit, target: 50 },
      against: 'nothing, time of the processor',
      measure: () => withVault(measureWarm),
    },
    {
      ...{ name: 'notes.search.peer', target: 0.5, peers: true },
      against: 'mcpvault, a call over MCP, both servers running',
      measure: () => withVault(measureBesidePeer),
    },
  ];
}

async function withVault(measure: (vault: string) => Promise<Measured>): Promise<Measured> {
  const vault = mkdtempSync(join(tmpdir(), 'atb-notes-'));
  try {
    fill(vault);
    return await measure(vault);
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

const CLI = resolve('dist/cli.js');

/** Makes a Node program print its peak memory in kB to standard error when it exits. */
const PRINT_PEAK_MEMORY = "process.on('exit',()=>console.error(process.resourceUsage().maxRSS))";

async function measureFresh(vault: string): Promise<Measured> {
  const telling = ['--import', `data:text/javascript,${PRINT_PEAK_MEMORY}`];
  const search = [...telling, CLI, 'notes', 'search', QUERY, '--vault', vault];
  const first = runProgram(process.execPath, search);
  const later = Array.from({ length: ROUNDS }, () => {
    const { ms, error } = runProgram(process.execPath, search);
    return { ms: ms - runProgram(process.execPath, ['-e', '0']).ms, error };
  });
  const megabytes = statSync(join(vault, INDEX)).size / 1e6;
  const grep = runProgram('rg', ['-il', 'balobe|mamo', vault]).ms;
  const detail = [
    `first index ${first.ms.toFixed(0)} ms and ${memoryText(first)}, ${megabytes.toFixed(1)} MB on disk`,
    `then ${memoryText(later[0])}`,
    grep < 0 ? 'no ripgrep here' : `ripgrep ${grep.toFixed(0)} ms`,
  ].join('; ');
  return Promise.resolve({ ...ratioOf(later.map(({ ms }) => ms)), detail });
}

function memoryText(one: ProgramResult | undefined): string {
  return `${(Number(one?.error) / 1e3).toFixed(0)} MB of memory`;
}

async function measureWarm(vault: string): Promise<Measured> {
  const resolver = new PathResolver(realPaths(vault));
  const log = { note: () => undefined };
  const store = new DiskStore(vault);
  const deps = { vault, store, resolver, hidden: () => false, clock: nodeClock, log };
  const notes = new DiskNotes(deps);
  // The first search builds the index; the next rereads the notes that were written just before.
  for (let round = 0; round < WARM_UP; round += 1) await notes.search(QUERY);
  const processor: number[] = [];
  const clock: number[] = [];
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    const [best] = await notes.search(QUERY);
    if (best === undefined) throw new Error('Nothing was found.');
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1e3);
    clock.push(performance.now() - start);
  }
  return { ...ratioOf(processor), detail: `${ratioOf(clock).ratio.toFixed(0)} ms by the clock` };
}

/** Whole calls; ours include the rules, the audit, and the lines that contain the words. */
async function measureBesidePeer(vault: string): Promise<Measured> {
  const rules = [{ permission: 'read', pattern: '**', action: 'allow' }];
  const settings = join(vault, '.opencode/agent-task-boards.json');
  writeFileSync(settings, JSON.stringify({ permissions: { rules } }));
  const own = await startMcpClient([CLI, 'mcp', '--vault', vault]);
  const peer = await startMcpClient([resolve(PEER), vault]);
  try {
    const times = { own: [] as number[], peer: [] as number[] };
    const args = { query: QUERY, limit: 10 };
    const timed = async (which: keyof typeof times): Promise<void> => {
      const start = performance.now();
      if (which === 'own') await callTool(own, 'obsidian_search_vault', args);
      else await callTool(peer, 'search_notes', args);
      times[which].push(performance.now() - start);
    };
    await timed('own');
    await timed('peer');
    const [first] = times.own;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const which of round % 2 === 0 ? (['own', 'peer'] as const) : (['peer', 'own'] as const))
        await timed(which);
    }
    const [ours, theirs] = [times.own.slice(1), times.peer.slice(1)];
    const [one, other] = [ratioOf(ours).ratio, ratioOf(theirs).ratio];
    const detail = `${one.toFixed(0)} ms and ${other.toFixed(0)} ms; our first, which makes the index, ${first?.toFixed(0)} ms`;
    return { ...ratioOf(ours.map((ms, round) => ms / (theirs[round] ?? NaN))), detail };
  } finally {
    await Promise.all([own.close(), peer.close()]);
  }
}

interface ProgramResult {
  /** negative if the program is not installed */
  readonly ms: number;
  /** its standard error */
  readonly error: string;
}

function runProgram(program: string, args: readonly string[]): ProgramResult {
  const start = performance.now();
  const { error, stderr } = spawnSync(program, args, { maxBuffer: 1e8, encoding: 'utf8' });
  return { ms: error === undefined ? performance.now() - start : -1, error: stderr };
}

/**
 * Fills the vault with the same notes each time, with word frequencies as in a language: few words
 * often, most rarely.
 */
function fill(vault: string): void {
  let seed = 12_345;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const syllables = 'ba be lo la mo ma ni no pe po ra ru sa so te tu va vi za ko'.split(' ');
  const vocabulary = Array.from({ length: VOCABULARY }, () =>
    Array.from(
      { length: 2 + Math.floor(random() * 4) },
      () => syllables[Math.floor(random() * syllables.length)] ?? '',
    ).join(''),
  );
  const word = (): string => vocabulary[Math.floor(random() ** 3 * VOCABULARY)] ?? '';
  mkdirSync(join(vault, '.opencode'));
  for (let note = 0; note < NOTES; note += 1) {
    const folder = join(vault, `area ${note % 20}`, `topic ${note % 200}`);
    mkdirSync(folder, { recursive: true });
    const text = Array.from({ length: WORDS }, word).join(' ');
    writeFileSync(join(folder, `note ${note}.md`), `# ${word()}\n${text}\n[[note ${note + 1}]]\n`);
  }
}
