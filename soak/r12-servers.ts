import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBoards, connect, makeVault, removeVaults, type McpClient } from '../test/mcp/mcp-rig';
import { ChildLines } from './child-lines';
import { buildChildren } from './children';
import { OpencodeWriter } from './opencode-writer';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

/** Calls of the servers that are not killed. */
const FULL = 20_000;
const SERVERS = 10;
/** Most calls that the killed server answers between two kills. */
const BETWEEN_KILLS = 12;
/** Calls of all servers between two lines of the editor. */
const BETWEEN_LINES = 25;
/** ms within which a line of the editor must be merged into its note */
const MERGE_TIMEOUT_MS = 10_000;

/**
 * R12: ten MCP servers, one of them killed again and again, a real OpenCode with the bridge, the
 * bridge alone in OpenCode's runtime, and a program that edits the notes without a lock, all on one
 * vault at once.
 */
export const runServers: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const each = Math.max(10, Math.ceil((FULL * share) / (SERVERS - 1)));
  const injected = {
    ...{ 'calls answered': 0, kills: 0, 'lines typed': 0, 'edits of the bridge': 0 },
    ...{ 'calls of OpenCode': 0, 'sessions of OpenCode': 0 },
  };
  const lost: string[] = [];
  const chance = new SeededRandom(seed);
  const vault = await makeVault();
  const children = await buildChildren(process.cwd());
  const opencode = await OpencodeWriter.start(process.cwd(), vault);
  const bridge = new ChildLines(children.start('bridge', vault, 'count', 'bridge', 10_000_000));
  const answered = Array.from({ length: SERVERS }, () => new Set<string>());
  const typed: { readonly path: string; readonly line: string }[] = [];
  const server = (at: number): Promise<McpClient> => connect({ vault, name: `s${at}` });

  const type = async (): Promise<void> => {
    const paths = [...(await readBoards(vault)).keys()];
    const path = paths[chance.below(paths.length)];
    if (path === undefined) return;
    const line = `typed-${typed.length + 1}`;
    await appendFile(join(vault, path), `- [ ] ${line}\n`);
    typed.push({ path, line });
  };

  let othersAreDone = false;
  /** The first server is killed again and again while the others work. */
  const work = async (at: number): Promise<void> => {
    let client = await server(at);
    let left = at === 0 ? chance.below(BETWEEN_KILLS) + 1 : Infinity;
    const isDone = (n: number): boolean =>
      at === 0 ? othersAreDone && injected.kills > 0 : n > each;
    for (let n = 1; !isDone(n); n += 1) {
      const title = `s${at}-${n}`;
      const call = client.tasks({ type: 'add', title });
      left -= 1;
      if (left <= 0) {
        process.kill(client.pid, 'SIGKILL');
        injected.kills += 1;
        // The call may still have been done and answered just before the kill.
        const before = await call.catch(() => undefined);
        if (before?.ok === true) answered[at]?.add(title);
        await client.close();
        client = await server(at);
        await client.tasks({ type: 'resume' });
        left = chance.below(BETWEEN_KILLS) + 1;
        continue;
      }
      const { ok, text } = await call;
      if (ok) answered[at]?.add(title);
      else lost.push(`${title} was refused: ${text}`);
      const count = (injected['calls answered'] += 1);
      if (count % 500 === 0) progress(`R12 ${count} of more than ${each * (SERVERS - 1)} calls`);
      if (count % BETWEEN_LINES === 0) await type();
    }
    await client.close();
  };

  try {
    const others = Promise.all(Array.from({ length: SERVERS - 1 }, (_, at) => work(at + 1)));
    await Promise.all([
      work(0),
      others.finally(() => (othersAreDone = true)),
      opencode.work(() => othersAreDone),
    ]);
    await bridge.kill();
    await opencode.close();
    injected['calls of OpenCode'] = opencode.answered.size;
    injected['sessions of OpenCode'] = opencode.sessions;
    lost.push(...opencode.refused.map((told) => `OpenCode was refused ${told}`));
    injected['edits of the bridge'] = bridge.lines.length;
    injected['lines typed'] = typed.length;
    const boards = await readBoards(vault);
    const isOf = (name: string) => (path: string) => path.endsWith(`/${name}-tasks.md`);
    const owners: Owner[] = answered.map((titles, at) => {
      const name = `s${at}`;
      return { name, answered: titles, owns: isOf(name) };
    });
    const ofOpencode = {
      ...{ name: 'oc', answered: opencode.answered },
      owns: (path: string) => !owners.some(({ owns }) => owns(path)),
    };
    lost.push(...findBoardErrors(boards, [...owners, ofOpencode]));
    lost.push(...(await findMissingLines(vault, typed)));
  } finally {
    await bridge.kill();
    await opencode.close();
    await children.close();
    await removeVaults();
  }
  return { name: 'R12', what: 'ten MCP servers and others on one vault', injected, lost };
};

/** A writer of tasks: its titles start with its name and a dash. */
interface Owner {
  readonly name: string;
  /** titles of the tasks whose call was answered */
  readonly answered: ReadonlySet<string>;
  /** whether a note is one of its boards */
  readonly owns: (path: string) => boolean;
}

/**
 * Lists the acknowledged tasks that are not on a board exactly once, and tasks on another writer's
 * board.
 */
function findBoardErrors(boards: ReadonlyMap<string, string>, owners: readonly Owner[]): string[] {
  const wrong: string[] = [];
  for (const { name, answered, owns } of owners) {
    const own = [...boards].filter(([path]) => owns(path));
    const found = own.flatMap(([, text]) =>
      [...text.matchAll(/^- \[ \] ((?:s\d+|oc)-\d+)\b/gm)].map(([, title = '']) => title),
    );
    const there = new Set(found);
    for (const title of answered) if (!there.has(title)) wrong.push(`${title} is gone.`);
    if (there.size < found.length) wrong.push(`A task of ${name} is there twice.`);
    for (const title of there) {
      if (!title.startsWith(`${name}-`)) wrong.push(`${title} stands on a board of ${name}.`);
    }
  }
  return wrong;
}

/**
 * Lines of the editor that are missing from their notes; waits, since a line may be merged a moment
 * later.
 */
async function findMissingLines(
  vault: string,
  typed: readonly { readonly path: string; readonly line: string }[],
): Promise<string[]> {
  const until = Date.now() + MERGE_TIMEOUT_MS;
  for (;;) {
    const gone: string[] = [];
    for (const { path, line } of typed) {
      const text = await readFile(join(vault, path), 'utf8');
      if (!new RegExp(`^- \\[ \\] ${line}\\b`, 'm').test(text)) gone.push(`${line} is gone.`);
    }
    if (gone.length === 0 || Date.now() > until) return gone;
  }
}
