import { hookCommand, MAX_COMMANDS } from '../hook/hook-commands';
import { checkShape } from './check-shape';
import { problemAt, type ConfigProblem } from './config-problem';
import { isPlainObject, type TextRead } from './config-text';

/**
 * Checks the entries of `hooks`.
 * @param read content of the shared settings in `file`
 */
export function hookProblems(
  file: string,
  read: Extract<TextRead, { readonly ok: true }>,
): readonly ConfigProblem[] {
  if (!isPlainObject(read.value) || read.value['hooks'] === undefined) return [];
  const at = { file, lineOf: read.lineOf };
  const found = read.value['hooks'];
  if (!Array.isArray(found) || found.length > MAX_COMMANDS) {
    const message = `"hooks" has to be a list of at most ${MAX_COMMANDS} commands. None of them runs.`;
    return [problemAt(at, ['hooks'], 'error', message, HOOK_EXAMPLE)];
  }
  return found.flatMap((one: unknown, n) => {
    const checked = checkShape(hookCommand(), one, { ...at, path: ['hooks', n] });
    const isNeverCalled = checked.ok && checked.data.event === 'on-context-full';
    const path = ['hooks', n, 'event'];
    return isNeverCalled
      ? [...checked.problems, problemAt(at, path, 'warning', NEVER_CALLED, 'Remove the entry.')]
      : checked.problems;
  });
}

const NEVER_CALLED =
  'Only Obsidian notices a full context, and runs no commands: this one is never called.';

const HOOK_EXAMPLE = 'Write [{"event": "on-stop", "command": ["program", "argument"]}].';
