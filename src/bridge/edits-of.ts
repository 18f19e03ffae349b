/** A file that a call of one of OpenCode's own tools would change. */
export interface Edit {
  /** as sent */
  readonly path: string;
  /** whether OpenCode's rules about `edit` are asked about just this path */
  readonly isAsked: boolean;
}

/** OpenCode's tools that go by its permission `edit`. */
const EDITORS: ReadonlySet<string> = new Set([
  'edit',
  'write',
  'multiedit',
  'patch',
  'apply_patch',
]);

const HEADER = /^[ \t]*\*\*\* (Add File|Update File|Delete File|Move to):(.*)$/gm;

/** Of any arguments; what can't be read names no file. A patch asks for where its files are, not where they go. */
export function editsOf(tool: string, args: unknown): readonly Edit[] {
  if (!EDITORS.has(tool) || typeof args !== 'object' || args === null) return [];
  const { filePath, path, patchText, patch } = args as Partial<Record<string, unknown>>;
  const named = [filePath, path].filter((one) => typeof one === 'string');
  const patches = [patchText, patch].filter((one) => typeof one === 'string');
  return [
    ...named.map((one) => ({ path: one, isAsked: true })),
    ...patches.flatMap(headersOf),
  ].filter(({ path: one }) => one !== '');
}

function headersOf(text: string): readonly Edit[] {
  return [...text.matchAll(HEADER)].map(([, what, path = '']) => ({
    path: path.trim(),
    isAsked: what !== 'Move to',
  }));
}
