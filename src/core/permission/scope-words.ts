import type { Scope } from './scope';

/** As a list shows it: "build: scoped-write in Projects/**, not Private/**, 10 MB, md txt". */
export function scopeWords(scope: Scope): string {
  const { agent, session, denied, maxBytes, extensions, level } = scope;
  const whom = [agent ?? 'anyone', ...(session === undefined ? [] : [`session ${session}`])];
  const within = level === 'scoped-write' ? ` in ${scope.allowed.join(' ') || 'no folder'}` : '';
  const beyond = denied.length === 0 ? [] : [`not ${denied.join(' ')}`];
  const parts = [`${level}${within}`, ...beyond, sizeWords(maxBytes), extensions.join(' ')];
  return `${whom.join(', ')}: ${parts.join(', ')}`;
}

/** In the largest unit that it is a whole number of. */
export function sizeWords(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} bytes`;
}
