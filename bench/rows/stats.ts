import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextLine, CHAIN_START } from '../../src/core/permission/audit/audit-chain';
import { AUDIT_FOLDER } from '../../src/core/permission/audit/audit-store';
import { MetricsReader } from '../../src/core/metrics/metrics';
import { sha256 } from '../../src/node/audit/open-audit';
import { DiskStore } from '../../src/node/disk-store';
import { localDate } from '../../src/node/node-ports';
import { ratioOf } from '../measure';
import { compareAsync, type AsyncWork } from '../measure-async';
import type { Measured, Row } from '../row';

const ENTRIES = 100_000;
/** Entries per file: an audit continues in a new file after 1 MiB. */
const ENTRIES_PER_FILE = 2_000;
const START = Date.parse('2026-09-01T08:00:00Z');
const ROUNDS = 21;

/** Statistics of a vault whose audit has 100,000 entries, after a first read. */
export function statsRows(): Row[] {
  return [
    {
      ...{ name: 'stats.warm', unit: 'ms', target: 1_000 },
      against: 'nothing',
      measure: () => withVault(async (vault) => ratioOf(await measureTimes(statsWork(vault)))),
    },
    {
      ...{ name: 'stats.peer', target: 0.5 },
      against: 'read and JSON.parse of the same files',
      measure: () =>
        withVault((vault) =>
          compareAsync(statsWork(vault), parseWork(vault), { rounds: ROUNDS, times: 1, warmUp: 2 }),
        ),
    },
  ];
}

async function withVault(measure: (vault: string) => Promise<Measured>): Promise<Measured> {
  const vault = mkdtempSync(join(tmpdir(), 'atb-stats-'));
  try {
    await fill(vault);
    const start = performance.now();
    await statsWork(vault)();
    const detail = `first reading ${(performance.now() - start).toFixed(0)} ms`;
    return { ...(await measure(vault)), detail };
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

/** Calls of three agents in fifty sessions, over two months. */
async function fill(vault: string): Promise<void> {
  mkdirSync(join(vault, AUDIT_FOLDER), { recursive: true });
  let end = CHAIN_START;
  for (let n = 0; n < ENTRIES; n += ENTRIES_PER_FILE) {
    const month = n < ENTRIES / 2 ? '2026-09' : '2026-10';
    const part = (n / ENTRIES_PER_FILE) % (ENTRIES / ENTRIES_PER_FILE / 2);
    let text = '';
    for (let at = n; at < n + ENTRIES_PER_FILE; at += 2) {
      const [callId, time] = [`call-${at}`, START + at * 50_000];
      const asks = at % 20 === 0;
      const begun = await nextLine(
        {
          ...{ kind: 'intent', callId, sessionId: `ses_${at % 100}`, agent: `agent-${at % 3}` },
          ...{ tool: 'obsidian.update_note', operation: 'update', path: 'Notes/a.md' },
          ...{ task: `k3f9-${at % 200}`, dryRun: false, args: { path: 'Notes/a.md' } },
          ...{ verdict: asks ? 'ask' : 'allow', why: 'Rule 3 decides: write **.' },
        },
        ...([time, end, sha256] as const),
      );
      const done = await nextLine(
        {
          ...{ kind: 'outcome', callId, result: 'done', ms: 12 },
          ...(asks && { reply: 'once', answeredAt: time + 5_000 }),
        },
        ...([time + 6_000, begun, sha256] as const),
      );
      end = done;
      text += `${begun.line}\n${done.line}\n`;
    }
    const name = `${month}.bridge-1${part === 0 ? '' : `.${part + 1}`}.jsonl`;
    writeFileSync(join(vault, AUDIT_FOLDER, name), text);
  }
}

function statsWork(vault: string): AsyncWork {
  return async () => {
    const reader = new MetricsReader(new DiskStore(vault), (at) => localDate(new Date(at)));
    const { total } = (await reader.read()).figures({ by: 'day' });
    if (total.auditedCalls !== ENTRIES / 2) throw new Error('calls are missing');
  };
}

function parseWork(vault: string): AsyncWork {
  const folder = join(vault, AUDIT_FOLDER);
  return async () => {
    for (const name of readdirSync(folder)) {
      const text = await readFile(join(folder, name), 'utf8');
      for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    }
  };
}

async function measureTimes(work: AsyncWork): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await work();
    found.push(performance.now() - start);
  }
  return found;
}
