/** One call of the tool, as a program of ours carries it out: the words of a refusal, or undefined. */
export type Call = (operations: readonly object[]) => Promise<string | undefined>;

/**
 * What every child does: says on standard output what stands, once it does. `grow` adds a task with
 * each edit and completes the one before; `count` writes its own task's title anew, which fails
 * where the title of the edit before is not there any more.
 */
export async function makeEdits(once: Call): Promise<void> {
  const call = (operations: readonly object[]) => insist(once, operations);
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
 * All children are one agent to the board. What one wrote while another looked may count as a
 * person's change to that other: a conflict, which writes nothing and ends with a second look.
 */
async function insist(call: Call, operations: readonly object[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const refusal = await call(operations);
    if (refusal === undefined) return;
    if (!refusal.includes('(conflict)') || tries === 100) throw new Error(`Refused: ${refusal}`);
  }
}

/** Session, agent and patience of all children: they share one board. */
export const SESSION = 's1';
export const AGENT = 'build';
export const WAIT_SECONDS = 120;
