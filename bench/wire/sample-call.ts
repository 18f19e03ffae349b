import * as z from 'zod/mini';

/** What every contender's tool is called with: a plan's first tasks. */
export const SAMPLE_ARGS = {
  operations: [
    { type: 'add', title: 'Build the inverted index' },
    { type: 'add', title: 'Rank the hits by age and distance' },
    { type: 'update', title: 'Read the notes in one pass' },
  ],
};

/** Made anew for each contender: whether zod compiles a schema is settled when that is made. */
export function sampleInput() {
  const operation = z.object({ type: z.enum(['add', 'update', 'remove']), title: z.string() });
  return z.object({ operations: z.array(operation) });
}

export type SampleInput = z.infer<ReturnType<typeof sampleInput>>;

/** What the tool does, so little that the way to it is what is measured. */
export function sampleAnswer({ operations }: SampleInput): string {
  return operations.map(({ type, title }) => `${type}: ${title}`).join('\n');
}
