import type { ToolFault } from '../tool-plan';

/** Why a note can't be made under a name that has no ending; which endings may be written is for the rules. */
export function nameFault(path: string): ToolFault | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '' || /[^.]\.[^.]+$/.test(name)) return undefined;
  const message = `Nothing was done: "${name}" has no ending. Send "${name}.md" for a note.`;
  return { code: 'bad_path', message };
}
