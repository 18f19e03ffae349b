import { DiskError } from '../vault-client';
import { fromBase64, toBase64 } from './base64';
import { toNodeResult } from './file-objects';
import { callNode, callNodeSync } from './server-call';

const run = <T>(handle: number, task: string, ...args: unknown[]): T =>
  callNodeSync<T>('handle', handle, task, ...args);

/** Bytes whose `toString` decodes them as UTF-8, like Node's `Buffer`. */
class PageBuffer extends Uint8Array {
  override toString(): string {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this);
  }
}

/** Node's synchronous calls on file descriptors. */
export const handleCalls = {
  openSync: (path: string, flags: number | string, mode?: number) =>
    callNodeSync<number>('open', path, flags, mode),
  /** Does not wait for the server, which is safe since no descriptor is reused. */
  closeSync: (handle: number) => {
    callNode('handle', handle, 'close').catch(reportError);
  },
  fstatSync: (handle: number, options?: { readonly bigint?: boolean }): unknown => {
    const stat = run<{ readonly mtimeMs: number }>(handle, 'stat');
    if (options?.bigint !== true) return toNodeResult('stat', [], stat);
    return { ...stat, mtimeNs: Math.round(stat.mtimeMs * 1e6) };
  },
  ftruncateSync: (handle: number, length: number) => run(handle, 'truncate', length),
  readSync: (
    handle: number,
    bytes: Uint8Array,
    from: number,
    length: number,
    at: number | null,
  ): number => {
    const read = fromBase64(run<string>(handle, 'read', length, at));
    bytes.set(read, from);
    return read.length;
  },
  writeSync: (
    handle: number,
    bytes: Uint8Array,
    from: number,
    length: number,
    at: number | null,
  ): number => run(handle, 'write', toBase64(bytes.subarray(from, from + length)), at),
  readFileSync: (file: number | string, encoding?: string): unknown =>
    typeof file === 'number'
      ? new PageBuffer(fromBase64(run<string>(file, 'readBytes')))
      : callNodeSync('readFile', file, encoding),
};

/** The same for a system without `/proc`, where no path goes through an open folder. */
export const handleCallsWithoutProc = {
  ...handleCalls,
  openSync: (path: string, flags: number | string, mode?: number) => {
    if (path.startsWith('/proc/')) throw new DiskError('ENOENT', `${path} is not there`);
    return handleCalls.openSync(path, flags, mode);
  },
};
