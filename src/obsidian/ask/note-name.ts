import { plainLine } from './plain-line';

/** "Index format", of "Projects/Index format.md". */
export function noteName(path: string): string {
  if (path === '') return 'a file';
  return plainLine(path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, ''));
}
