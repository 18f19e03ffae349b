import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseNote } from '../src/core/board/note/parse-note';
import { LOCK_FOLDER } from '../src/node/lock';
import { BOARD_NOTE } from './board-check';
import { ChildLines } from './child-lines';
import { buildChildren, type ChildKind } from './children';
import type { Run, RunOptions, RunReport } from './report';

const FULL = 2_000;
const RACERS: readonly ChildKind[] = [
  ...(['bridge', 'bridge', 'bridge'] as const),
  ...(['cli', 'cli', 'cli'] as const),
  ...(['plugin', 'plugin'] as const),
];

/** R6: eight processes of all three programs write one board at the same time. */
export const runRace: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const edits = Math.max(2, Math.ceil(FULL * share));
  const children = await buildChildren(process.cwd());
  const vault = await mkdtemp(join(tmpdir(), 'atb-race-'));
  await mkdir(join(vault, '.opencode'));
  const racers = RACERS.map((kind, at) => ({
    name: `w${seed}x${at}`,
    kind,
    lines: new ChildLines(children.start(kind, vault, 'count', `w${seed}x${at}`, edits)),
  }));
  const reports = racers.map(async ({ name, lines }) => {
    for (let next = 500; await lines.waitForLines(next); next += 500)
      progress(`R6 ${name}: ${next}`);
    await lines.ended;
  });
  await Promise.all(reports);
  await children.close();
  const lost = racers.flatMap(({ name, kind, lines }) =>
    lines.fault === undefined && lines.lines.length === edits
      ? []
      : [`${kind} ${name} ended after ${lines.lines.length} edits: ${lines.fault ?? ''}`],
  );
  const { board } = parseNote(BOARD_NOTE, await readFile(join(vault, BOARD_NOTE), 'utf8'));
  const acknowledged = racers.reduce((sum, { lines }) => sum + lines.lines.length, 0);
  if (board.broken !== null) lost.push(`The note is torn: ${board.broken.reason}`);
  // Each write increments `rev` from the current text, so an overwritten edit shows as a gap.
  if (board.rev !== acknowledged) lost.push(`rev is ${board.rev} after ${acknowledged} edits.`);
  for (const { name } of racers) {
    const own = board.tasks.filter(({ title }) => title.startsWith(`${name}-`));
    if (own.length !== 1 || own[0]?.title !== `${name}-${edits}`) {
      lost.push(`${name} left ${own.map(({ title }) => title).join(', ') || 'nothing'}.`);
    }
  }
  const locks = (await readdir(join(vault, LOCK_FOLDER))).filter((one) => one.endsWith('.lock'));
  if (locks.length > 0) lost.push(`${locks.length} locks were left.`);
  await rm(vault, { recursive: true, force: true });
  const injected = { processes: racers.length, 'acknowledged edits': acknowledged };
  return { name: 'R6', what: 'eight processes on one board', injected, lost };
};
