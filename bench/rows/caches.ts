import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TodoManager } from '../../src/core/board/todo-manager';
import { createProviderClient } from '../../src/core/model/provider-client';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { DiskStore } from '../../src/node/disk-store';
import { nodeHttp } from '../../src/node/http-client';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { DiskNotes } from '../../src/node/notes/disk-notes';
import { realPaths } from '../../src/node/real-paths';
import { ratioOf } from '../measure';
import type { Measured, Row } from '../row';

const ROUNDS = 11;
const BOARDS = 50;
const TASKS = 100;
const NOTES = 1_000;
const MODELS = 300;

/** A lookup with an empty cache, then one with a filled cache. */
type MakeLookups = () => Promise<{
  readonly empty: () => Promise<unknown>;
  readonly full: () => Promise<unknown>;
}>;

/** The saving of each cache of docs/adr/0031-caches.md; the smallest is reported. */
export function cacheRows(): Row[] {
  return [
    {
      ...{ name: 'cache.saves', target: 0.5 },
      against: 'the same look with an empty cache, the worst of all',
      measure: measureSavings,
    },
  ];
}

async function measureSavings(): Promise<Measured> {
  const vault = mkdtempSync(join(tmpdir(), 'atb-caches-'));
  try {
    fill(vault);
    const server = createServer((_, response) => void response.end(MODEL_LIST));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const caches: readonly (readonly [string, MakeLookups])[] = [
      [`${BOARDS} boards`, () => boards(vault)],
      [`words of ${NOTES} notes`, () => words(vault)],
      [`list of ${MODELS} models`, () => models(port)],
    ];
    const measured = [];
    for (const [name, make] of caches) measured.push({ name, ...(await measureLookups(make)) });
    server.close();
    const [worst] = measured.toSorted((a, b) => b.ratio.ratio - a.ratio.ratio);
    const detail = measured
      .map(({ name, empty, full }) => `${name} ${empty.toFixed(1)} → ${full.toFixed(2)} ms`)
      .join('; ');
    return { ...(worst?.ratio ?? ratioOf([])), detail };
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

async function measureLookups(make: MakeLookups) {
  const times = { empty: [] as number[], full: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const looks = await make();
    for (const which of ['empty', 'full'] as const) {
      const start = performance.now();
      await looks[which]();
      // The first round compiles the code.
      if (round > 0) times[which].push(performance.now() - start);
    }
  }
  const ratio = ratioOf(times.full.map((ms, round) => ms / (times.empty[round] ?? NaN)));
  return { ratio, empty: ratioOf(times.empty).ratio, full: ratioOf(times.full).ratio };
}

const boards = (vault: string) => {
  const manager = new TodoManager({ store: new DiskStore(vault), clock: nodeClock, ids: nodeIds });
  return Promise.resolve({ empty: () => manager.scan(), full: () => manager.scan() });
};

/** Removes the index on disk before each round, since it is a cache too. */
const words = (vault: string) => {
  rmSync(join(vault, '.opencode/agent-task-boards'), { recursive: true, force: true });
  const deps = { vault, store: new DiskStore(vault), hidden: () => false, clock: nodeClock };
  const resolver = new PathResolver(realPaths(vault));
  const notes = new DiskNotes({ ...deps, resolver, log: { note: () => undefined } });
  const search = () => notes.search('word7');
  return Promise.resolve({ empty: search, full: search });
};

const models = (port: number) => {
  const around = { http: nodeHttp(), clock: nodeClock, ids: nodeIds };
  const client = createProviderClient({ provider: 'own', url: `http://127.0.0.1:${port}` }, around);
  return Promise.resolve({ empty: () => client.models(), full: () => client.models() });
};

const MODEL_LIST = JSON.stringify({
  data: Array.from({ length: MODELS }, (_, at) => ({
    id: `maker/model-${at}`,
    context_length: at,
  })),
});

/**
 * Fills the vault with files dated a minute back: a younger file may change again within the same
 * clock tick of the disk.
 */
function fill(vault: string): void {
  const put = (path: string, text: string) => {
    const file = join(vault, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const then = Date.now() / 1000 - 60;
    utimesSync(file, then, then);
  };
  for (let board = 0; board < BOARDS; board += 1) {
    const tasks = Array.from({ length: TASKS }, (_, at) => {
      const id = `k3f9-${at + 1}`;
      return `- [ ] Build part ${at + 1} of the index 🆔 ${id} ^${id}`;
    });
    const header = `---\nboard: 1\nsession: s${board}\nagent: build\ntitle: Bench\nprefix: k3f9\nnext: ${TASKS + 1}\nrev: 1\n---\n`;
    put(`.opencode/todos/s${board}/build-tasks.md`, `${header}\n${tasks.join('\n')}\n`);
  }
  for (let note = 0; note < NOTES; note += 1) {
    const text = Array.from({ length: 250 }, (_, at) => `word${(at * note) % 5_000}`).join(' ');
    put(`area ${note % 20}/note ${note}.md`, `# Note ${note}\n${text}\n`);
  }
}
