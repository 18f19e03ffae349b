import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BOARD_NOTE } from './board-check';
import { ChildLines } from './child-lines';
import { buildChildren, type ChildKind, type Children } from './children';
import type { Run, RunOptions, RunReport } from './report';

const FULL = 10_000;
/** Lines in one vault: each edit reads and writes them all. */
const IN_ONE_VAULT = 600;
const WRITERS: readonly ChildKind[] = ['bridge', 'cli', 'bridge', 'cli'];
const WAYS = ['sync', 'promise', 'shell'] as const;
/** ms that the lines may take to be merged into the note after the last one */
const MERGE_TIMEOUT_MS = 10_000;

/** R14: programs without our lock append lines to a note that four writers keep replacing. */
export const runAppends: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const wanted = Math.max(WAYS.length, Math.ceil(FULL * share));
  const children = await buildChildren(process.cwd());
  const tally: Tally = { injected: { 'lines appended': 0, 'edits meanwhile': 0 }, lost: [] };
  try {
    for (let done = 0; done < wanted; done = tally.injected['lines appended']) {
      const lines = Math.min(IN_ONE_VAULT, wanted - done);
      await runInVault(children, `v${seed}x${done}`, Math.ceil(lines / WAYS.length), tally);
      progress(`R14 ${tally.injected['lines appended']} of ${wanted} lines`);
    }
  } finally {
    await children.close();
  }
  return { name: 'R14', what: 'lines that programs without a lock append', ...tally };
};

interface Tally {
  readonly injected: Record<'lines appended' | 'edits meanwhile', number>;
  readonly lost: string[];
}

async function runInVault(
  children: Children,
  name: string,
  each: number,
  { injected, lost }: Tally,
): Promise<void> {
  const vault = await mkdtemp(join(tmpdir(), 'atb-append-'));
  await mkdir(join(vault, '.opencode'));
  const note = join(vault, BOARD_NOTE);
  const writers = WRITERS.map(
    (kind, at) => new ChildLines(children.start(kind, vault, 'count', `w${at}`, 1_000_000)),
  );
  await Promise.all(writers.map((writer) => writer.waitForLines(1)));
  const appenders = WAYS.map((way) => new ChildLines(children.startAppender(note, way, way, each)));
  await Promise.all(appenders.map(({ ended }) => ended));
  const typed = WAYS.flatMap((way) => Array.from({ length: each }, (_, n) => `${way}-${n + 1}`));
  const wrong = await findLineErrors(note, typed);
  lost.push(...wrong.map((what) => `${what} (${name})`));
  for (const { fault } of appenders) if (fault !== undefined) lost.push(`An appender: ${fault}`);
  for (const [at, writer] of writers.entries()) {
    if (writer.hasEnded) lost.push(`A ${WRITERS[at] ?? ''} ended by itself: ${writer.fault ?? ''}`);
    await writer.kill();
    injected['edits meanwhile'] += writer.lines.length;
  }
  injected['lines appended'] += typed.length;
  await rm(vault, { recursive: true, force: true });
}

/** @returns the lines that are missing in the end, or there twice */
async function findLineErrors(note: string, typed: readonly string[]): Promise<string[]> {
  const until = Date.now() + MERGE_TIMEOUT_MS;
  for (;;) {
    const found = new Map<string, number>();
    for (const [, title = ''] of (await readFile(note, 'utf8')).matchAll(/^- \[ \] (\S+)/gm)) {
      found.set(title, (found.get(title) ?? 0) + 1);
    }
    const missing = typed.filter((title) => !found.has(title));
    if (missing.length === 0 || Date.now() > until) {
      const twice = typed.filter((title) => (found.get(title) ?? 0) > 1);
      return [...missing.map((one) => `${one} is gone`), ...twice.map((one) => `${one} twice`)];
    }
    await pause(50);
  }
}
