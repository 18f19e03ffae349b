export type NoteMode = 'reading' | 'source';

/** What a note view is asked to show; what is left out stays as it is. */
export interface NoteViewState {
  readonly path?: string;
  readonly mode?: NoteMode;
  /** a task to go to */
  readonly key?: string;
  /** 1-based; only source mode has lines */
  readonly line?: number;
}

/** Reads a state as the app kept it, or as another part of the plugin gave it. */
export function readViewState(state: unknown): NoteViewState {
  if (typeof state !== 'object' || state === null) return {};
  const given = new Map<string, unknown>(Object.entries(state));
  const [path, mode, key, line] = ['path', 'mode', 'key', 'line'].map((name) => given.get(name));
  return {
    ...(typeof path === 'string' && { path }),
    ...((mode === 'reading' || mode === 'source') && { mode }),
    ...(typeof key === 'string' && { key }),
    ...(typeof line === 'number' && line > 0 && { line, mode: 'source' as const }),
  };
}
