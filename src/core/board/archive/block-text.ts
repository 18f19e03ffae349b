import '../jitless';
import * as z from 'zod/mini';

/** A task with all that belongs to it, as it moves between a board and its archive; or several of one phase. */
export const blockText = z.object({
  /** of the tasks and their sub-tasks, in the order of their lines */
  ids: z.array(z.string()),
  /** of those that are completed or cancelled */
  finished: z.array(z.string()),
  /** the heading that it stands under */
  phase: z.nullable(z.string()),
  /** its lines at the left edge, unchanged else, without the last line's end */
  text: z.string(),
});
export type BlockText = z.infer<typeof blockText>;

/** Blocks of one phase as one, so that they are put in one edit. */
export function byPhase(blocks: readonly BlockText[]): readonly BlockText[] {
  const phases = new Map<string | null, BlockText>();
  for (const block of blocks) {
    const before = phases.get(block.phase);
    phases.set(block.phase, before === undefined ? block : joined(before, block));
  }
  return [...phases.values()];
}

function joined(a: BlockText, b: BlockText): BlockText {
  return {
    ids: [...a.ids, ...b.ids],
    finished: [...a.finished, ...b.finished],
    phase: a.phase,
    text: `${a.text}\n${b.text}`,
  };
}
