import * as z from 'zod/mini';

/** Arguments for every contender's tool: a plan's first tasks. */
export const SAMPLE_ARGS = {
  operations: [
    { type: 'add', title: 'Build the inverted index' },
    { type: 'add', title: 'Rank the hits by age and distance' },
    { type: 'update', title: 'Read the notes in one pass' },
  ],
};

/** Created for each contender, since zod decides at creation whether a schema is compiled. */
export function sampleInput() {
  const operation = z.object({ type: z.enum(['add', 'update', 'remove']), title: z.string() });
  return z.object({ operations: z.array(operation) });
}

export type SampleInput = z.infer<ReturnType<typeof sampleInput>>;

/** The work of the tool: so little that the transport is what is measured. */
export function sampleAnswer({ operations }: SampleInput): string {
  return operations.map(({ type, title }) => `${type}: ${title}`).join('\n');
}
