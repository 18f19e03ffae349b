import './jitless';
import * as z from 'zod/mini';
import { lazy } from '../core/lazy';
import { engineInfo, id, maybe, name, path, time } from './fields';

/**
 * Folder of the run files, `<pid>.json`, in which each running bridge says how to reach it. Mode
 * 0600; with a number after the pid if a process serves a vault from several folders.
 */
export const RUN_FOLDER = '.opencode/run';
export const RUN_FILE_NAME = /^\d+(-\d+)?\.json$/;

export const runFile = lazy(() =>
  z.object({
    port: z.int().check(z.gte(1), z.lte(65535)),
    token: z.string().check(z.regex(/^[A-Za-z0-9_-]{32,256}$/)),
    pid: z.int().check(z.gte(1)),
    host: name.check(z.describe('Name of the machine. The pid is valid on this machine only.')),
    directory: path().check(z.describe('Working folder of the engine.')),
    folder: id.check(
      z.describe(
        'A random value. A client proves with it, in `hello`, that it can read the vault.',
      ),
    ),
    startedAt: time,
    protocol: z.int().check(z.gte(1)),
    bridge: name,
    opencode: maybe(name, 'Version of OpenCode, if that is the engine.'),
    engine: maybe(
      engineInfo(),
      'The engine that runs the sessions. Absent in old bridges, which run OpenCode.',
    ),
  }),
);
export type RunFile = z.infer<ReturnType<typeof runFile>>;

/** Parses a run file. Returns undefined if the text is not one. */
export function parseRunFile(text: string): RunFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // half-written, or not ours
  }
  const parsed = runFile().safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
