import { block, type Block } from '../transcript/block';

/** UTF-16 units of one permission request's metadata that are kept: a diff may be as large as notes are. */
const MOST_METADATA = 32 * 1024;

/** A page of a transcript: one block a line, as JSON. */
export function pageText(blocks: readonly Block[]): string {
  return blocks.map((one) => `${JSON.stringify(keptBlock(one))}\n`).join('');
}

/**
 * The blocks of a page; what still grew when it was written grows no more. Lines that are torn or
 * foreign are passed over.
 */
export function readPage(text: string): {
  readonly blocks: readonly Block[];
  readonly damaged: boolean;
} {
  const lines = text.split('\n').filter((line) => line !== '');
  const blocks = lines.flatMap((line) => readBlock(line) ?? []);
  return { blocks, damaged: blocks.length < lines.length || !/(^|\n)$/.test(text) };
}

function readBlock(line: string): Block | undefined {
  try {
    const read = block.safeParse(JSON.parse(line));
    if (!read.success) return undefined;
    const { data } = read;
    return 'live' in data && data.live ? { ...data, live: false, partial: true } : data;
  } catch {
    return undefined;
  }
}

function keptBlock(one: Block): Block {
  if (one.kind !== 'permission') return one;
  const { request } = one;
  if (JSON.stringify(request.metadata).length <= MOST_METADATA) return one;
  return { ...one, request: { ...request, metadata: {} } };
}
