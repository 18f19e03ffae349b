/** One call of the `tasks` tool as one of our programs runs it. Returns the refusal, or undefined. */
export type Call = (operations: readonly object[]) => Promise<string | undefined>;

/**
 * The work of every child: prints the title of each edit once it is saved. `grow` adds a task with
 * each edit and completes the previous one; `count` renames its own task, which fails if the title
 * of the previous edit was lost.
 */
export async function makeEdits(once: Call): Promise<void> {
  const call = (operations: readonly object[]) => retryConflicts(once, operations);
  const [work = '', name = '', count = '0'] = process.argv.slice(3);
  let before: string | undefined;
  for (let n = 1; n <= Number(count); n += 1) {
    const title = `${name}-${n}`;
    if (work === 'count' && before !== undefined) {
      await call([{ type: 'update', id: before, title }]);
    } else {
      const done = before === undefined ? [] : [{ type: 'complete', id: before }];
      await call([...done, { type: 'add', title }]);
    }
    before = title;
    process.stdout.write(`${title}\n`);
  }
}

/**
 * Repeats a call until it is accepted. All children are the same agent to the board, so what one
 * wrote while another looked may count as a person's change: a conflict, which writes nothing and
 * is resolved by a retry.
 */
async function retryConflicts(call: Call, operations: readonly object[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const refusal = await call(operations);
    if (refusal === undefined) return;
    if (!refusal.includes('(conflict)') || tries === 100) throw new Error(`Refused: ${refusal}`);
  }
}

/** Session, agent and lock timeout of all children: they share one board. */
export const SESSION = 's1';
export const AGENT = 'build';
export const WAIT_SECONDS = 120;
